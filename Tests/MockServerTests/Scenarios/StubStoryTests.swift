import TestSupport
import Testing

@testable import MockServer

@Suite("Stubs and answer fields in a world")
struct StubStoryTests {
    private func network(_ rest: String) throws -> VirtualNetwork {
        try .adopting("{name: small, clock: manual, seed: 7, \(rest)}")
    }

    @Test("A stub answers without credentials and is marked in the journal")
    func stub() throws {
        let network = try network(
            #"stubs: [{path: "/v2/{id}", status: 418, body: tea, headers: {Content-Type: text/plain}}]"#)
        let answer = try network.exchange(Request(target: "/v2/pot?x=1"))
        #expect(answer.status == 418 && answer.text == "tea" && answer.fields[.contentType] == "text/plain")
        let entry = try #require(try network.plainWorld().journal().last)
        #expect(entry["faults"]?.array?.first == "stub GET /v2/{id}")
        for request in [Request(target: "/v2/pot/x"), Request(method: .post, target: "/v2/pot")] {
            #expect(try network.exchange(request).status == 404)
        }
        let world = try network.world(#"{"scenario":{"name":"b","stubs":[{"path":"/v3"}]}}"#)
        #expect(try world.exchange(.get, "/v3").status == 200)
    }

    @Test("A stub with override replaces the product's answer")
    func override() throws {
        let network = try network("stubs: [{path: /api/v1/goals, override: true, body: '[]'}]")
        #expect(try network.exchange(Request(target: "/api/v1/goals")).text == "[]")
        let wild = "stubs: [{path: '/api/v1/{any}', body: '[]'}, {path: '/{any}', status: 202}, {path: '/api/v1/{any}'"
        for (override, goals) in [(false, 401), (true, 418)] {
            let network = try self.network("\(wild), status: 418, override: \(override)}]")
            for (path, status) in [("/api/v1/goals", goals), ("/pots", 202), ("/health", 200), ("/openapi.yaml", 200)] {
                #expect(try network.get(path).status == status, "\(path)")
            }
            #expect(try network.get("/api/v1/pots").text == "[]")
        }
    }

    @Test("The server fills answer fields when the answer starts")
    func fields() throws {
        var texts: [String] = []
        for _ in 0..<2 {
            let network = try network(
                #"answers: [{chunks: ['{{now}} {{ user.name }}: ', '{{content}} ', "#
                    + #"'{{random 1 6}}{{random 7 7}} {{"{{"}}now}} {{']}]"#)
            let socket = try network.socket(on: try network.consultation())
            socket.send(#"{"type":"message","content":"Is {{now}} \"now\"?"}"#)
            network.advance(by: .seconds(1))
            texts.append(
                socket.takeFrames().compactMap { $0["type"] == "stream_chunk" ? $0["content"]?.string : nil }.joined())
        }
        #expect(texts[0] == texts[1] && texts[0].hasPrefix("2025-01-29T10:30:00Z "), "\(texts)")
        #expect(texts[0].contains(#": Is {{now}} "now"? "#) && texts[0].hasSuffix("7 {{now}} {{"), "\(texts[0])")
    }
}
