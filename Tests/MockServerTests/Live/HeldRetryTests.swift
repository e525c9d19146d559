import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Live control: repeats of a request with a held response")
struct HeldRetryTests {
    private static func held() throws -> (HeldWorld, HTTPClient<VirtualClient>) {
        let (held, client) = try HeldWorld.holding(
            #"{"on":"response","match":{"endpoint":"POST /api/v1/goals","requests":"1"},"timeout":"5m"}"#)
        #expect(try held.number() > 0)
        return (held, client)
    }

    private static func verdict(repeating client: HTTPClient<VirtualClient>, in held: HeldWorld) throws -> JSONValue? {
        #expect(try client.exchange(held.goal).status == 201)
        let verdicts = try held.world.ask(.get, "verdicts").json?["verdicts"]?.array
        return verdicts?.first { $0["id"] == "retry/backoff-on-5xx" }?["verdict"]
    }

    @Test(
        "A client that gives up on a held response may repeat the request after a second",
        arguments: [("1s", "kept"), ("0.2s", "broken")], [false, true])
    func givesUp(_ row: (wait: String, verdict: String), isReleased: Bool) throws {
        let (held, client) = try Self.held()
        try held.world.advance("60s")
        if isReleased {
            // The action is too late: the answer is already in transit when the client leaves.
            try held.act(#"{"action":"drop","how":"finish"}"#)
        }
        client.wire.vanish()
        try held.world.advance(row.wait)
        #expect(try Self.verdict(repeating: held.network.client(), in: held)?.string == row.verdict)
        #expect(try held.goalCount() == 2)
    }

    @Test(
        "The pause before a repeat starts when the operator's response arrives",
        arguments: [("1s", "kept"), ("0.2s", "broken")])
    func changed(_ row: (wait: String, verdict: String)) throws {
        let (held, client) = try Self.held()
        try held.world.advance("20s")
        try held.act(#"{"action":"change","status":503,"text":"{}"}"#)
        #expect(try client.response(to: held.goal).status == 503)
        try held.world.advance(row.wait)
        #expect(try Self.verdict(repeating: client, in: held)?.string == row.verdict)
    }

    @Test("A late success does not exercise an obligation")
    func late() throws {
        let (held, client) = try Self.held()
        try held.world.advance("5m")
        #expect(try client.response(to: held.goal).status == 201)
        #expect(try Self.verdict(repeating: client, in: held) == "not_exercised")
    }
}
