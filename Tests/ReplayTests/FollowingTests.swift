import Replay
import Testing
import Traffic

@Suite("Following ids and tokens")
struct FollowingTests {
    static func bearer(_ token: String) -> [SessionField] { [SessionField("Authorization", "Bearer \(token)")] }

    @Test("An id that the server issued stays what it was, and no other is taken for it")
    func issued() throws {
        var builder = SessionBuilder()
        builder.exchange("POST", "/api/v1/goals", body: "{}", answer: #"{"id":"\#(IDs.a)"}"#)
        builder.exchange("GET", "/api/v1/goals/\(IDs.a)", answer: #"{"id":"\#(IDs.a)","title":"run"}"#)
        var player = try builder.player()
        #expect(player.text("POST", "/api/v1/goals", body: "{}") == #"{"id":"\#(IDs.a)"}"#)
        #expect(player.text("GET", "/api/v1/goals/\(IDs.b)") == "unexpected: unknown")
        #expect(player.text("GET", "/api/v1/goals/\(IDs.a)") == #"{"id":"\#(IDs.a)","title":"run"}"#)
        #expect(player.report.bindings == 0)
    }

    @Test("An id that the server issued in a field stays what it was, too")
    func issuedInField() throws {
        var builder = SessionBuilder()
        builder.exchange("POST", "/notes", answerFields: [SessionField("Location", "/notes/\(IDs.a)")])
        builder.exchange("GET", "/notes/\(IDs.a)", answer: "note")
        var player = try builder.player()
        #expect(player.text("GET", "/notes/\(IDs.b)") == "unexpected: unknown")
        #expect(player.text("GET", "/notes/\(IDs.a)") == "note")
    }

    @Test(
        "Of requests that differ only in their ids so many are looked at for a new one",
        arguments: [(ReplayLimits.candidates - 1, "last"), (ReplayLimits.candidates, "unexpected: unknown")])
    func candidates(count: Int, answer: String) throws {
        let issued = (0..<count).map { "eeeeeeee-0000-4000-8000-00000000\(1000 + $0)" }
        var builder = SessionBuilder()
        builder.exchange("GET", "/ids", answer: issued.joined(separator: " "))
        for id in issued { builder.exchange("PUT", "/notes/\(id)") }
        builder.exchange("PUT", "/notes/\(IDs.a)", answer: "last")
        var player = try builder.player()
        #expect(player.text("PUT", "/notes/\(IDs.b)") == answer)
    }

    @Test("An id that the client made up is another one in each run, in paths, queries, bodies, answers and fields")
    func madeUp() throws {
        var builder = SessionBuilder()
        builder.exchange(
            "PUT", "/api/v1/notes/\(IDs.a)?trace=\(IDs.b)", body: #"{"id":"\#(IDs.a)","text":"see \#(IDs.b)."}"#,
            answer: #"{"id":"\#(IDs.a)","about":["\#(IDs.b)","\#(IDs.c)"]}"#,
            answerFields: [SessionField("Location", "/api/v1/notes/\(IDs.a)")])
        builder.exchange("GET", "/api/v1/notes/\(IDs.a)", answer: "note \(IDs.a)")
        builder.exchange("DELETE", "/api/v1/notes", body: #"{"ids":["\#(IDs.b)"]}"#, answer: IDs.b)
        let (mine, other) = ("11111111-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002")
        var player = try builder.player()
        let answer = player.ask(
            "PUT", "/api/v1/notes/\(mine)?trace=\(other)", body: #"{"text":"see \#(other).","id":"\#(mine)"}"#)
        guard case .response(let response) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(
            String(decoding: response.body, as: UTF8.self) == #"{"id":"\#(mine)","about":["\#(other)","\#(IDs.c)"]}"#)
        #expect(response.fields == [SessionField("Location", "/api/v1/notes/\(mine)")])
        // Bound: the recorded one's place is taken, and the new one means nothing else.
        #expect(player.text("GET", "/api/v1/notes/\(other)") == "unexpected: unknown")
        #expect(player.text("GET", "/api/v1/notes/\(IDs.d)") == "unexpected: unknown")
        #expect(player.text("GET", "/api/v1/notes/\(mine)") == "note \(mine)")
        #expect(player.text("DELETE", "/api/v1/notes", body: #"{"ids":["\#(other)"]}"#) == other)
        #expect(player.report.bindings == 2)
    }

    @Test("Two ids that differed cannot become one, nor one two")
    func oneToOne() throws {
        var builder = SessionBuilder()
        builder.exchange("POST", "/api/v1/link", body: #"{"from":"\#(IDs.a)","to":"\#(IDs.b)"}"#, answer: "linked")
        builder.exchange("POST", "/api/v1/twice", body: #"{"from":"\#(IDs.c)","to":"\#(IDs.c)"}"#, answer: "twice")
        let (mine, other) = ("11111111-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002")
        var player = try builder.player()
        let same = #"{"from":"\#(mine)","to":"\#(mine)"}"#
        let different = #"{"from":"\#(mine)","to":"\#(other)"}"#
        #expect(player.text("POST", "/api/v1/link", body: same) == "unexpected: unknown")
        #expect(player.text("POST", "/api/v1/twice", body: different) == "unexpected: unknown")
        #expect(player.text("POST", "/api/v1/link", body: different) == "linked")
    }

    @Test("An id that the recording knows is itself, and stands for no other")
    func knownIDs() throws {
        var builder = SessionBuilder()
        builder.exchange("PUT", "/notes/\(IDs.a)", answer: "note")
        builder.exchange("PUT", "/tags/\(IDs.b)", answer: "tag")
        for match in [ReplaySettings.Match.strict, .ordered] {
            var player = try builder.player(match)
            #expect(player.text("PUT", "/notes/\(IDs.b)").hasPrefix("unexpected"))
            #expect(player.text("PUT", "/notes/\(IDs.c)") == "note")
            #expect(player.text("PUT", "/tags/\(IDs.c)").hasPrefix("unexpected"))
            #expect(player.text("PUT", "/tags/\(IDs.b)") == "tag")
        }
    }

    @Test("Who was first to say an id is told by the times, not by the order of the entries")
    func firstToSay() throws {
        var builder = SessionBuilder()
        builder.socket("/ws", frames: [frame(.client, 500, IDs.a), frame(.client, 600, IDs.b)])
        builder.exchange("GET", "/id", answer: IDs.a)
        var player = try builder.player(.strict)
        let socket = try player.open("/ws")
        player.send(IDs.c, on: socket, at: at(1))
        #expect(player.report.frameMissCount == 1)
        player.send(IDs.a, on: socket, at: at(2))
        player.send(IDs.c, on: socket, at: at(3))
        #expect(player.report.frameMissCount == 1)
        #expect(player.report.framesReceived == 2)
    }

    @Test("Control characters in a body are no times")
    func controlCharacters() throws {
        var builder = SessionBuilder()
        builder.exchange("POST", "/at", body: "2025-01-29T10:30:00Z", answer: "ok")
        builder.exchange("POST", "/at", body: "\u{08}2025-01-29T10:30:00Z", answer: "after a backspace")
        var player = try builder.player()
        #expect(player.text("POST", "/at", body: "\u{02}") == "unexpected: unknown")
        #expect(player.text("POST", "/at", body: "2026-01-29T10:30:00Z") == "ok")
        #expect(player.text("POST", "/at", body: "\u{08}2026-01-29T10:30:00Z") == "after a backspace")
    }

    @Test("Requests that are alike save for their new ids get their answers in turn, each its own id")
    func inTurn() throws {
        var builder = SessionBuilder()
        builder.exchange("PUT", "/notes/\(IDs.a)", answer: "first \(IDs.a)")
        builder.exchange("PUT", "/notes/\(IDs.b)", answer: "second \(IDs.b)")
        builder.exchange("GET", "/notes/\(IDs.b)", answer: "got \(IDs.b)")
        var player = try builder.player()
        #expect(player.text("PUT", "/notes/\(IDs.c)") == "first \(IDs.c)")
        #expect(player.text("PUT", "/notes/\(IDs.d)") == "second \(IDs.d)")
        #expect(player.text("GET", "/notes/\(IDs.d)") == "got \(IDs.d)")
        #expect(player.text("GET", "/notes/\(IDs.c)") == "unexpected: unknown")
    }

    @Test(
        "Placeholders become what the client really sent",
        arguments: [
            ("authorization", "token is redacted-token-1"), ("x-api-key", "key is redacted-api-key-1"),
            ("cookie", "session is redacted-cookie-1"), ("query", "token is redacted-token-2"),
            ("member", "you are user-1@redacted.example"),
        ])
    func placeholders(place: String, answer: String) throws {
        func fields(_ token: String, _ key: String, _ cookie: String) -> [SessionField] {
            Self.bearer(token) + [
                SessionField("x-api-key", key), SessionField("Cookie", "theme=dark; session=\(cookie)"),
            ]
        }
        var builder = SessionBuilder()
        builder.exchange(
            "POST", "/me?token=redacted-token-2",
            fields: fields("redacted-token-1", "redacted-api-key-1", "redacted-cookie-1"),
            body: #"{"email":"user-1@redacted.example"}"#, answer: answer)
        var player = try builder.player()
        let real = [
            "authorization": "token is eyJh.eyJz.c2ln", "x-api-key": "key is k1", "cookie": "session is 9f",
            "query": "token is t2", "member": "you are jane@fitiq.example",
        ]
        let got = player.text(
            "POST", "/me?token=t2", fields: fields("eyJh.eyJz.c2ln", "k1", "9f"),
            body: #"{"email":"jane@fitiq.example"}"#)
        #expect(got == real[place])
    }

    @Test("A token that was refreshed is followed to the new one")
    func refreshed() throws {
        var builder = SessionBuilder()
        for _ in 0..<2 {
            builder.exchange("GET", "/me", fields: Self.bearer("redacted-token-1"), answer: "for redacted-token-1")
        }
        var player = try builder.player()
        #expect(player.text("GET", "/me", fields: Self.bearer("one-token")) == "for one-token")
        #expect(player.text("GET", "/me", fields: Self.bearer("another")) == "for another")
    }

    @Test("A secret elsewhere in a path is recognised by the word that it is bound to")
    func boundWords() throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/me", fields: Self.bearer("redacted-token-1"), answer: "hello")
        builder.exchange("GET", "/sessions/redacted-token-1", answer: "session redacted-token-1")
        builder.exchange("GET", "/sessions/all", answer: "all")
        builder.exchange("GET", "/sessions/redacted-token-1/goal_\(IDs.a)", answer: "goal of redacted-token-1")
        builder.exchange("POST", "/check", body: "is redacted-token-1 mine?", answer: "redacted-token-1 is")
        var player = try builder.player()
        #expect(player.text("GET", "/sessions/abc") == "unexpected: unknown")
        #expect(player.text("GET", "/me", fields: Self.bearer("abc")) == "hello")
        #expect(player.text("GET", "/sessions/abc") == "session abc")
        #expect(player.text("GET", "/sessions/all") == "all")
        // The letters right before an id are a word of their own.
        #expect(player.text("GET", "/sessions/abc/goal_\(IDs.b)") == "goal of abc")
        #expect(player.text("POST", "/check", body: "is abc mine?") == "abc is")
    }

    @Test("What could break an answer is not followed, and counted")
    func unsafe() throws {
        var builder = SessionBuilder()
        builder.exchange(
            "GET", "/me", fields: Self.bearer("redacted-token-1"), answer: #"{"token":"redacted-token-1"}"#)
        var player = try builder.player()
        #expect(player.text("GET", "/me", fields: Self.bearer(#"a","admin":"yes"#)) == #"{"token":"redacted-token-1"}"#)
        #expect(player.report.bindings == 0)
        #expect(player.report.bindingsRefused == 1)
    }

    @Test("Any time is as good as the recorded one, and comes back where that one did")
    func times() throws {
        var builder = SessionBuilder()
        builder.exchange(
            "POST", "/meals", body: #"{"eaten_at":"2025-01-29T10:30:00Z","timestamp":1738146600123,"kcal":1738146600}"#,
            answer: #"{"eaten_at":"2025-01-29T10:30:00Z","created_at":"2025-01-29T10:30:01Z"}"#)
        builder.exchange("GET", "/meals?since=2025-01-29T10:30:00Z", answer: "one")
        builder.exchange("GET", "/meals?since=2025-01-29T11:30:00Z", answer: "two")
        var player = try builder.player()
        let other = #"{"eaten_at":"2026-11-21T08:00:00+01:00","timestamp":1795000000000,"kcal":"#
        #expect(player.text("POST", "/meals", body: other + "5}") == "unexpected: unknown")
        #expect(
            player.text("POST", "/meals", body: other + "1738146600}")
                == #"{"eaten_at":"2026-11-21T08:00:00+01:00","created_at":"2025-01-29T10:30:01Z"}"#)
        #expect(player.text("GET", "/meals?since=2026-11-21T08:00:00Z") == "one")
        #expect(player.text("GET", "/meals?since=2026-11-21T09:00:00Z") == "two")
        #expect(player.text("GET", "/meals?since=2026-11-21T10:00:00Z") == "two")
    }

    @Test("Days are followed: the client's today stands for the recording's")
    func days() throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/days?date=2025-01-28", answer: "tuesday 2025-01-28")
        builder.exchange("GET", "/days?date=2025-01-29", answer: "wednesday 2025-01-29")
        var player = try builder.player()
        // A day later the client's first day is the recording's second.
        #expect(player.text("GET", "/days?date=2025-02-03") == "tuesday 2025-02-03")
        #expect(player.text("GET", "/days?date=2025-02-04") == "wednesday 2025-02-04")
        #expect(player.text("GET", "/days?date=2025-02-03") == "tuesday 2025-02-03")
    }

    @Test("By route, ids that were given stay themselves, and others take what is left")
    func route() throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/api/v1/goals/\(IDs.a)", answer: "goal \(IDs.a)")
        builder.exchange("GET", "/api/v1/goals/\(IDs.b)", answer: "goal \(IDs.b)")
        var player = try builder.player(.route)
        #expect(player.text("GET", "/api/v1/goals/\(IDs.b)") == "goal \(IDs.b)")
        #expect(player.text("GET", "/api/v1/goals/my-goal") == "goal my-goal")
        #expect(player.text("GET", "/api/v1/goals/\(IDs.b)") == "goal \(IDs.b)")
        #expect(player.text("GET", "/api/v1/goals/my-goal") == "goal my-goal")
    }

    @Test("By route, an id that was recorded elsewhere takes what is left, too")
    func routeElsewhere() throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/api/v1/goals/\(IDs.a)", answer: "one")
        builder.exchange("GET", "/api/v1/goals/\(IDs.b)", answer: "two")
        builder.exchange("GET", "/api/v1/meal-logs/\(IDs.c)", answer: "meal")
        var player = try builder.player(.route)
        for answer in ["one", "two", "two"] { #expect(player.text("GET", "/api/v1/goals/\(IDs.c)") == answer) }
    }

    @Test("By route, a name in place of an id is followed too")
    func routeNames() throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/api/v1/goals/run", answer: "one")
        builder.exchange("GET", "/api/v1/goals/walk", answer: "two")
        var player = try builder.player(.route)
        for (goal, answer) in [("swim", "one"), ("swim", "one"), ("dive", "two")] {
            #expect(player.text("GET", "/api/v1/goals/\(goal)") == answer)
        }
    }

    @Test("By route, an id that was recorded elsewhere replaces none that is followed")
    func routeKept() throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/api/v1/goals/\(IDs.a)", answer: "goal \(IDs.a)")
        builder.exchange("GET", "/api/v1/meal-logs/\(IDs.c)", answer: "meal")
        var player = try builder.player(.route)
        #expect(player.text("GET", "/api/v1/goals/my-goal") == "goal my-goal")
        #expect(player.text("GET", "/api/v1/goals/\(IDs.c)") == "goal my-goal")
    }

    @Test("By route, an answer that repeats is about the id that was asked for, and has the client's secrets")
    func routeAnew() throws {
        var builder = SessionBuilder()
        builder.exchange(
            "PUT", "/notes/\(IDs.a)?token=redacted-token-1", body: #"{"tag":"\#(IDs.b)"}"#,
            answer: "note \(IDs.a) of redacted-token-1, tag \(IDs.b)")
        let mine = (1...4).map { "1111111\($0)-0000-4000-8000-000000000001" }
        var player = try builder.player(.route)
        #expect(
            player.text("PUT", "/notes/\(mine[0])?token=t-one", body: #"{"tag":"\#(mine[1])"}"#)
                == "note \(mine[0]) of t-one, tag \(mine[1])")
        #expect(
            player.text("PUT", "/notes/\(mine[2])?x=1&token=t-two", body: "whatever")
                == "note \(mine[2]) of t-two, tag \(mine[1])")
        #expect(player.text("PUT", "/notes/\(mine[0])") == "note \(mine[0]) of t-two, tag \(mine[1])")
        #expect(player.text("PUT", "/notes/\(IDs.a)") == "note \(IDs.a) of t-two, tag \(mine[1])")
    }

    @Test("When strict, what was under way at once may swap, and nothing else")
    func swaps() throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/a", answer: "a", start: 0, lasted: 50)
        builder.exchange("GET", "/b", answer: "b", start: 10, lasted: 10)
        builder.exchange("GET", "/c", answer: "c", start: 30, lasted: 5)
        builder.exchange("GET", "/d", answer: "d", start: 60, lasted: 5)
        // c began when b had ended, though a was still under way.
        var player = try builder.player(.strict)
        #expect(player.text("GET", "/c") == "unexpected: notItsTurn")
        #expect(player.text("GET", "/b") == "b")
        #expect(player.text("GET", "/d") == "unexpected: notItsTurn")
        #expect(player.text("GET", "/c") == "c")
        #expect(player.text("GET", "/a") == "a")
        #expect(player.text("GET", "/d") == "d")
        #expect(!player.report.isComplete)
        #expect(player.report.unexpectedCount == 2)
        #expect(player.report.neverAskedCount == 0)
    }

    @Test("When strict, a request that began as another was answered is not before that one")
    func follows() throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/a", answer: "a", start: 0, lasted: 50)
        builder.exchange("GET", "/b", answer: "b", start: 50)
        var player = try builder.player(.strict)
        #expect(player.text("GET", "/b") == "unexpected: notItsTurn")
        #expect(player.text("GET", "/a") == "a")
        #expect(player.text("GET", "/b") == "b")
    }

    @Test("A time that the server said first is another one once the client sends it")
    func timesOfServer() throws {
        var builder = SessionBuilder()
        builder.exchange("GET", "/last", answer: "2025-01-29T10:30:00Z")
        builder.exchange("GET", "/meals?since=2025-01-29T10:30:00Z", answer: "since 2025-01-29T10:30:00Z")
        var player = try builder.player()
        #expect(player.text("GET", "/last") == "2025-01-29T10:30:00Z")
        #expect(player.text("GET", "/meals?since=2026-11-21T08:00:00Z") == "since 2026-11-21T08:00:00Z")
    }

    @Test("Of two times in place of one the last counts, also where their names are ids")
    func lastTime() throws {
        var builder = SessionBuilder()
        builder.exchange(
            "POST", "/at", body: #"{"\#(IDs.a)":"2025-01-29T10:30:00Z","\#(IDs.b)":"2025-01-29T10:30:00Z"}"#,
            answer: "2025-01-29T10:30:00Z")
        var player = try builder.player()
        let other = #"{"\#(IDs.c)":"2026-11-21T08:00:00Z","\#(IDs.d)":"2026-11-22T08:00:00Z"}"#
        #expect(player.text("POST", "/at", body: other) == "2026-11-22T08:00:00Z")
    }
}
