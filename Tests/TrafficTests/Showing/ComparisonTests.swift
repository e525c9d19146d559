import FitIQAPI
import TestSupport
import Testing
import Traffic
import WebSocket

@testable import Traffic

@Suite("Comparing two sessions")
struct ComparisonTests {
    private static let id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    private static let otherID = "910a2dec-8902-4cc1-beeb-8da1658eec67"
    private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.NkOvuTQLMW2swI71"

    private func differences(_ first: [SessionExchange], _ second: [SessionExchange]) -> [SessionDifference] {
        SessionComparison(Session(entries: first), Session(entries: second)).differences
    }

    private func changes(_ first: SessionExchange, _ second: SessionExchange) -> [String] {
        guard case .changed(_, _, _, let changes)? = differences([first], [second]).first else { return [] }
        return changes.map { "\($0.path): \($0.first ?? "-") → \($0.second ?? "-")" }
    }

    private func get(_ target: String, at time: Int64 = 0, answer: String = "{}") -> SessionExchange {
        Samples.exchange("GET", target, at: time, answer: answer)
    }

    @Test("Numbers may differ only if their names and sizes show that they are times")
    func numericTimes() {
        let found = changes(
            get("/a", answer: #"{"createdAt":1738146600,"n":1738146600,"updated_at":5}"#),
            get("/a", answer: #"{"createdAt":1738146601,"n":1738146601,"updated_at":6}"#))
        #expect(found.map { String($0.prefix(14)) } == ["response.body.", "response.body."])
        #expect(!found.contains { $0.contains("createdAt") })
    }

    @Test("Numbers of six digits, days and addresses may differ as they may in a replay")
    func volatileValues() {
        #expect(changes(get("/a/123456"), get("/a/654321")).isEmpty)
        let text = #"{"a":"order 123456 of jane@a.example on 2025-01-29"}"#
        let other = #"{"a":"order 987654 of joe@b.example on 2025-02-28"}"#
        #expect(changes(get("/a", answer: text), get("/a", answer: other)).isEmpty)
        #expect(
            changes(
                get("/a", answer: #"{"a":"2025-13-29T10:30:00Z"}"#), get("/a", answer: #"{"a":"2025-14-29T10:30:00Z"}"#)
            ).count == 1)
    }

    @Test("A session equals a copy with a different time, origin, ids and tokens")
    func equal() {
        let all = Samples.all
        #expect(SessionComparison(all, all).isEqual)
        func session(_ id: String, _ time: String, _ origin: String, _ token: String) -> [SessionExchange] {
            var exchange = Samples.exchange(
                "POST", "/api/v1/goals/\(id)?token=\(token)&a=1", at: time.hasPrefix("2025") ? 0 : 99,
                body: #"{"id":"\#(id)","token":"\#(token)"}"#,
                answer: #"{"at":"\#(time)","url":"\#(origin)/api/v1/x/\#(id)/ws","text":"see \#(id), \#(time)","n":1}"#)
            exchange.request.url = exchange.request.url.replacing(Samples.origin, with: origin)
            exchange.request.fields = [SessionField("Authorization", "Bearer " + token), SessionField("Date", time)]
            exchange.lasted = Int64(time.utf8.count)
            return [exchange]
        }
        let first = session(Self.id, "2025-01-29T10:30:00Z", "https://api.example.com", Self.jwt)
        let second = session(Self.otherID, "2031-12-01T00:00:00.123+02:00", "http://127.0.0.1:8080", "redacted-token-1")
        #expect(differences(first, second) == [])
    }

    @Test(
        "A comparison compares JSON by value",
        arguments: [
            (#"{"a":1,"b":[1,2]}"#, #"{ "b": [1.0, 2], "a": 1e0 }"#, []),
            (#"{"a":1}"#, #"{"a":2}"#, ["response.body.a: 1 → 2"]),
            (
                #"{"a":{"b c":[1,{"d":"x"}]}}"#, #"{"a":{"b c":[1,{"d":"y"}]}}"#,
                [#"response.body.a["b c"][1].d: "x" → "y""#]
            ),
            (#"{"a":1}"#, #"{}"#, ["response.body.a: 1 → -"]), (#"{}"#, #"{"a":null}"#, ["response.body.a: - → null"]),
            (#"{"a":[1]}"#, #"{"a":[1,2,3]}"#, ["response.body.a: 1 element → 3 elements"]),
            (#"{"a":1}"#, #"{"a":"1"}"#, [#"response.body.a: 1 → "1""#]),
            (#"{"a":1e400}"#, #"{"a":2e400}"#, ["response.body.a: 1e400 → 2e400"]),
            (#"{"token":"a","api_key":"b","accessToken":"c"}"#, #"{"token":"x","api_key":"y","accessToken":"z"}"#, []),
            (#"{"token":{"a":["b"]},"c":"d"}"#, #"{"token":{"a":["x"]},"c":"e"}"#, [#"response.body.c: "d" → "e""#]),
            (#"{"name":"user-1"}"#, #"{"name":"redacted"}"#, [#"response.body.name: "user-1" → "redacted""#]),
            ("plain", "text", ["response.body: plain → text"]), ("", "x", ["response.body: - → x"]),
            (#"{"a":"\u001b[1m"}"#, #"{"a":"\u009b"}"#, [#"response.body.a: "\u001b[1m" → "\x9B""#]),
            (#"{"\u001b":1}"#, #"{}"#, [#"response.body["\u001b"]: 1 → -"#]), (" {\"a\":1}", #"{"a":1.0}"#, []),
            (#"{"createdAt":1738146600}"#, #"{"createdAt":5}"#, ["response.body.createdAt: 1738146600 → 5"]),
        ] as [(String, String, [String])])
    func values(_ first: String, _ second: String, _ expected: [String]) {
        #expect(changes(get("/a", answer: first), get("/a", answer: second)) == expected)
    }

    @Test("A comparison covers status, media type, query and request body")
    func parts() {
        let first = Samples.exchange("POST", "/a?x=1&y=2&only=1", status: 201, body: #"{"p":"coach"}"#)
        var second = Samples.exchange("POST", "/a?y=2&x=3&token=5", status: 409, body: #"{"p":"doctor"}"#)
        second.response?.fields = [SessionField("content-type", "Text/Plain; charset=utf-8"), SessionField("X", "y")]
        #expect(
            changes(first, second) == [
                #"query.only: "1" → -"#, #"query.token: - → "5""#, #"query.x: "1" → "3""#,
                #"request.body.p: "coach" → "doctor""#, "status: 201 → 409",
                "response.content-type: application/json → text/plain",
            ])
        second.request.url = Samples.origin + "/a?x=1&y=2&only=1&x=4"
        #expect(changes(first, second).first == #"query.x: - → "4""#)
        second = first
        second.response = nil
        #expect(changes(first, second) == ["status: 201 → no answer"])
        second = first
        second.response?.isComplete = false
        #expect(changes(first, second) == ["response: complete → cut off"])
        second = first
        second.response?.fields = [SessionField("Content-Type", "application/json; charset=utf-8")]
        #expect(changes(first, second) == [])
        second.response?.body = RecordedBody(Array("{".utf8), of: 26)
        #expect(changes(first, second) == [], "what a limit cut is not known")
    }

    @Test(
        "A comparison skips a request body if only its length was recorded",
        arguments: [("2", true), ("0", false), ("x", false)])
    func unknownBody(length: String, isUnknown: Bool) {
        var first = Samples.exchange("POST", "/a")
        first.request.fields = [SessionField("content-length", length)]
        let found = changes(first, Samples.exchange("POST", "/a", body: "{}"))
        #expect(found == (isUnknown ? [] : ["request.body: - → {}"]))
    }

    @Test("A comparison reports missing, extra and moved messages with their place")
    func order() {
        let (a, b, c) = (get("/a"), get("/goals/\(Self.id)"), get("/goals/\(Self.otherID)"))
        #expect(differences([a, b], [a]) == [.onlyInFirst(name: "GET /goals/{id}", place: 1)])
        #expect(differences([a], [a, c]) == [.onlyInSecond(name: "GET /goals/{id}", place: 1)])
        #expect(differences([b], [c]) == [])
        #expect(changes(get("/goals/7"), get("/goals/8")) == [#"path: "/goals/7" → "/goals/8""#])
        let d = get("/d")
        #expect(
            differences([a, d, b], [d, b, get("/a", answer: "[]")]) == [
                .moved(name: "GET /a", first: 0, second: 2),
                .changed(
                    name: "GET /a", first: 0, second: 2,
                    differences([a], [get("/a", answer: "[]")]).flatMap { difference in
                        guard case .changed(_, _, _, let changes) = difference else { return [SessionChange]() }
                        return changes
                    }),
            ])
    }

    @Test("A world's paths equal the default world's paths")
    func worlds() { #expect(differences([get("/w/test-1/api/v1/goals")], [get("/api/v1/goals")]) == []) }

    @Test("A comparison aligns messages by sender and type and ignores pings")
    func sockets() {
        func socket(_ frames: [SessionFrame], _ cause: SessionEnding.Cause? = nil) -> SessionExchange {
            Samples.socket(
                frames: frames, ending: cause.map { SessionEnding(time: Samples.time(9), party: .server, cause: $0) })
        }
        func text(_ sender: Party, _ text: String) -> SessionFrame { Samples.frame(sender, .text, text) }
        let first = socket([
            text(.server, #"{"type":"connected"}"#), text(.client, #"{"type":"ping"}"#),
            Samples.frame(.client, .ping, "x"), text(.server, #"{"type":"chunk","content":"a"}"#),
            text(.server, #"{"type":"done"}"#), Samples.frame(.server, .close, bytes: Samples.close(1000)),
        ])
        let second = socket([
            text(.server, #"{"type":"connected"}"#), text(.server, #"{"type":"chunk","content":"b"}"#),
            text(.server, #"{"type":"chunk","content":"c"}"#), text(.server, #"{"type":"done"}"#),
            Samples.frame(.server, .close, bytes: Samples.close(1011)),
        ])
        #expect(
            changes(first, second) == [
                #"message 3 ←.content: "a" → "b""#, #"message 2 →: {"type":"ping"} → -"#,
                #"message 3 ←: - → {"type":"chunk","content":"c"}"#,
                "end: close 1000 by the server → close 1011 by the server",
            ])
        #expect(changes(socket([], .finish), socket([])) == [], "not known on one side")
        #expect(
            changes(socket([], .finish), socket([], .reset)) == [
                "end: ended by the server without a close frame → reset by the server"
            ])
        #expect(differences([socket([])], [get("/api/v1/consultations/c1/ws")]).count == 2)
    }

    @Test("A comparison lists at most twenty differences in a body and counts the rest")
    func many() {
        let numbers = (0..<50).map(String.init).joined(separator: ",")
        let others = (100..<150).map(String.init).joined(separator: ",")
        let found = changes(get("/a", answer: "[\(numbers)]"), get("/a", answer: "[\(others)]"))
        #expect(found.count == 21 && found[0] == "response.body[0]: 0 → 100")
        #expect(found[20] == "response.body: 30 more differences → 30 more differences")
    }

    @Test("Each difference has the expected text")
    func golden() {
        let first = Session(entries: [
            get("/a"), Samples.exchange("GET", "/b\u{1B}[2J", answer: #"{"x":1,"y":2}"#),
            get("/c", answer: String(repeating: "z", count: 100)), get("/e"),
        ])
        let second = Session(entries: [
            Samples.exchange("GET", "/b\u{1B}[2J", answer: #"{"x":"\u001b","z":[true]}"#),
            get("/c", answer: ""), get("/d", at: 1_500_000), get("/e", at: 1_500_000), get("/a", at: 1_500_000),
        ])
        let expected = #"""
            - 1.har: 2025-01-29T10:30:00Z, 0.002 s, 4 requests
            + \x1B: 2025-01-29T10:30:00Z, 1.502 s, 5 requests

            ~ GET /a: no. 1 in the first, no. 5 in the second
            ! GET /b\x1B[2J (no. 2)
                response.body.x: 1 → "\u001b"
                response.body.y: only in the first: 2
                response.body.z: only in the second: [true]
            ! GET /c (no. 3)
                response.body: only in the first: \#(String(repeating: "z", count: 59))…
            + GET /d (no. 3)

            The sessions differ in 4 places.

            """#
        #expect(SessionComparison(first, second).text(names: "1.har", "\u{1B}") == expected)
        let equal = SessionComparison(first, first).text(names: "a", "b")
        #expect(equal.hasSuffix("4 requests\n\nThe sessions are equal.\n"))
    }
}

@Suite("New behaviour in a newer version")
struct NewsTests {
    private func get(_ target: String, body: String? = nil) -> SessionExchange {
        Samples.exchange(body == nil ? "GET" : "POST", target, body: body)
    }

    private func news(_ first: [SessionExchange], _ second: [SessionExchange], _ new: [SessionExchange]) -> [String] {
        SessionComparison.news(in: Session(entries: new), since: Session(entries: first), Session(entries: second))
    }

    @Test("Equal sessions show no new behaviour")
    func equal() { #expect(news(Samples.all.entries, Samples.all.entries, Samples.all.entries).isEmpty) }

    @Test("An extra, missing or moved request counts as new behaviour")
    func presence() {
        let old = [get("/a"), get("/b"), get("/c")]
        #expect(news(old, old, old + [get("/d")]) == ["It sends GET /d as no. 4, which the older command did not."])
        #expect(
            news(old, old, [get("/a"), get("/c")])
                == ["It no longer sends GET /b, which the older command sent as no. 2."])
        #expect(
            news(old, old, [get("/c"), get("/a"), get("/b")])
                == ["It sends GET /c as no. 1; the older command sent it as no. 3."])
    }

    @Test("Variation between the earlier runs does not count as new behaviour")
    func noise() {
        let (short, long) = ([get("/a")], [get("/a"), get("/b")])
        #expect(news(short, long, long).isEmpty && news(long, short, short).isEmpty)
        #expect(news(short, short, long).count == 1)
        func post(_ value: String) -> [SessionExchange] { [get("/a", body: #"{"n":[1,"\#(value)"],"m":"\#(value)"}"#)] }
        #expect(news(post("x"), post("y"), post("z")).isEmpty)
        #expect(
            news(post("x"), post("x"), post("z")) == [
                #"POST /a (no. 1): request.body.n[1] is "z"; with the older command, it was "x"."#,
                #"POST /a (no. 1): request.body.m is "z"; with the older command, it was "x"."#,
            ])
        let moved = [get("/a", body: #"{"n":["w","x"],"m":"x"}"#)]
        #expect(news(post("x"), post("y"), moved).isEmpty, "The first element is like the second.")
    }

    @Test("A difference from both earlier runs counts as new behaviour", arguments: 0..<100 as Range<UInt64>)
    func property(_ seed: UInt64) {
        var draw = Draw(seed: seed)
        func session() -> [SessionExchange] {
            // Each run has its own value under "v", and sometimes omits "/maybe".
            let fixed = ["/a", "/b", "/c"].map { get($0, body: #"{"v":"\#(draw.below(1000))","w":"same"}"#) }
            return draw.once(in: 2) ? fixed + [get("/maybe")] : fixed
        }
        let (first, second) = (session(), session())
        let varies = first.count != second.count
        let found = news(first, second, session() + [get("/extra")])
        #expect(found.filter { !$0.contains("/maybe") }.count == found.filter { $0.contains("/extra") }.count)
        #expect(found.contains { $0.contains("/extra") })
        #expect(!varies || !found.contains { $0.contains("/maybe") })
    }
}

@Suite("Alignment")
struct AlignmentTests {
    @Test(
        "Alignment finds the longest common subsequence",
        arguments: [
            ("", "", 0), ("a", "", 0), ("abc", "abc", 3), ("abcd", "acbd", 3), ("abcabba", "cbabac", 4),
            ("xaby", "ab", 2), ("gpg", "pg", 2), ("aaaa", "aa", 2), ("abc", "xyz", 0),
        ])
    func longest(_ first: String, _ second: String, _ length: Int) {
        let (left, right) = (Array(first), Array(second))
        let alignment = Alignment(left, right)
        #expect(alignment.pairs.count == length)
        for pair in alignment.pairs { #expect(left[pair.first] == right[pair.second]) }
        for (pair, next) in zip(alignment.pairs, alignment.pairs.dropFirst()) {
            #expect(pair.first < next.first && pair.second < next.second)
        }
        #expect((alignment.pairs.map(\.first) + alignment.onlyFirst).sorted() == Array(left.indices))
        #expect((alignment.pairs.map(\.second) + alignment.onlySecond).sorted() == Array(right.indices))
    }

    @Test("Alignment prefers the later of two equally long subsequences in the first list")
    func tie() {
        let alignment = Alignment(Array("ab"), Array("ba"))
        #expect(alignment.pairs.map(\.first) == [1] && alignment.pairs.map(\.second) == [0])
        #expect(alignment.onlyFirst == [0] && alignment.onlySecond == [1])
    }

    @Test("Alignment pairs long lists quickly and in order")
    func long() {
        // Every key is shifted by one place, between two keys that the other side lacks.
        let left = [-1] + (0..<20_000).map { $0 % 300 } + [-2]
        let right = [-3] + (0..<20_000).map { ($0 + 1) % 300 } + [-4]
        let alignment = Alignment(left, right)
        #expect(alignment.pairs.count > 19_000)
        for pair in alignment.pairs { #expect(left[pair.first] == right[pair.second]) }
        #expect(alignment.onlyFirst.count + alignment.pairs.count == left.count)
        #expect(alignment.onlySecond.count + alignment.pairs.count == right.count)
    }

    @Test("Alignment pairs the equal ends of long lists")
    func longEnds() {
        // Use too many elements for a table, and an odd number of them.
        let end = Array(0..<2001)
        let alignment = Alignment([-1] + end, [-2, -3] + end)
        #expect((alignment.pairs.map(\.first), alignment.pairs.map(\.second)) == (Array(1...2001), Array(2...2002)))
        #expect(alignment.onlyFirst == [0] && alignment.onlySecond == [0, 1])
        let suffix = Alignment(end, [-2, -3] + end)
        #expect(suffix.pairs.map(\.second) == Array(2...2002) && suffix.onlyFirst.isEmpty)
        // The rest is short enough for the longest subsequence to be found.
        let rest = Alignment([-1, -2, -1] + end, [-2, -1] + end)
        #expect(rest.pairs.map(\.first) == Array(1...2003) && rest.onlyFirst == [0] && rest.onlySecond.isEmpty)
    }

    @Test(
        "The comparison masks exactly the values that vary between runs",
        arguments: [
            ("7c9e6679-7425-40de-944b-e07fc1f90ae7", "{id}"), ("7C9E6679-7425-40DE-944B-E07FC1F90AE7", "{id}"),
            ("/x/7c9e6679-7425-40de-944b-e07fc1f90ae7/ws", "/x/{id}/ws"),
            ("a7c9e6679-7425-40de-944b-e07fc1f90ae7", "a7c9e6679-7425-40de-944b-e07fc1f90ae7"),
            ("7c9e6679-7425-40de-944b-e07fc1f90ae70", "{id}"), ("7c9e6679742540de944be07f", "{id}"),
            ("goal 123456", "goal {id}"), ("12345", "12345"), ("a@b.example", "{email}"),
            ("2025-01-29T10:30:00Z", "{time}"), ("at 2025-01-29T10:30:00.123456+01:00.", "at {time}."),
            ("2025-13-29T10:30:00Z", "2025-13-29T10:30:00Z"), ("2025-01-29", "{date}"), ("2025-02-30", "2025-02-30"),
            ("2025-01-29T10:30:00", "{time}"), ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.Nk-_9", "Bearer {id}"),
            ("eyJa.b", "eyJa.b"), ("redacted-token-12 x", "{id} x"), ("http://h:1/a", "{origin}/a"),
            ("wss://h:1", "{origin}"), ("http://other/a", "http://other/a"), ("", ""), ("é1", "é1"), ("beef", "beef"),
        ])
    func volatile(_ text: String, _ expected: String) {
        #expect(VolatileText.normalised(text, origins: Origins([RequestURL("http://h:1")])).text == expected)
    }
}
