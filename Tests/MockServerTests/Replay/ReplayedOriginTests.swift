import Replay
import TestSupport
import Testing

@testable import MockServer

@Suite("Replayed worlds: the server's URLs and paths")
struct ReplayedOriginTests {
    static let body = answer(Take.origin, "ws://recorded.example")

    private static func answer(_ http: String, _ ws: String) -> String {
        #"{"url":"\#(http)/a","ws":"\#(ws)/b","avatar":"http://127.0.0.1:8080/c"}"#
    }

    private func network(_ take: Take) throws -> VirtualNetwork {
        let scenario = try take.scenario()
        return VirtualNetwork { ($0.scenario, $0.secureOrigin) = (scenario, "https://127.0.0.1:8443") }
    }

    private func secureClient(_ network: VirtualNetwork) throws -> HTTPClient<VirtualClient> {
        let wire = try network.open(isSecure: true)
        network.engine.secured(wire.id, at: network.now)
        return HTTPClient(wire)
    }

    @Test("Replayed answers contain TLS URLs for clients over TLS and plain URLs for others")
    func secure() throws {
        let take = Take().asked(
            "GET", "/a", fields: [], answerFields: [.init("Location", Take.origin + "/n")], answer: Self.body)
        let network = try network(take)
        let secure = try secureClient(network).exchange(Request(target: "/a"))
        #expect(secure.text == Self.answer("https://127.0.0.1:8443", "wss://127.0.0.1:8443"))
        #expect(secure.fields[.location] == "https://127.0.0.1:8443/n")
        #expect(try network.get("/a").text == Self.answer("http://127.0.0.1:8080", "ws://127.0.0.1:8080"))
    }

    @Test("Under a world's prefix, replayed URLs start with the prefix, even in frames")
    func secureWorld() throws {
        let take = Take().asked("GET", "/a", answer: Self.body).socket(
            "/api/v1/consultations/1/ws", [Take.server(Self.body, at: 0)])
        let network = try network(Take().asked("GET", "/x"))
        let world = try network.world(#"{"scenario":\#(take.json)}"#)
        let expected = "\"https://127.0.0.1:8443/w/\(world.id)/a\",\"ws\":\"wss://127.0.0.1:8443/w/\(world.id)/b\""
        #expect(try secureClient(network).exchange(Request(target: "/w/\(world.id)/a")).text.contains(expected))
        let client = try secureClient(network)
        _ = try client.upgrade(.handshake("/w/\(world.id)/api/v1/consultations/1/ws", as: TestUser.anna))
        #expect(String(decoding: client.wire.received, as: UTF8.self).contains(expected))
    }

    @Test("A strict replay passes even though the server answers its own recorded paths")
    func ownPaths() throws {
        let own = [
            "/health", "/ready", "/docs", "/docs/deviations", "/openapi.yaml", "/asyncapi.yaml", "/llms.txt",
            "/__admin/health", "/favicon.ico",
        ]
        var take = Take()
        for path in own { take = take.asked("GET", path, answer: "recorded") }
        take = take.asked("GET", "/a")
        let network = try take.network(ReplaySettings(match: .strict))
        for path in own + ["/w/default/favicon.ico"] { #expect(try network.get(path).text != "recorded", "\(path)") }
        for (path, status) in [("/favicon.ico", 404), ("/a", 200)] { #expect(try network.get(path).status == status) }
        #expect(network.replayOutcome?.failures == [])
    }
}
