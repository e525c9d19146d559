import Replay
import Testing
import Traffic

@Suite("Requests that the server answers itself")
struct OwnRequestTests {
    @Test(
        "They are left out, which is noted, so that strict can be clean",
        arguments: [
            ("GET", "/health"), ("HEAD", "/ready?x=1"), ("GET", "/docs"), ("GET", "/docs/deviations"),
            ("GET", "/openapi.yaml"),
            ("GET", "/asyncapi.yaml"), ("GET", "/favicon.ico"), ("POST", "/__admin/reset"), ("GET", "/w/w1/%68ealth"),
            ("CONNECT", "https://api.fitiq.example:443"),
        ])
    func leftOut(_ method: String, _ target: String) throws {
        var builder = SessionBuilder()
        builder.exchange(method, target)
        builder.exchange("GET", "/api/v1/goals", answer: "[]")
        builder.exchange(method, target)
        let plan = try builder.plan()
        #expect(plan.session.entries.count == 1)
        #expect(plan.notes.count == 1 && plan.notes[0].hasPrefix("The server itself answers 2 requests"))
        var player = Player(plan, settings: ReplaySettings(match: .strict), origin: ourOrigin)
        #expect(player.text("GET", "/api/v1/goals") == "[]")
        #expect(player.report.isComplete && player.report.recorded == 1)
        // Numbers are those of the recording.
        guard case .unexpected(let miss) = player.ask("GET", "/api/v1/goal") else {
            Issue.record("What was never recorded has an answer.")
            return
        }
        #expect(miss.nearest?.entry == 2)
    }

    @Test(
        "Paths that only look like them are played",
        arguments: ["/health/", "/v1/health", "/favicon.png", "/", "/Docs"])
    func played(_ path: String) throws {
        var builder = SessionBuilder()
        builder.exchange("GET", path, answer: "recorded")
        var player = try builder.player(.strict)
        #expect(player.text("GET", path) == "recorded")
        #expect(player.plan.notes.isEmpty)
    }

    @Test("A session of nothing else is refused")
    func nothingElse() {
        var builder = SessionBuilder()
        builder.exchange("GET", "/health")
        builder.exchange("GET", "/favicon.ico")
        #expect(throws: ReplayError.nothingToPlay(2)) { try builder.plan() }
    }
}
