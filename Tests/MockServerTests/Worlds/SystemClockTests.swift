import TestSupport
import Testing

@testable import MockServer

@Suite("System clock steps")
struct SystemClockTests {
    private let network = VirtualNetwork()

    private static let hour: Int64 = 3_600_000_000_000

    private func goal(_ world: WorldClient, token: String? = nil) throws -> (created: String?, date: String?) {
        let response = try world.exchange(.post, "/api/v1/goals", WorldClient.goal, token: token)
        #expect(response.status == 201, "\(response.text)")
        return (response.json?["createdAt"]?.string, response.fields[.date])
    }

    private func token(_ world: WorldClient, expiresIn span: String = "1h") throws -> String {
        try #require(try world.ask(.post, "tokens", "{\"expires_in\":\"\(span)\"}").json?["token"]?.string)
    }

    @Test("A clock step changes dates only in worlds on the real clock")
    func dates() throws {
        let (real, manual) = (try network.plainWorld(), try network.world(#"{"clock":"manual"}"#))
        for (step, hour) in [(8, "18"), (-10, "08"), (1, "09")] as [(Int64, String)] {
            network.engine.clockStepped(by: step * Self.hour, at: network.now)
            let made = try network.world()
            #expect(try real.ask(.post, "reset", "{}").status < 300)
            for world in [real, made] {
                let (created, date) = try goal(world, token: token(world))
                #expect(created == "2025-01-29T\(hour):30:00Z" && date == "Wed, 29 Jan 2025 \(hour):30:00 GMT")
                let times = try [world.ask(.get, "clock").json?["now"]?.string, world.journal().last?["time"]?.string]
                #expect(times == Array(repeating: "2025-01-29T\(hour):30:00.000000000Z", count: 2))
            }
            #expect(try goal(manual).created == "2025-01-29T10:30:00Z")
        }
        #expect(try manual.journal().allSatisfy { $0["kind"]?.string != "clock" })
    }

    @Test("Tokens are issued and expire according to the stepped date")
    func tokens() throws {
        let world = try network.plainWorld()
        let old = try token(world)
        network.engine.clockStepped(by: 8 * Self.hour, at: network.now)
        let new = try token(world)
        #expect(try world.exchange(.get, "/api/v1/goals", token: old).status == 401)
        #expect(try world.exchange(.get, "/api/v1/goals", token: new).status == 200)
        network.engine.clockStepped(by: -8 * Self.hour, at: network.now)
        #expect(try world.exchange(.get, "/api/v1/goals", token: old).status == 200)
        #expect(try world.journal().contains { $0["of_system"]?.bool == true && $0["advanced_by_ns"]?.int ?? 0 < 0 })
    }

    @Test(
        "A clock step does not change the time that streams and meals take",
        arguments: [8, -8, 24 * 365, -24 * 365 * 40])
    func streams(_ hours: Int64) throws {
        func play(steps: Bool) throws -> [[String]] {
            let network = VirtualNetwork { $0.pace = .human }
            let world = try network.plainWorld()
            let socket = try world.socket(on: try world.consultation())
            socket.send(#"{"type":"message","content":"How do I begin?"}"#)
            let meal = try world.exchange(
                .post, "/api/v1/meal-logs/natural", #"{"raw_input":"two eggs","meal_type":"breakfast"}"#)
            #expect(meal.status < 300, "\(meal.text)")
            return (0..<60).map { turn in
                network.advance(by: .milliseconds(100))
                if turn == 8, steps { network.engine.clockStepped(by: hours * Self.hour, at: network.now) }
                return socket.takeTypes()
            }
        }
        let (plain, stepped) = (try play(steps: false), try play(steps: true))
        #expect(plain == stepped)
        #expect(plain.joined().contains("stream_complete") && plain.joined().contains("meal_log.completed"))
    }

    @Test("A clock step does not affect held output, quotas, waits and idle connections")
    func holds() throws {
        let world = try network.world(
            #"{"scenario":{"name":"slow","faults":[{"on":"GET /api/v1/goals","delay":"2s"}]}}"#)
        let client = try network.sending(world.request(.get, "/api/v1/goals"))
        network.advance(by: .milliseconds(500))
        network.engine.clockStepped(by: 8 * Self.hour, at: network.now)
        network.advance(by: .milliseconds(1400))
        #expect(client.wire.received.isEmpty)
        network.advance(by: .milliseconds(200))
        #expect(!client.wire.received.isEmpty)
        let entry = try world.journal().last
        #expect(entry?["kind"] == "exchange")
        #expect(entry?["requested_at"]?.string?.hasPrefix("2025-01-29T18:30:00") == true)
    }

    @Test("A rewind to a mark from before a clock step keeps the current date")
    func marks() throws {
        let world = try network.plainWorld()
        #expect(try world.ask(.post, "marks", #"{"name":"evening"}"#).status < 300)
        network.engine.clockStepped(by: 8 * Self.hour, at: network.now)
        #expect(try world.ask(.post, "rewind", #"{"to":"evening"}"#).status == 200)
        #expect(try goal(world, token: token(world)).created == "2025-01-29T18:30:00Z")
    }
}
