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

    /// Has a breakpoint for frames act on an open socket too, from its next frame on.
    ///
    /// It does nothing if the socket has it already, or if it selects connections by their place.
    public mutating func attach(_ name: ExactString, to faults: inout SocketFaults?) {
        guard let index = rules.firstIndex(where: { $0.rule.name == name }),
            case .socket(let fault, let point) = rules[index].rule.fault, rules[index].rule.selection == .all,
            !(faults?.rules.contains { $0.name == name && !$0.isRemoved } ?? false)
        else { return }
        if rules[index].rule.isEnabled { rules[index].matches += 1 }
        let rule = SocketFaults.Rule(
            name: name, fault: fault, point: point,
            chance: chance(of: rules[index].rule, UInt64(rules[index].matches)),
            isEnabled: rules[index].rule.isEnabled)
        if faults == nil { faults = SocketFaults(seed: seed) }
        faults?.rules.append(rule)
    }
}
