import Replay
import Testing
import Traffic

@Suite("Mapping ids and tokens")
struct FollowingTests {
    static func bearer(_ token: String) -> [SessionField] { [SessionField("Authorization", "Bearer \(token)")] }

    @Test("A replay keeps the server's ids, and no other id matches them")
    func issued() throws {
        var player = try SessionBuilder().exchange("POST", "/api/v1/goals", body: "{}", answer: #"{"id":"\#(IDs.a)"}"#)
            .exchange("GET", "/api/v1/goals/\(IDs.a)", answer: #"{"id":"\#(IDs.a)","title":"run"}"#).player()
        player.expect([
            "POST /api/v1/goals {}": #"{"id":"\#(IDs.a)"}"#, "GET /api/v1/goals/\(IDs.b)": "unexpected: unknown",
            "GET /api/v1/goals/\(IDs.a)": #"{"id":"\#(IDs.a)","title":"run"}"#,
        ])
        #expect(player.report.bindings == 0)
    }

    @Test("A replay also keeps a server's id in a header field")
    func issuedInField() throws {
        var player = try SessionBuilder()
            .exchange("POST", "/notes", answerFields: [SessionField("Location", "/notes/\(IDs.a)")])
            .exchange("GET", "/notes/\(IDs.a)", answer: "note").player()
        player.expect(["GET /notes/\(IDs.b)": "unexpected: unknown", "GET /notes/\(IDs.a)": "note"])
    }

    @Test(
        "A new id is matched against a limited number of requests that differ only in ids",
        arguments: [(ReplayLimits.candidates - 1, "last"), (ReplayLimits.candidates, "unexpected: unknown")])
    func candidates(count: Int, answer: String) throws {
        let issued = (0..<count).map { "eeeeeeee-0000-4000-8000-00000000\(1000 + $0)" }
        let builder = SessionBuilder().exchange("GET", "/ids", answer: issued.joined(separator: " "))
        for id in issued { builder.exchange("PUT", "/notes/\(id)") }
        builder.exchange("PUT", "/notes/\(IDs.a)", answer: "last")
        var player = try builder.player()
        #expect(player.text("PUT", "/notes/\(IDs.b)") == answer)
    }

    @Test("A replay maps a client's own ids in paths, queries, bodies, answers and fields")
    func madeUp() throws {
        let builder = SessionBuilder().exchange(
            "PUT", "/api/v1/notes/\(IDs.a)?trace=\(IDs.b)", body: #"{"id":"\#(IDs.a)","text":"see \#(IDs.b)."}"#,
            answer: #"{"id":"\#(IDs.a)","about":["\#(IDs.b)","\#(IDs.c)"]}"#,
            answerFields: [SessionField("Location", "/api/v1/notes/\(IDs.a)")]
        )
        .exchange("GET", "/api/v1/notes/\(IDs.a)", answer: "note \(IDs.a)")
        .exchange("DELETE", "/api/v1/notes", body: #"{"ids":["\#(IDs.b)"]}"#, answer: IDs.b)
        let (mine, other) = ("11111111-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002")
        var player = try builder.player()
        let answer = player.ask(
            "PUT", "/api/v1/notes/\(mine)?trace=\(other)", body: #"{"text":"see \#(other).","id":"\#(mine)"}"#)
        let response = try AnswerTests.response(answer)
        #expect(
            String(decoding: response.body, as: UTF8.self) == #"{"id":"\#(mine)","about":["\#(other)","\#(IDs.c)"]}"#)
        #expect(response.fields == [SessionField("Location", "/api/v1/notes/\(mine)")])
        // The id is mapped, so the recorded id is taken, and the new id does not map to any other.
        player.expect([
            "GET /api/v1/notes/\(other)": "unexpected: unknown", "GET /api/v1/notes/\(IDs.d)": "unexpected: unknown",
            "GET /api/v1/notes/\(mine)": "note \(mine)", #"DELETE /api/v1/notes {"ids":["\#(other)"]}"#: other,
        ])
        #expect(player.report.bindings == 2)
    }

    @Test("The mapping of ids is one-to-one")
    func oneToOne() throws {
        let builder = SessionBuilder()
            .exchange("POST", "/api/v1/link", body: #"{"from":"\#(IDs.a)","to":"\#(IDs.b)"}"#, answer: "linked")
            .exchange("POST", "/api/v1/twice", body: #"{"from":"\#(IDs.c)","to":"\#(IDs.c)"}"#, answer: "twice")
        let (mine, other) = ("11111111-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002")
        var player = try builder.player()
        let same = #"{"from":"\#(mine)","to":"\#(mine)"}"#
        let different = #"{"from":"\#(mine)","to":"\#(other)"}"#
        player.expect([
            "POST /api/v1/link \(same)": "unexpected: unknown",
            "POST /api/v1/twice \(different)": "unexpected: unknown", "POST /api/v1/link \(different)": "linked",
        ])
    }

    @Test("A recorded id maps only to itself")
    func knownIDs() throws {
        let builder = SessionBuilder().exchange("PUT", "/notes/\(IDs.a)", answer: "note")
            .exchange("PUT", "/tags/\(IDs.b)", answer: "tag")
        for match in [ReplaySettings.Match.strict, .ordered] {
            var player = try builder.player(match)
            #expect(player.text("PUT", "/notes/\(IDs.b)").hasPrefix("unexpected"))
            #expect(player.text("PUT", "/notes/\(IDs.c)") == "note")
            #expect(player.text("PUT", "/tags/\(IDs.c)").hasPrefix("unexpected"))
            #expect(player.text("PUT", "/tags/\(IDs.b)") == "tag")
        }
    }

    @Test("The times of the entries, not their order, determine which side mentioned an id first")
    func firstToSay() throws {
        var player = try SessionBuilder()
            .socket("/ws", frames: [frame(.client, 500, IDs.a), frame(.client, 600, IDs.b)])
            .exchange("GET", "/id", answer: IDs.a).player(.strict)
        let socket = try player.open("/ws")
        player.send(IDs.c, on: socket, at: at(1))
        #expect(player.report.frameMissCount == 1)
        player.send(IDs.a, on: socket, at: at(2))
        player.send(IDs.c, on: socket, at: at(3))
        #expect((player.report.frameMissCount, player.report.framesReceived) == (1, 2))
    }

    @Test("Control characters in a body do not match times")
    func controlCharacters() throws {
        var player = try SessionBuilder().exchange("POST", "/at", body: "2025-01-29T10:30:00Z", answer: "ok")
            .exchange("POST", "/at", body: "\u{08}2025-01-29T10:30:00Z", answer: "after a backspace").player()
        player.expect([
            "POST /at \u{02}": "unexpected: unknown", "POST /at 2026-01-29T10:30:00Z": "ok",
            "POST /at \u{08}2026-01-29T10:30:00Z": "after a backspace",
        ])
    }

    @Test("Requests that differ only in new ids get their recorded answers in turn")
    func inTurn() throws {
        var player = try SessionBuilder().exchange("PUT", "/notes/\(IDs.a)", answer: "first \(IDs.a)")
            .exchange("PUT", "/notes/\(IDs.b)", answer: "second \(IDs.b)")
            .exchange("GET", "/notes/\(IDs.b)", answer: "got \(IDs.b)").player()
        player.expect([
            "PUT /notes/\(IDs.c)": "first \(IDs.c)", "PUT /notes/\(IDs.d)": "second \(IDs.d)",
            "GET /notes/\(IDs.d)": "got \(IDs.d)", "GET /notes/\(IDs.c)": "unexpected: unknown",
        ])
    }

    @Test(
        "The client's real values replace redacted placeholders",
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
        var player = try SessionBuilder().exchange(
            "POST", "/me?token=redacted-token-2",
            fields: fields("redacted-token-1", "redacted-api-key-1", "redacted-cookie-1"),
            body: #"{"email":"user-1@redacted.example"}"#, answer: answer
        ).player()
        let real = [
            "authorization": "token is eyJh.eyJz.c2ln", "x-api-key": "key is k1", "cookie": "session is 9f",
            "query": "token is t2", "member": "you are jane@fitiq.example",
        ]
        let got = player.text(
            "POST", "/me?token=t2", fields: fields("eyJh.eyJz.c2ln", "k1", "9f"),
            body: #"{"email":"jane@fitiq.example"}"#)
        #expect(got == real[place])
    }

    @Test("A replay maps a refreshed token to the client's new token")
    func refreshed() throws {
        let builder = SessionBuilder()
        for _ in 0..<2 {
            builder.exchange("GET", "/me", fields: Self.bearer("redacted-token-1"), answer: "for redacted-token-1")
        }
        var player = try builder.player()
        #expect(player.text("GET", "/me", fields: Self.bearer("one-token")) == "for one-token")
        #expect(player.text("GET", "/me", fields: Self.bearer("another")) == "for another")
    }

    @Test("A bound secret is recognized elsewhere in a path")
    func boundWords() throws {
        var player = try SessionBuilder()
            .exchange("GET", "/me", fields: Self.bearer("redacted-token-1"), answer: "hello")
            .exchange("GET", "/sessions/redacted-token-1", answer: "session redacted-token-1")
            .exchange("GET", "/sessions/all", answer: "all")
            .exchange("GET", "/sessions/redacted-token-1/goal_\(IDs.a)", answer: "goal of redacted-token-1")
            .exchange("POST", "/check", body: "is redacted-token-1 mine?", answer: "redacted-token-1 is").player()
        #expect(player.text("GET", "/sessions/abc") == "unexpected: unknown")
        #expect(player.text("GET", "/me", fields: Self.bearer("abc")) == "hello")
        player.expect(["GET /sessions/abc": "session abc", "GET /sessions/all": "all"])
        // The letters right before an id are a separate word.
        player.expect(["GET /sessions/abc/goal_\(IDs.b)": "goal of abc", "POST /check is abc mine?": "abc is"])
    }

    @Test("A replay does not map values that could break an answer")
    func unsafe() throws {
        var player = try SessionBuilder()
            .exchange("GET", "/me", fields: Self.bearer("redacted-token-1"), answer: #"{"token":"redacted-token-1"}"#)
            .player()
        #expect(player.text("GET", "/me", fields: Self.bearer(#"a","admin":"yes"#)) == #"{"token":"redacted-token-1"}"#)
        #expect((player.report.bindings, player.report.bindingsRefused) == (0, 1))
    }

    @Test("Any time matches the recorded time and replaces it in the answer")
    func times() throws {
        var player = try SessionBuilder().exchange(
            "POST", "/meals", body: #"{"eaten_at":"2025-01-29T10:30:00Z","timestamp":1738146600123,"kcal":1738146600}"#,
            answer: #"{"eaten_at":"2025-01-29T10:30:00Z","created_at":"2025-01-29T10:30:01Z"}"#
        )
        .exchange("GET", "/meals?since=2025-01-29T10:30:00Z", answer: "one")
        .exchange("GET", "/meals?since=2025-01-29T11:30:00Z", answer: "two").player()
        let other = #"{"eaten_at":"2026-11-21T08:00:00+01:00","timestamp":1795000000000,"kcal":"#
        #expect(player.text("POST", "/meals", body: other + "5}") == "unexpected: unknown")
        #expect(
            player.text("POST", "/meals", body: other + "1738146600}")
                == #"{"eaten_at":"2026-11-21T08:00:00+01:00","created_at":"2025-01-29T10:30:01Z"}"#)
        player.expect([
            "GET /meals?since=2026-11-21T08:00:00Z": "one", "GET /meals?since=2026-11-21T09:00:00Z": "two",
            "GET /meals?since=2026-11-21T10:00:00Z": "two",
        ])
    }

    @Test("A replay maps the client's days to the recorded days")
    func days() throws {
        var player = try SessionBuilder().exchange("GET", "/days?date=2025-01-28", answer: "tuesday 2025-01-28")
            .exchange("GET", "/days?date=2025-01-29", answer: "wednesday 2025-01-29").player()
        // A day later, the client's first day is the recording's second day.
        player.expect([
            "GET /days?date=2025-02-03": "tuesday 2025-02-03", "GET /days?date=2025-02-04": "wednesday 2025-02-04",
            "GET /days?date=2025-02-03": "tuesday 2025-02-03",
        ])
    }

    @Test("With matching by route, a recorded id gets its own answer, and other ids get the remaining answers")
    func route() throws {
        var player = try SessionBuilder().exchange("GET", "/api/v1/goals/\(IDs.a)", answer: "goal \(IDs.a)")
            .exchange("GET", "/api/v1/goals/\(IDs.b)", answer: "goal \(IDs.b)").player(.route)
        player.expect([
            "GET /api/v1/goals/\(IDs.b)": "goal \(IDs.b)", "GET /api/v1/goals/my-goal": "goal my-goal",
            "GET /api/v1/goals/\(IDs.b)": "goal \(IDs.b)", "GET /api/v1/goals/my-goal": "goal my-goal",
        ])
    }

    @Test("With matching by route, an id recorded for another resource also gets the remaining answers")
    func routeElsewhere() throws {
        var player = try SessionBuilder().exchange("GET", "/api/v1/goals/\(IDs.a)", answer: "one")
            .exchange("GET", "/api/v1/goals/\(IDs.b)", answer: "two")
            .exchange("GET", "/api/v1/meal-logs/\(IDs.c)", answer: "meal").player(.route)
        for answer in ["one", "two", "two"] { #expect(player.text("GET", "/api/v1/goals/\(IDs.c)") == answer) }
    }

    @Test("With matching by route, a name in place of an id is also mapped")
    func routeNames() throws {
        var player = try SessionBuilder().exchange("GET", "/api/v1/goals/run", answer: "one")
            .exchange("GET", "/api/v1/goals/walk", answer: "two").player(.route)
        for (goal, answer) in [("swim", "one"), ("swim", "one"), ("dive", "two")] {
            #expect(player.text("GET", "/api/v1/goals/\(goal)") == answer)
        }
    }

    @Test("With matching by route, an id recorded for another resource does not replace a mapped id")
    func routeKept() throws {
        var player = try SessionBuilder().exchange("GET", "/api/v1/goals/\(IDs.a)", answer: "goal \(IDs.a)")
            .exchange("GET", "/api/v1/meal-logs/\(IDs.c)", answer: "meal").player(.route)
        player.expect(["GET /api/v1/goals/my-goal": "goal my-goal", "GET /api/v1/goals/\(IDs.c)": "goal my-goal"])
    }

    @Test("With matching by route, a repeated answer contains the requested id and the client's secrets")
    func routeAnew() throws {
        let builder = SessionBuilder().exchange(
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
        player.expect([
            "PUT /notes/\(mine[0])": "note \(mine[0]) of t-two, tag \(mine[1])",
            "PUT /notes/\(IDs.a)": "note \(IDs.a) of t-two, tag \(mine[1])",
        ])
    }

    @Test("With strict matching, only concurrent requests may swap places")
    func swaps() throws {
        let builder = SessionBuilder().exchange("GET", "/a", answer: "a", start: 0, lasted: 50)
            .exchange("GET", "/b", answer: "b", start: 10, lasted: 10)
            .exchange("GET", "/c", answer: "c", start: 30, lasted: 5)
            .exchange("GET", "/d", answer: "d", start: 60, lasted: 5)
        // c began after b had ended, while a was still in progress.
        var player = try builder.player(.strict)
        player.expect([
            "GET /c": "unexpected: notItsTurn", "GET /b": "b", "GET /d": "unexpected: notItsTurn", "GET /c": "c",
            "GET /a": "a", "GET /d": "d",
        ])
        #expect((player.report.isComplete, player.report.unexpectedCount) == (false, 2))
        #expect(player.report.neverAskedCount == 0)
    }

    @Test("With strict matching, a request recorded at another request's end may not precede that request")
    func follows() throws {
        var player = try SessionBuilder().exchange("GET", "/a", answer: "a", start: 0, lasted: 50)
            .exchange("GET", "/b", answer: "b", start: 50).player(.strict)
        player.expect(["GET /b": "unexpected: notItsTurn", "GET /a": "a", "GET /b": "b"])
    }

    @Test("A replay maps a server's time once the client sends a new time in its place")
    func timesOfServer() throws {
        var player = try SessionBuilder().exchange("GET", "/last", answer: "2025-01-29T10:30:00Z")
            .exchange("GET", "/meals?since=2025-01-29T10:30:00Z", answer: "since 2025-01-29T10:30:00Z").player()
        player.expect([
            "GET /last": "2025-01-29T10:30:00Z", "GET /meals?since=2026-11-21T08:00:00Z": "since 2026-11-21T08:00:00Z",
        ])
    }

    @Test("The later of two new values for one time wins, even if the members' names are ids")
    func lastTime() throws {
        var player = try SessionBuilder().exchange(
            "POST", "/at", body: #"{"\#(IDs.a)":"2025-01-29T10:30:00Z","\#(IDs.b)":"2025-01-29T10:30:00Z"}"#,
            answer: "2025-01-29T10:30:00Z"
        ).player()
        let other = #"{"\#(IDs.c)":"2026-11-21T08:00:00Z","\#(IDs.d)":"2026-11-22T08:00:00Z"}"#
        #expect(player.text("POST", "/at", body: other) == "2026-11-22T08:00:00Z")
    }
}
