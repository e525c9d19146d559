import FitIQAPI
import HTTP1
import Recording

/// `ws/endpoint`: sockets are opened where the backend has them.
struct SocketEndpoint: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/endpoint", level: .must, origin: .guides([.webSocketArchitecture]), place: "root cause",
        clause: "The WebSocket is opened at /api/v1/consultations/{id}/ws, never at /ws.",
        advice: """
            There is no socket for meal logs alone: create or fetch a consultation and open \
            /api/v1/consultations/{id}/ws, id in lower case; the guide's own configuration with \
            /ws is the mistake that it describes.
            """)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        if Handshake(fact) != nil { return findings.exercised() }
        guard case .request(let request) = fact.kind, request.endpoint == nil,
            request.exchange.unmatched == .unknownPath,
            request.exchange.head.wantsUpgrade || request.segments.last == "ws"
        else { return }
        findings.exercised()
        findings.found(SocketSentences.wrongEndpoint(request.path), [fact.entry])
    }
}
