import FitIQAPI

/// The injected faults of one WebSocket handshake, and of the connection that it opens.
public struct HandshakeFaults: Sendable {
    /// The number of the connection in its world, from 1, including refused ones.
    public let connection: Int
    /// The faults of the response to the handshake; a replacement comes instead of 101.
    public var response: ResponseFaults
    /// The faults of the open socket; nil if there are none.
    public var socket: SocketFaults?

    /// Whether the rules let a socket open; if not, no ``Transmission`` can carry a 101.
    public var opensSocket: Bool {
        response.replacement == nil
            && response.faults.allSatisfy {
                switch $0 {
                case .delay, .wrongAccept, .compression: true
                default: false
                }
            }
    }
}

extension FaultBook {
    /// Numbers a handshake that arrives now, and returns the faults of it and its connection; nil for none.
    ///
    /// Call it once per handshake, before checking credentials: each call counts. The endpoint is nil if a recording
    /// opens the socket and there is no such endpoint.
    public mutating func openSocket(_ endpoint: Endpoint? = .webSocket, at now: Timestamp) -> HandshakeFaults? {
        connections += 1
        guard !connectionRules.isEmpty else { return nil }
        var acting = HandshakeFaults(connection: connections, response: ResponseFaults(seed: seed))
        var socketRules: [SocketFaults.Rule] = []
        for index in connectionRules {
            let rule = rules[index].rule
            // One for a socket that was open when it was added concerns no other one.
            guard rule.connection == nil, rule.socket == nil || rule.socket == endpoint, match(index) else { continue }
            switch rule.fault {
            case .response: preconditionFailure("Sorted out before.")
            case .handshake(let fault):
                guard act(fault, index, at: now, in: &acting.response, Messages.refused) else { continue }
                acting.response.ruleNames.append(rule.name.text)
            case .socket(let fault, let point):
                let chance = chance(of: rule, UInt64(rules[index].matches))
                socketRules.append(SocketFaults.Rule(name: rule.name, fault: fault, point: point, chance: chance))
                if case .hold = fault { continue }
            }
            rules[index].acted += 1
        }
        if !socketRules.isEmpty, acting.opensSocket { acting.socket = SocketFaults(rules: socketRules, seed: seed) }
        let response = acting.response
        return response.ruleNames.isEmpty && response.holds.isEmpty && acting.socket == nil ? nil : acting
    }
}
