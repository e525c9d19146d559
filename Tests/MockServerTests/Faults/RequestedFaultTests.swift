import TestSupport
import Testing

@testable import MockServer

@Suite("Faults requested by a header")
struct RequestedFaultTests {
    private static let faults = """
        {"scenario":{"name":"a","faults":[
          {"name":"down","on":"POST /api/v1/goals","enabled":false,"status":503,"retry_after":2},
          {"name":"busy","on":"any","requests":2,"status":500},
          {"name":"quota","on":"POST /api/v1/goals","quota":{"requests":1,"per":"1h"}},
          {"name":"drop","on":"socket","at":{"frame":1},"finish":true}]}}
        """

    private func world(_ configure: (inout Engine.Configuration) -> Void = { _ in }) throws -> WorldClient {
        try VirtualNetwork(configure).world(Self.faults)
    }

    private func exchange(_ world: WorldClient, _ fields: String...) throws -> Response {
        try world.network.exchange(Request(target: "\(world.prefix)/api/v1/goals", fields: fields))
    }

    @Test(
        "The Prefer header selects the answer's status",
        arguments: [
            ("code=429", 429), ("code=200", 200), ("code=599", 599), ("Code=418", 418), ("code=\"404\"", 404),
            ("respond-async, code=503; x=y", 503), ("return=minimal", 401), ("", 401), ("codes=429", 401),
            ("code=199", 400), ("code=600", 400), ("code=", 400), ("code=0429", 400), ("code=x", 400),
        ])
    func status(_ preference: String, _ status: Int) throws {
        #expect(try exchange(world(), "Prefer: \(preference)").status == status)
    }

    @Test("X-Fake-Fault triggers a fault by name, even a disabled fault")
    func named() throws {
        let world = try world()
        let down = try exchange(world, "X-Fake-Fault: down", "Prefer: code=404")
        let quota = try exchange(world, "X-Fake-Fault: quota")
        #expect([down, quota].map(\.status) == [503, 429])
        #expect([down, quota].map { $0.fields[.retryAfter] } == ["2", "3600"])
        #expect(try world.journal().compactMap { $0["faults"]?.array?.first?.string } == ["down", "quota"])
        // The rules do not count these requests, so a client's second request fails as the rule requires.
        for status in [401, 500] { #expect(try exchange(world).status == status) }
    }

    @Test("The error for an unknown fault name lists the existing names", arguments: ["dwn", "drop", ""])
    func unknown(_ name: String) throws {
        let response = try exchange(world(), "X-Fake-Fault: \(name)")
        #expect(response.status == 400 && response.message.contains("down, busy, quota"))
        #expect(response.message.hasSuffix("Did you mean 'down'?") == (name == "dwn"), "\(response.message)")
    }

    @Test("A server with strict headers ignores the fields that request faults")
    func strict() throws {
        let world = try world { $0.hasStrictHeaders = true }
        #expect(try exchange(world, "Prefer: code=429", "X-Fake-Fault: down").status == 401)
    }

    @Test("A replayed session also accepts the Prefer header")
    func replay() throws {
        let network = try Take().asked("GET", "/a", answer: "{}").network()
        #expect(try network.exchange(Request(target: "/a", fields: ["Prefer: code=429"])).status == 429)
        #expect(try network.get("/a").status == 200)
    }
}
