import FitIQAPI
import JSON
import Text

/// What a breakpoint holds back until its operator, or the end of its time, lets it continue.
public struct Hold: Sendable, Equatable {
    /// Whether it holds what clients send: requests, handshakes and their frames.
    public var fromClient: Bool
    /// Whether it holds what the server sends: responses and its frames.
    public var fromServer: Bool
    /// What the body or the frame contains; empty for any.
    public var text: String
    /// Nanoseconds of the world's clock after which it continues by itself.
    public var time: Int64

    public init(
        fromClient: Bool = false, fromServer: Bool = false, text: String = "", time: Int64 = FaultLimits.holdTime
    ) {
        (self.fromClient, self.fromServer, self.text, self.time) = (fromClient, fromServer, text, time)
    }

    /// Whether it concerns something with this body or payload.
    func concerns(_ content: [UInt8]) -> Bool { text.isEmpty || content.contains(Array(text.utf8)) }
}

/// A rule that holds something back, by its name.
public struct Breakpoint: Sendable, Equatable {
    public let name: ExactString
    public let hold: Hold

    public init(name: ExactString, hold: Hold) { (self.name, self.hold) = (name, hold) }
}

extension ResponseFaults {
    /// The first breakpoint for a request or a response with this body; nil if none holds it.
    public func breakpoint(fromClient: Bool, body: [UInt8]) -> Breakpoint? {
        holds.first { (fromClient ? $0.hold.fromClient : $0.hold.fromServer) && $0.hold.concerns(body) }
    }
}

extension FaultBook {
    /// Counts that a breakpoint holds something; returns false if it is disabled or gone, and must not hold it.
    public mutating func held(named name: ExactString) -> Bool {
        guard let index = rules.firstIndex(where: { $0.rule.name == name }), rules[index].rule.isEnabled else {
            return false
        }
        rules[index].acted += 1
        return true
    }

    /// The breakpoints for frames among some rules, for ``attach(_:to:)``; those that select connections by their place
    /// do not attach.
    public func frameBreakpoints(named names: Set<ExactString>) -> [FrameBreakpoint] {
        rules.indices.compactMap { place in
            guard names.contains(rules[place].rule.name), rules[place].rule.selection == .all,
                case .socket(let fault, let point) = rules[place].rule.fault, case .hold = fault
            else { return nil }
            return FrameBreakpoint(rules[place].rule, at: place, fault, point, of: Chance(seed: seed))
        }
    }

    /// Has breakpoints for frames act on an open socket too, from its next frame on; one that it has already stays.
    public mutating func attach(_ breakpoints: [FrameBreakpoint], to faults: inout SocketFaults?) {
        var present = PresentRules(faults?.rules ?? [])
        if faults == nil, !breakpoints.isEmpty {
            faults = SocketFaults(seed: seed)
            faults?.rules.reserveCapacity(breakpoints.count)
        }
        for breakpoint in breakpoints where !present.contains(breakpoint.name) {
            if breakpoint.isEnabled { rules[breakpoint.place].matches += 1 }
            let matches = UInt64(rules[breakpoint.place].matches)
            faults?.rules.append(
                SocketFaults.Rule(
                    name: breakpoint.name, fault: breakpoint.fault, point: breakpoint.point,
                    chance: breakpoint.chance.mixing(matches), isEnabled: breakpoint.isEnabled))
        }
    }
}

/// A breakpoint for frames, as a book has it at the moment.
///
/// A class, because many sockets may get many of them at once.
public final class FrameBreakpoint: Sendable {
    fileprivate let (place, name, isEnabled): (Int, ExactString, Bool)
    fileprivate let (fault, point, chance): (SocketFault, SocketPoint, Chance)
    /// The sockets that it concerns; nil for all.
    public let (socket, connection): (Endpoint?, UInt64?)

    fileprivate init(
        _ rule: FaultRule, at place: Int, _ fault: SocketFault, _ point: SocketPoint, of chance: Chance
    ) {
        (self.place, name, isEnabled, socket, connection) = (
            place, rule.name, rule.isEnabled, rule.socket, rule.connection
        )
        (self.fault, self.point, self.chance) = (fault, point, chance.mixing(rule.name.utf8))
    }
}

/// The rules that a socket has, asked for by name in their order.
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
