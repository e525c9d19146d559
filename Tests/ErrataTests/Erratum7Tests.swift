import FitIQAPI
import Testing

extension Errata {
    @Suite("7: websocket-architecture's wrong endpoint, /ws")
    struct Erratum7Tests {
        @Test("The error for the path /ws names the correct path", arguments: ["/ws", "/ws/", "/ws/1"])
        func refused(path: String) {
            let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
            #expect(Route(segments: segments) == nil)
            let refusal = FitIQAPI.APIError.bareWebSocketPath("/ws", in: .union)
            #expect(refusal.status == .notFound && refusal.message.contains("/api/v1/consultations/{id}/ws"))
        }

        @Test("The consultation's socket is an endpoint")
        func right() {
            let segments = ["api", "v1", "consultations", ServerAnswers.id, "ws"]
            let route = Route(segments: segments)
            #expect(route?.endpoint(for: .get) == .webSocket && route?.id == ServerAnswers.id)
        }
    }
}
