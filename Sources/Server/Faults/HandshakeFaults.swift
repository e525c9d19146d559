import FitIQAPI
import WebSocket

/// An injected fault of a WebSocket handshake.
public enum HandshakeFault: Sendable, Equatable {
    /// An HTTP response instead of 101.
    case refuse(Replacement)
    /// Delays the 101 by nanoseconds.
    case delay(Int64)
    /// A `Sec-WebSocket-Accept` for a different key.
    case wrongAccept
    case emptyReply
    case reset
    case hang
}

/// The injected faults of one WebSocket handshake, and of the connection that it opens.
public struct HandshakeFaults: Sendable {
    /// The number of the connection in its world, from 1, including refused ones.
    public let connection: Int
    /// The rules that act on the handshake, in order.
    public internal(set) var ruleNames: [String] = []
    /// The response instead of 101, with its message filled in.
    public internal(set) var refusal: Replacement?
    /// The faults of the handshake's response, in the order of the rules, without refusals.
    public internal(set) var faults: [HandshakeFault] = []
    /// The faults of the open socket; nil if there are none.
    public internal(set) var socket: SocketFaults?

    /// Whether the rules let a socket open; if not, no ``Transmission`` can carry a 101.
    public var opensSocket: Bool {
        refusal == nil
            && faults.allSatisfy {
                switch $0 {
                case .emptyReply, .reset, .hang, .refuse: false
                case .delay, .wrongAccept: true
                }
            }
    }

    /// The response instead of 101, in the form of the union or of one guide; nil if the 101 stays.
    public func answer(in form: GuideMode, forApps: Bool = false) -> ReplacementAnswer? {
        refusal.map { $0.answer(in: form, forApps: forApps) }
    }

    /// Applies the faults to the encoded response to the handshake, 101 or not.
    public func apply(to response: EncodedResponse) -> Transmission { response.apply(faults) }
}

extension EncodedResponse {
    /// Applies faults to the response to a WebSocket handshake; ignores a refusal.
    public func apply(_ faults: [HandshakeFault]) -> Transmission {
        var response = self
        if faults.contains(.wrongAccept), let right = value(of: Self.acceptField) {
            // RFC 6455 §4.1: the client must fail a connection with a value that does not belong to its key.
            let wrong = Self.otherKeys.lazy.map(ServerHandshake.accept).first { $0 != right }
            response.setValue(wrong, of: Self.acceptField)
        }
        let bytes = response.bytes
        var wire = WireFaults(count: bytes.count)
        for fault in faults { wire.add(fault) }
        return wire.transmission(of: bytes)
    }

    private static let acceptField = "Sec-WebSocket-Accept"
    /// Two keys, because a client might use the first, which is the example of RFC 6455 §1.3.
    private static let otherKeys = ["dGhlIHNhbXBsZSBub25jZQ==", "AAAAAAAAAAAAAAAAAAAAAA=="]
}

extension FaultBook {
    /// Numbers a handshake that arrives now, and returns the faults of it and its connection; nil for none.
    ///
    /// Call it once per handshake, before checking credentials: each call counts. The endpoint is nil if a recording
    /// opens the socket and there is no such endpoint.
    public mutating func openSocket(_ endpoint: Endpoint? = .webSocket, at now: Timestamp) -> HandshakeFaults? {
        connections += 1
        guard !connectionRules.isEmpty else { return nil }
        var acting = HandshakeFaults(connection: connections)
        var socketRules: [SocketFaults.Rule] = []
        for index in connectionRules {
            let rule = rules[index].rule
            guard rule.socket == nil || rule.socket == endpoint, match(index) else { continue }
            switch rule.fault {
            case .response: preconditionFailure("Sorted out before.")
            case .handshake(.refuse(var replacement)):
                guard acting.refusal == nil else { continue }
                replacement.message =
                    replacement.message ?? Messages.refused(status: replacement.status, rule: rule.name.text)
                acting.refusal = replacement
                acting.ruleNames.append(rule.name.text)
            case .handshake(let fault):
                acting.faults.append(fault)
                acting.ruleNames.append(rule.name.text)
            case .socket(let fault, let point):
                let chance = chance(of: rule, UInt64(rules[index].matches))
                socketRules.append(SocketFaults.Rule(name: rule.name, fault: fault, point: point, chance: chance))
            }
            rules[index].acted += 1
        }
        if !socketRules.isEmpty, acting.opensSocket { acting.socket = SocketFaults(rules: socketRules, seed: seed) }
        return acting.ruleNames.isEmpty && acting.socket == nil ? nil : acting
    }
}
