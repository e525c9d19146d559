import FitIQAPI
import JSON
import Text

/// An injected fault and its conditions.
public struct FaultRule: Sendable, Equatable {
    /// The name, which is unique in a world.
    public var name: ExactString
    public var isEnabled: Bool
    public var fault: Fault
    /// The kind of socket that the rule is limited to; nil for all kinds, and for response faults.
    public var socket: Endpoint?
    /// Which of the matches are selected; each rule counts its own matches while it is enabled.
    ///
    /// The matches are requests for ``Fault/response(_:on:)``, and handshakes for the other two kinds of faults. For a
    /// rule enabled from the start, the n-th match is the world's n-th connection of its kind, including refused ones.
    public var selection: Selection
    /// The journal number of the WebSocket whose frames a breakpoint is limited to; nil for all WebSockets.
    public var connection: UInt64?
    /// The event stream that must stay open for a breakpoint to stay enabled; nil if no stream is required.
    public var controller: ExactString?

    public init(
        name: ExactString, isEnabled: Bool = true, fault: Fault, of socket: Endpoint? = nil, selection: Selection = .all
    ) {
        (self.name, self.isEnabled, self.fault) = (name, isEnabled, fault)
        (self.socket, self.selection) = (socket, selection)
    }
}

public enum Fault: Sendable, Equatable {
    /// A fault in the response to a REST request; an empty set means any request except a WebSocket handshake.
    case response(ResponseFault, on: Set<Endpoint>)
    /// A fault in the response to a WebSocket handshake: `replace` instead of 101, `delay`, `wrongAccept`,
    /// `emptyReply`, `reset` or `hang`.
    case handshake(ResponseFault)
    case `socket`(SocketFault, at: SocketPoint)
}

/// A selection of numbered items, counted from 1.
public struct Selection: Sendable, Equatable {
    public var first: Int
    /// The last selected number; nil if the range has no end.
    public var last: Int?
    /// The step: every n-th item of the range is selected, starting with the first.
    public var step: Int
    /// The share of these items to select, in thousandths; the seed determines which ones are selected.
    public var perMille: Int

    /// - Precondition: `first` and `step` are at least 1, `last` is not less than `first`, and `perMille` is 0 to 1000.
    public init(first: Int = 1, last: Int? = nil, step: Int = 1, perMille: Int = 1000) {
        precondition(first >= 1 && step >= 1 && (last ?? first) >= first && (0...1000).contains(perMille))
        (self.first, self.last, self.step, self.perMille) = (first, last, step, perMille)
    }

    public static let all = Selection()
    public static func first(_ count: Int) -> Selection { Selection(last: count) }
    public static func only(_ number: Int) -> Selection { Selection(first: number, last: number) }
}

/// Random numbers derived from a seed and a subject, not from earlier numbers, so one rule's chance does not depend on
/// another rule's.
struct Chance: Sendable, Equatable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    func mixing(_ bytes: some Sequence<UInt8>) -> Chance { mixing(bytes.fnv1a) }

    func mixing(_ number: UInt64) -> Chance {
        var numbers = SplitMix64(seed: state)
        var mixed = SplitMix64(seed: numbers.next() ^ number)
        return Chance(seed: mixed.next())
    }

    func next(below bound: UInt64) -> UInt64 {
        var numbers = SplitMix64(seed: state)
        return numbers.next(below: bound)
    }
}

extension Selection {
    /// Whether the n-th item, counted from 1, is selected; each item needs its own `chance`.
    func contains(_ number: Int, _ chance: @autoclosure () -> Chance) -> Bool {
        guard number >= first, number <= last ?? .max, (number - first) % max(step, 1) == 0 else { return false }
        return perMille >= 1000 || Int(chance().next(below: 1000)) < perMille
    }
}

/// The fixed window of a quota.
///
/// The window starts with a request and has the rule's length. The first request after the window ends starts a new
/// one. A client that waits for `Retry-After` therefore gets the whole quota again, whereas a sliding window would
/// admit only one request.
struct QuotaWindow: Sendable, Equatable {
    private var start: Timestamp?
    private var count = 0

    /// Counts a request; returns nil if the request is within the quota, otherwise the nanoseconds left in the window.
    mutating func take(at now: Timestamp, quota: Int, length: Int64) -> Int64? {
        let length = min(max(length, 1), FaultLimits.longestWindow)
        // Setting the clock back also starts a new window, because the old one might never end.
        if let start, start <= now, now.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch < length {
            count += 1
        } else {
            (start, count) = (now, 1)
        }
        guard count > quota, let start else { return nil }
        return length - (now.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch)
    }
}

/// The limits for faults, enforced when rules are read.
///
/// The transforms clamp waits, sizes and numbers to the limits, so that no rule can crash a server or exhaust its
/// memory. Durations are nanoseconds.
public enum FaultLimits {
    /// The maximum number of rules in a world; additional rules are refused (``FaultBookError/tooManyRules(limit:)``).
    public static let rules = 1_000
    /// The longest rule name, in UTF-8 bytes.
    public static let ruleName = 100
    /// A rule's longest wait: 1 h.
    public static let longestWait: Int64 = 3_600 * 1_000_000_000
    /// The time after which the server closes a hanging or silent connection: 10 min.
    public static let hang: Int64 = 600 * 1_000_000_000
    /// The longest quota window: 24 h.
    public static let longestWindow: Int64 = 24 * 3_600 * 1_000_000_000
    /// The largest quota, in requests per window.
    public static let quotaRequests = 1_000_000
    /// The statuses allowed for a replacement.
    public static let statuses = 200...599
    /// The longest `Retry-After` in seconds: 366 d.
    public static let retryAfter = 366 * 86_400
    /// The default time after which a held item continues automatically: 30 s.
    public static let holdTime: Int64 = 30 * 1_000_000_000
    /// The shortest time after which a held item continues automatically: 1 ms; the longest is ``longestWait``.
    public static let shortestHold: Int64 = 1_000_000
    /// The maximum number of items that breakpoints hold in a world; additional items pass.
    public static let held = 256
    /// The longest text that a breakpoint searches for, in UTF-8 bytes.
    public static let holdText = 1_000
    /// A network's longest round trip, and its maximum jitter: 1 min.
    public static let networkDelay: Int64 = 60 * 1_000_000_000
    /// A network's highest rate, in bytes per second.
    public static let networkRate = 1_000_000_000
    /// The maximum number of connections that a network resets before it lets one stay up.
    public static let failingConnections = 1_000
    /// The longest controller name, in UTF-8 bytes.
    public static let controllerName = 100
    /// The maximum size of a replacement's body and of a frame's replacement text: 1 MiB.
    public static let replacementBody = 1_024 * 1_024
    /// The largest difference between a false Content-Length and the true one: 1 GiB.
    public static let contentLengthError = 1_024 * 1_024 * 1_024
    /// The maximum number of fragments in a message.
    public static let fragments = 1_000
    /// The maximum number of messages in one frame.
    public static let coalesced = 100
    /// The maximum total size of messages that wait for a shared frame: 1 MiB.
    ///
    /// Beyond this size, the frame is sent even if messages are missing.
    public static let waitingBytes = 1_024 * 1_024
    /// The maximum number of pieces in a dribbled transmission; the rest is sent in one piece.
    public static let pieces = 65_536
    /// The longest reason in a close frame, in bytes; longer reasons are truncated (RFC 6455 §5.5).
    public static let closeReason = 123

    /// Clamps a wait to the limit.
    static func wait(_ nanoseconds: Int64) -> Int64 { min(max(nanoseconds, 0), longestWait) }
}

/// Which items a breakpoint holds until an operator releases them or the time is up.
public struct Hold: Sendable, Equatable {
    /// Whether it holds the clients' requests, handshakes and frames.
    public var fromClient: Bool
    /// Whether it holds the server's output: responses and frames.
    public var fromServer: Bool
    /// The text that the body or frame must contain; an empty string matches any content.
    public var text: String
    /// The nanoseconds on the world's clock after which a held item continues automatically.
    public var time: Int64

    public init(
        fromClient: Bool = false, fromServer: Bool = false, text: String = "", time: Int64 = FaultLimits.holdTime
    ) {
        (self.fromClient, self.fromServer, self.text, self.time) = (fromClient, fromServer, text, time)
    }

    /// Whether the breakpoint holds an item with this body or payload.
    func concerns(_ content: [UInt8]) -> Bool { text.isEmpty || content.contains(Array(text.utf8)) }
}

/// A rule that holds items, and its name.
public struct Breakpoint: Sendable, Equatable {
    public let name: ExactString
    public let hold: Hold

    public init(name: ExactString, hold: Hold) { (self.name, self.hold) = (name, hold) }
}

extension ResponseFaults {
    /// The first breakpoint that matches a request or a response with this body; nil if none matches.
    public func breakpoint(fromClient: Bool, body: [UInt8]) -> Breakpoint? {
        holds.first { (fromClient ? $0.hold.fromClient : $0.hold.fromServer) && $0.hold.concerns(body) }
    }
}

extension FaultBook {
    /// Counts an item held by a breakpoint; returns false if the item passes because the rule is disabled or was
    /// removed.
    public mutating func countHold(named name: ExactString) -> Bool {
        guard let index = rules.firstIndex(where: { $0.rule.name == name }), rules[index].rule.isEnabled else {
            return false
        }
        rules[index].acted += 1
        return true
    }

    /// The named rules that are breakpoints for frames, for ``attach(_:to:)``, except for breakpoints that select
    /// connections by number.
    public func frameBreakpoints(named names: Set<ExactString>) -> [FrameBreakpoint] {
        rules.indices.compactMap { place in
            guard names.contains(rules[place].rule.name), rules[place].rule.selection == .all,
                case .socket(let fault, let point) = rules[place].rule.fault, case .hold = fault
            else { return nil }
            return FrameBreakpoint(rules[place].rule, at: place, fault, point, of: Chance(seed: seed))
        }
    }

    /// Adds breakpoints for frames to an open socket, starting with its next frame; existing breakpoints stay.
    public mutating func attach(_ breakpoints: [FrameBreakpoint], to faults: inout SocketFaults?) {
        var present = PresentRules(faults?.rules ?? [])
        if faults == nil, !breakpoints.isEmpty {
            faults = SocketFaults(seed: seed)
            faults?.rules.reserveCapacity(breakpoints.count)
        }
        for breakpoint in breakpoints where !present.contains(breakpoint.shared.name) {
            if breakpoint.isEnabled { rules[breakpoint.place].matches += 1 }
            let matches = UInt64(rules[breakpoint.place].matches)
            faults?.rules.append(
                SocketFaults.Rule(
                    breakpoint.shared, chance: breakpoint.chance.mixing(matches), isEnabled: breakpoint.isEnabled))
        }
    }
}

/// A breakpoint for frames, and its current state.
public struct FrameBreakpoint: Sendable {
    fileprivate let (place, shared, chance): (Int, SocketFaults.Rule.Shared, Chance)
    fileprivate let isEnabled: Bool
    /// The kind of socket and the connection that the breakpoint is limited to; nil for all.
    public let (socket, connection): (Endpoint?, UInt64?)

    fileprivate init(
        _ rule: FaultRule, at place: Int, _ fault: SocketFault, _ point: SocketPoint, of chance: Chance
    ) {
        (self.place, isEnabled, socket, connection) = (place, rule.isEnabled, rule.socket, rule.connection)
        shared = SocketFaults.Rule.Shared(name: rule.name, fault: fault, point: point)
        self.chance = chance.mixing(rule.name.utf8)
    }
}

/// A socket's rules, looked up by name.
private struct PresentRules {
    private let rules: [SocketFaults.Rule]
    private var place = 0
    private lazy var names = Set(rules.lazy.filter { !$0.isRemoved }.map(\.name))

    init(_ rules: [SocketFaults.Rule]) { self.rules = rules }

    mutating func contains(_ name: ExactString) -> Bool {
        if rules.isEmpty { return false }
        if place < rules.count, rules[place].name == name, !rules[place].isRemoved {
            place += 1
            return true
        }
        return names.contains(name)
    }
}

/// A compression fault in a handshake, in a WebSocket message (RFC 7692) or in a gzip response.
public enum CompressionFault: String, Sendable, CaseIterable {
    /// The handshake declines compression, even if the client offers it and the scenario requires it.
    case declined
    /// The message or response is compressed but not marked as compressed.
    case undeclared
    /// The message is sent in two frames, split inside a deflated block, which RFC 7692 allows.
    case fragmented
    /// Like ``fragmented``, but the second frame also has RSV1 set (§6.1).
    case marked
    /// The message refers to earlier bytes that were never sent, as if one end had reset its context.
    case forgotten
    /// Extra bytes follow the message's last block.
    case trailing
    /// A block has an undefined type.
    case corrupt
    /// The gzip file, and thus the body, is truncated.
    case truncated
    /// The length at the end of the gzip file is wrong (RFC 1952 §2.3.1).
    case wrongLength = "wrong-length"
}
