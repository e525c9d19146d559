import FitIQAPI
import JSON

/// Something that goes wrong on purpose, and when.
public struct FaultRule: Sendable, Equatable {
    /// What it is switched by; unique in a world.
    public var name: ExactString
    /// Whether it is in force.
    public var isEnabled: Bool
    /// What goes wrong.
    public var fault: Fault
    /// Which of the things that match are meant, counted by this rule alone and while it is in force.
    ///
    /// Requests for ``Fault/response(_:on:)``, handshakes for the other two: for a rule that was in force from the beginning
    /// the n-th is the n-th WebSocket connection of the world, refused ones included.
    public var selection: Selection

    /// Makes a rule that is in force.
    public init(name: ExactString, isEnabled: Bool = true, fault: Fault, selection: Selection = .all) {
        self.name = name
        self.isEnabled = isEnabled
        self.fault = fault
        self.selection = selection
    }
}

/// What goes wrong, and where.
public enum Fault: Sendable, Equatable {
    /// With the response to a REST request; where no endpoint is named, to any but a WebSocket's handshake.
    case response(ResponseFault, on: Set<Endpoint>)
    /// With a WebSocket's handshake.
    case handshake(HandshakeFault)
    /// With an open WebSocket.
    case `socket`(SocketFault, at: SocketPoint)
}

/// Which of many things are meant; counted from 1.
public struct Selection: Sendable, Equatable {
    /// The first that is meant.
    public var first: Int
    /// The last; nil for no end.
    public var last: Int?
    /// Of these every n-th, beginning with the first.
    public var step: Int
    /// How many in a thousand of these are meant; the seed decides which.
    public var perMille: Int

    /// Makes a selection.
    ///
    /// - Precondition: `first` and `step` are at least 1, `last` is no less than `first`, `perMille` is 0 to 1000.
    public init(first: Int = 1, last: Int? = nil, step: Int = 1, perMille: Int = 1000) {
        precondition(first >= 1 && step >= 1 && (last ?? first) >= first && (0...1000).contains(perMille))
        self.first = first
        self.last = last
        self.step = step
        self.perMille = perMille
    }

    /// All of them.
    public static let all = Selection()
    /// The first n.
    public static func first(_ count: Int) -> Selection { Selection(last: count) }
    /// The n-th alone.
    public static func only(_ number: Int) -> Selection { Selection(first: number, last: number) }
}

/// Numbers that follow from a seed and from what they are about, not from what was drawn before.
///
/// So a rule's luck does not depend on which other rules there are.
struct Chance: Sendable, Equatable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The chance that belongs to these bytes as well.
    func mixing(_ bytes: some Sequence<UInt8>) -> Chance {
        // FNV-1a; SplitMix64 then spreads it over all bits.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return mixing(hash)
    }

    /// The chance that belongs to this number as well.
    func mixing(_ number: UInt64) -> Chance {
        var numbers = SplitMix64(seed: state)
        var mixed = SplitMix64(seed: numbers.next() ^ number)
        return Chance(seed: mixed.next())
    }

    /// A number below the bound.
    func next(below bound: UInt64) -> UInt64 {
        var numbers = SplitMix64(seed: state)
        return numbers.next(below: bound)
    }
}

extension Selection {
    /// Whether the n-th is meant, from 1; `chance` is that of this one thing.
    func contains(_ number: Int, _ chance: @autoclosure () -> Chance) -> Bool {
        guard number >= first, number <= last ?? .max, (number - first) % max(step, 1) == 0 else { return false }
        return perMille >= 1000 || Int(chance().next(below: 1000)) < perMille
    }
}

/// The fixed window in which a quota counts requests.
///
/// It begins with a request and lasts as long as the rule says; the first request after its end begins another. So a client
/// that waits as long as `Retry-After` says is served again, with the whole quota: a sliding window would admit it to one
/// request.
struct QuotaWindow: Sendable, Equatable {
    private var start: Timestamp?
    private var count = 0

    /// Counts a request; nil where it is within the quota, else the nanoseconds that are left of the window.
    mutating func take(at now: Timestamp, quota: Int, length: Int64) -> Int64? {
        let length = min(max(length, 1), FaultLimits.longestWindow)
        // A clock that was set back begins another window too: the old one might never end.
        if let start, start <= now, now.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch < length {
            count += 1
        } else {
            (start, count) = (now, 1)
        }
        guard count > quota, let start else { return nil }
        return length - (now.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch)
    }
}

/// How much may go wrong: what readers of rules refuse to take more of.
///
/// The transforms themselves take any value: waits, sizes and numbers outside the limits are cut to them, so that no rule
/// can crash a server or fill its memory. Durations are nanoseconds.
public enum FaultLimits {
    /// How many rules a world has at once; more are refused (``FaultBookError/tooManyRules(limit:)``).
    public static let rules = 1_000
    /// How long the name of a rule may be, in bytes of UTF-8.
    public static let ruleName = 100
    /// The longest wait that a rule may ask for: 1 h.
    public static let longestWait: Int64 = 3_600 * 1_000_000_000
    /// After how long the server gives up a connection that hangs or is silent: 10 min.
    public static let hang: Int64 = 600 * 1_000_000_000
    /// The longest window of a quota: 24 h.
    public static let longestWindow: Int64 = 24 * 3_600 * 1_000_000_000
    /// How many requests a quota may allow in a window.
    public static let quotaRequests = 1_000_000
    /// The statuses that a replacement may have.
    public static let statuses = 200...599
    /// The longest `Retry-After` in seconds: 366 d.
    public static let retryAfter = 366 * 86_400
    /// The body of a replacement in bytes, and the text that replaces a frame's: 1 MiB.
    public static let replacementBody = 1_024 * 1_024
    /// By how much a Content-Length may be off, either way: 1 GiB.
    public static let contentLengthError = 1_024 * 1_024 * 1_024
    /// How many fragments a message may come in.
    public static let fragments = 1_000
    /// How many messages may come in one frame.
    public static let coalesced = 100
    /// How many bytes of text may wait to come in one frame: 1 MiB.
    ///
    /// Beyond, they are sent before their number is complete.
    public static let waitingBytes = 1_024 * 1_024
    /// How many pieces a transmission may be dribbled in; what is left then comes at once.
    public static let pieces = 65_536
    /// How long the reason of a close frame may be, in bytes: what is longer is cut (RFC 6455 §5.5).
    public static let closeReason = 123

    /// A wait that is within the limit.
    static func wait(_ nanoseconds: Int64) -> Int64 { min(max(nanoseconds, 0), longestWait) }
}
