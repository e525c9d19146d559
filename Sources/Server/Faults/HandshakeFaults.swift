import FitIQAPI
import WebSocket

/// What goes wrong with a WebSocket's handshake.
public enum HandshakeFault: Sendable, Equatable {
    /// An HTTP answer in place of 101.
    case refuse(Replacement)
    /// The 101 comes so many nanoseconds late.
    case delay(Int64)
    /// A `Sec-WebSocket-Accept` that belongs to another key.
    case wrongAccept
    /// The connection ends (FIN) without a byte.
    case emptyReply
    /// The connection is reset (RST).
    case reset
    /// No answer.
    case hang
}

/// What goes wrong with one WebSocket's handshake, and later with the connection that it opens.
public struct HandshakeFaults: Sendable {
    /// The number of the connection in its world, from 1; refused ones count.
    public let connection: Int
    /// The rules of the handshake that act, in their order.
    public internal(set) var ruleNames: [String] = []
    /// The answer in place of 101; its message is filled in.
    public internal(set) var refusal: Replacement?
    /// What becomes of the response to the handshake, in the order of the rules; no refusal is among them.
    public internal(set) var faults: [HandshakeFault] = []
    /// What goes wrong on the open socket; nil where nothing does.
    public internal(set) var socket: SocketFaults?

    /// Whether a socket opens, as far as it depends on the rules: no refusal, no end, no silence.
    ///
    /// Where it is false no ``Transmission`` can carry a 101, so the backend should not be told of a socket.
    public var opensSocket: Bool {
        refusal == nil
            && faults.allSatisfy {
                switch $0 {
                case .emptyReply, .reset, .hang, .refuse: false
                case .delay, .wrongAccept: true
                }
            }
    }

    /// What is encoded in place of 101, in the form of the union or of one guide; nil where that stays.
    public func answer(in form: GuideMode) -> ReplacementAnswer? {
        refusal.map { $0.answer(defaultMessage: "", in: form) }
    }

    /// What becomes of the encoded response to the handshake, 101 or not.
    public func apply(to response: EncodedResponse) -> Transmission {
        response.apply(faults)
    }
}

extension EncodedResponse {
    /// What becomes of the response to a WebSocket's handshake; a refusal is not looked at.
    public func apply(_ faults: [HandshakeFault]) -> Transmission {
        var response = self
        if faults.contains(.wrongAccept), let right = value(of: Self.acceptField) {
            // RFC 6455 §4.1: the client must fail a connection whose value does not belong to its key.
            let wrong = Self.otherKeys.lazy.map(ServerHandshake.accept).first { $0 != right }
            response.setValue(wrong, of: Self.acceptField)
        }
        let bytes = response.bytes
        var wire = WireFaults(count: bytes.count)
        for fault in faults { wire.add(fault) }
        return wire.transmission(of: bytes)
    }

    private static let acceptField = "Sec-WebSocket-Accept"

    /// Two, because a client might have chosen the first: it is the example of RFC 6455 §1.3.
    private static let otherKeys = ["dGhlIHNhbXBsZSBub25jZQ==", "AAAAAAAAAAAAAAAAAAAAAA=="]
}

extension FaultBook {
    /// Gives a handshake that arrives now its number, and tells what goes wrong with it and the connection; nil for nothing.
    ///
    /// Ask once for each handshake of a consultation's socket, before credentials are looked at: asking counts it.
    public mutating func openSocket(at now: Timestamp) -> HandshakeFaults? {
        connections += 1
        guard !connectionRules.isEmpty else { return nil }
        var acting = HandshakeFaults(connection: connections)
        var socketRules: [SocketFaults.Rule] = []
        for index in connectionRules where match(index) {
            let rule = rules[index].rule
            switch rule.fault {
            case .response:
                preconditionFailure("Sorted out before.")
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
