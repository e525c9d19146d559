import Replay
import Testing
import Traffic

/// What stands around the API's paths: prefixes, worlds, ports.
@Suite("Where a session was recorded")
struct PlaceTests {
    @Test("A prefix may be there or not", arguments: ["/api/v1/goals?x=1", "/prod/api/v1/goals?x=1"])
    func prefix(target: String) throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/prod/api/v1/goals?x=1", answer: "goals")
        var player = Player(try ReplayPlan(builder.session, prefix: PathPrefix("/prod")), origin: ourOrigin)
        #expect(player.text("GET", target) == "goals")
        #expect(player.text("GET", "/dev/api/v1/goals?x=1") == "unexpected: unknown")
    }

    @Test("The worlds of recorded paths are known and noted")
    func worlds() throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/w/abc/api/v1/goals", answer: "goals")
        let one = try builder.plan()
        #expect(one.worlds == ["abc"])
        #expect(
            one.notes == [
                "The session has requests below /w/abc, as a server with worlds has them; they are replayed with and "
                    + "without this beginning."
            ])
        builder.exchange("GET", "/w/load.php?x=1", answer: "script")
        for name in ["d", "e"] { builder.exchange("GET", "/w/\(name)/items", answer: name) }
        let plan = try builder.plan()
        #expect(plan.worlds == ["abc", "load.php", "d", "e"])
        #expect(
            plan.notes == [
                "The session has requests below /w/abc, /w/d, /w/e, …, as a server with worlds has them; they are "
                    + "replayed with and without this beginning, and all as if they were one."
            ])
        var player = Player(plan, origin: ourOrigin)
        #expect(player.text("GET", "/w/abc/api/v1/goals") == "goals" && player.text("GET", "/api/v1/goals") == "goals")
        #expect(player.text("GET", "/w/load.php?x=1") == "script")
        #expect(player.text("GET", "/w/d/items") == "d" && player.text("GET", "/w/e/items") == "e")
    }

    @Test("A scheme's own port is no difference")
    func ports() throws {
        var builder = SessionBuilder()
        builder.exchange(
            "GET", "http://a.test/x?u=http://a.test:80/y",
            answer: "http://a.test:80/z https://a.test:443/ ws://a.test:8080/")
        builder.exchange("GET", "http://a.test:80/y", answer: "y")
        let plan = try builder.plan()
        #expect(plan.notes == [])
        var player = Player(plan, origin: ourOrigin)
        let text = player.text("GET", "/x?u=\(ourOrigin)/y")
        #expect(text.hasPrefix("\(ourOrigin)/z ") && text.hasSuffix(" ws://a.test:8080/"))
    }
}
