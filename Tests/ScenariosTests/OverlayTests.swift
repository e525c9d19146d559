import FitIQAPI
import JSON
import Testing

@testable import Scenarios

@Suite("Overlays: changes to the fake's answers")
struct OverlayTests {
    private static func changes(_ text: String) throws -> [Overlay.Change] {
        try Overlay.read(Array("overlay: [\(text)]".utf8)).changes
    }

    @Test("The reader reads a change's endpoint, answers or messages, member and action")
    func reading() throws {
        let rows: [(String, Overlay.Change)] = [
            (
                "{on: GET /api/v1/goals, status: 200, member: 'data.goals[].x', value: 1}",
                Overlay.Change(
                    .listGoals, .status(200), at: [.name("data"), .name("goals"), .elements, .name("x")],
                    .value(1, insteadOf: nil))
            ),
            (
                "{on: GET /api/v1/goals, status: 200, member: x, value: null}",
                Overlay.Change(.listGoals, .status(200), at: [.name("x")], .value(nil, insteadOf: nil))
            ),
            (
                "{on: GET /api/v1/goals, status: 200, member: x, value: b, instead_of: [a]}",
                Overlay.Change(.listGoals, .status(200), at: [.name("x")], .value("b", insteadOf: ["a"]))
            ),
            (
                "{on: socket /ws/meal-logs, type: pong, becomes: heartbeat}",
                Overlay.Change(.mealSocket, .type("pong"), .becomes(.type("heartbeat")))
            ),
            (
                "{on: POST /api/v1/goals, status: 201, becomes: 200}",
                Overlay.Change(.createGoal, .status(201), .becomes(.status(200)))
            ),
            (
                "{on: POST /api/v1/goals, status: 201, content_type: text/json}",
                Overlay.Change(.createGoal, .status(201), .contentType("text/json"))
            ),
            ("{on: POST /api/v1/goals, status: 418}", Overlay.Change(.createGoal, .status(418), .known)),
            (
                "{on: POST /api/v1/goals, status: 201, member: a, rename: b}",
                Overlay.Change(.createGoal, .status(201), at: [.name("a")], .rename("b"))
            ),
            (
                "{on: POST /api/v1/goals, status: 201, member: a, remove: true}",
                Overlay.Change(.createGoal, .status(201), at: [.name("a")], .remove)
            ),
        ]
        for (text, change) in rows { #expect(try Self.changes(text) == [change]) }
        let overlay = Overlay(rows.map(\.1))
        #expect(try Overlay.read(overlay.json.encoded()) == overlay)
        #expect(try Overlay.read(ScenarioDocument.text(overlay.json, comments: ["A comment."])) == overlay)
        let scenario = try Scenario.read("name: a\noverlay: [\(rows.map(\.0).joined(separator: ", "))]")
        #expect(scenario.overlay == overlay && scenario.unreadOverlay == nil && !scenario.canReplay)
        let named = try Scenario.read("{name: a, overlay: real.yaml}")
        #expect(named.overlay == nil && named.unreadOverlay == "real.yaml")
    }

    @Test(
        "The error for an invalid change states its location, its content and what was expected",
        arguments: [
            "{status: 200}": "overlay[0].on is missing: one endpoint",
            "{on: any, status: 200}": "overlay[0].on must be one endpoint",
            "{on: [GET /api/v1/goals, POST /api/v1/goals], status: 200}": "must be one endpoint",
            "{on: GET /api/v1/gaols, status: 200}": "GET /api/v1/goals",
            "{on: GET /api/v1/goals}": "overlay[0].status is missing",
            "{on: GET /api/v1/goals, type: pong}": "overlay[0].type is for sockets",
            "{on: socket /ws/meal-logs, status: 200}": "overlay[0].status is for REST",
            "{on: GET /api/v1/goals, status: 20}": "from 200 to 599",
            "{on: GET /api/v1/goals, status: 200, member: 'a..b', value: 1}": "must be a member path",
            "{on: GET /api/v1/goals, status: 200, member: 'a[0]', value: 1}": "must be a member path",
            "{on: GET /api/v1/goals, status: 200, member: a}": "needs one of these keys: value, rename",
            "{on: GET /api/v1/goals, status: 200, member: a, value: 1, remove: true}": "cannot be combined",
            "{on: GET /api/v1/goals, status: 200, rename: a}": "overlay[0].rename requires 'member'",
            "{on: GET /api/v1/goals, status: 200, member: a, becomes: 201}": "cannot be combined with 'member'",
            "{on: GET /api/v1/goals, status: 200, member: a, remove: false}": "must be true",
            "{on: GET /api/v1/goals, status: 200, instead_of: [a]}": "overlay[0].instead_of requires 'value'",
            "{on: GET /api/v1/goals, status: 200, content_type: \"a\\nb\"}": "must be a media type",
            "{on: GET /api/v1/goals, status: 200, member: a, value: [1, 2]}":
                "overlay[0].value has 2 elements; an array in a change's value may have at most one",
            "{on: GET /api/v1/goals, status: 200, member: a, value: {b: [[1, 2, 3]]}}":
                "overlay[0].value.b[0] has 3 elements",
            "{on: GET /api/v1/goals, status: 200, vlaue: 1}": "overlay[0].vlaue is not a key of a change. Did you",
        ] as KeyValuePairs<String, String>)
    func refused(_ text: String, _ words: String) { #expect(refusal { try Self.changes(text) }.contains(words)) }

    @Test("Errors in an overlay file state the file, the line and the column")
    func files() {
        for (text, words) in [
            ("", "real.yaml:1:1: The file is empty; an overlay needs"),
            ("[]", "real.yaml:1:1: The document must be an overlay"),
            ("name: a", "real.yaml:1:1: name is not a key of an overlay."), ("{}", "overlay is missing"),
            ("overlay: real.yaml", "real.yaml:1:10: overlay must be a list of changes; got real.yaml."),
        ] { #expect(refusal { try Overlay.read(Array(text.utf8), file: "real.yaml") }.contains(words)) }
    }

    @Test("The reader rejects an overlay beyond 1,000 changes or values beyond 16 KiB")
    func limits() throws {
        let change = "{on: GET /api/v1/goals, status: 418}"
        let all = Array(repeating: change, count: ScenarioLimits.changes)
        #expect(try Self.changes(all.joined(separator: ", ")).count == ScenarioLimits.changes)
        #expect(throws: ScenarioErrors.self) { try Self.changes((all + [change]).joined(separator: ", ")) }
        for (count, isRead) in [(ScenarioLimits.changeBytes - 2, true), (ScenarioLimits.changeBytes - 1, false)] {
            let text = String(repeating: "x", count: count)
            let changes = try? Self.changes("{on: GET /api/v1/goals, status: 200, member: a, value: \(text)}")
            #expect((changes != nil) == isRead)
        }
    }

    static let rows: [(body: String, changes: [String], result: String)] = [
        // Members.
        (#"{"a":1}"#, ["member: b, value: x"], #"{"a":1,"b":"x"}"#),
        (#"{"a":1,"b":2}"#, ["member: a, remove: true"], #"{"b":2}"#),
        (#"{"a":1,"b":2,"c":3}"#, ["member: b, rename: d"], #"{"a":1,"d":2,"c":3}"#),
        (#"{"a":1,"b":2}"#, ["member: a, rename: b"], #"{"b":1}"#),
        (#"{"l":[{"a":1},{}]}"#, ["member: 'l[].a', value: 2"], #"{"l":[{"a":1},{"a":2}]}"#),
        (#"[[{"a":1}]]"#, ["member: '[][].a', remove: true"], "[[{}]]"),
        (#"{"a":1}"#, ["member: x.y, value: 1"], #"{"a":1}"#),
        (#"{"a":1}"#, ["member: x, value: {}", "member: x.y, value: 1"], #"{"a":1,"x":{"y":1}}"#),
        (#"{"a":1}"#, ["member: 'a[].b', value: 1"], #"{"a":1}"#),
        // Forms.
        (
            #"{"t":"2025-01-29T10:30:00Z"}"#, ["member: t, value: '2020-01-01T00:00:00.000Z'"],
            #"{"t":"2025-01-29T10:30:00.000Z"}"#
        ),
        (
            #"{"t":"2025-01-29T10:30:00.123456Z"}"#, ["member: t, value: '2020-01-01T00:00:00.00Z'"],
            #"{"t":"2025-01-29T10:30:00.12Z"}"#
        ),
        (
            #"{"t":"2025-01-29T10:30:00.5Z"}"#, ["member: t, value: '2020-01-01T00:00:00.0000000000Z'"],
            #"{"t":"2025-01-29T10:30:00.5000000000Z"}"#
        ),
        (#"{"t":"2025-01-29T10:30:00Z"}"#, ["member: t, value: '2020-01-01'"], #"{"t":"2025-01-29"}"#),
        (#"{"t":"2025-01-29T10:30:00Z"}"#, ["member: t, value: 1600000000"], #"{"t":1738146600}"#),
        (#"{"t":"2025-01-29T10:30:00Z"}"#, ["member: t, value: 1600000000000"], #"{"t":1738146600000}"#),
        (
            #"{"i":"7c9e6679-7425-40de-944b-e07fc1f90ae7"}"#,
            ["member: i, value: 00000000-0000-4000-8000-00000000000A"], #"{"i":"7C9E6679-7425-40DE-944B-E07FC1F90AE7"}"#
        ),
        (#"{"n":1.50}"#, ["member: n, value: x"], #"{"n":"1.50"}"#),
        (#"{"n":"1.50"}"#, ["member: n, value: 1"], #"{"n":1.50}"#),
        (#"{"f":true}"#, ["member: f, value: x"], #"{"f":"true"}"#),
        (#"{"n":{"a":1}}"#, ["member: n, value: null"], #"{"n":null}"#),
        (#"{"n":"any text"}"#, ["member: n, value: other"], #"{"n":"any text"}"#),
        (#"{"l":[1,2]}"#, ["member: 'l[]', value: x"], #"{"l":["1","2"]}"#),
        (#"{"a":1}"#, ["value: []"], "[]"),
        (#"{"a":1}"#, ["member: b, value: [[{c: [1]}]]"], #"{"a":1,"b":[[{"c":[1]}]]}"#),
        // Words.
        (#"{"s":["a","b"]}"#, ["member: 's[]', value: c, instead_of: [a]"], #"{"s":["c","b"]}"#),
        (#"{"s":"a"}"#, ["member: s, value: c, instead_of: []"], #"{"s":"a"}"#),
        (#"{"s":1}"#, ["member: s, value: c, instead_of: ['1']"], #"{"s":1}"#),
        (#"{"x":1}"#, ["member: s, value: c, instead_of: [a]"], #"{"x":1}"#),
        // Of several changes at the same place, only the first has an effect, except for words; later changes see the
        // effects of earlier ones.
        (#"{"a":1}"#, ["member: b, value: 1", "member: b, value: x"], #"{"a":1,"b":1}"#),
        (
            #"{"s":"a"}"#, ["member: s, value: b, instead_of: [a]", "member: s, value: c, instead_of: [b]"],
            #"{"s":"c"}"#
        ),
        (#"{"a":1}"#, ["member: a, rename: b", "member: b, value: x"], #"{"b":"1"}"#),
        ("<p>", ["member: a, value: 1"], "<p>"),
    ]

    @Test("An overlay changes answers only as its changes specify", arguments: rows.indices)
    func row(_ index: Int) throws {
        let row = Self.rows[index]
        let all = row.changes.map { "{on: GET /api/v1/goals, status: 200, \($0)}" }.joined(separator: ", ")
        let overlay = Overlay(try Self.changes(all))
        let changed = overlay.change(200, Array(row.body.utf8), of: .listGoals)
        #expect(changed.body.map { String(decoding: $0, as: UTF8.self) } ?? row.body == row.result)
        #expect((changed.body == nil) == (row.body == row.result))
        // The overlay does not change other answers.
        #expect(overlay.change(404, Array(row.body.utf8), of: .listGoals) == Overlay.Changed())
        #expect(overlay.change(200, Array(row.body.utf8), of: .createGoal) == Overlay.Changed())
        #expect(
            overlay.concerns(.listGoals) != (overlay.changes.allSatisfy { $0.action == .value("c", insteadOf: []) }))
        #expect(!overlay.concerns(.createGoal))
    }

    @Test("Changes can replace a status or type, and later changes apply to the new value")
    func kinds() throws {
        let overlay = Overlay(
            try Self.changes(
                """
                {on: POST /api/v1/goals, status: 201, becomes: 200},
                {on: POST /api/v1/goals, status: 200, member: a, value: 1},
                {on: POST /api/v1/goals, status: 200, content_type: text/json},
                {on: socket /ws/meal-logs, type: pong, becomes: heartbeat},
                {on: socket /ws/meal-logs, type: heartbeat, member: at, value: 1}
                """))
        let answer = overlay.change(201, Array("{}".utf8), of: .createGoal)
        #expect(answer.status == 200 && answer.contentType == "text/json" && answer.body == Array(#"{"a":1}"#.utf8))
        let message = overlay.change(Array(#"{"type":"pong"}"#.utf8), of: .mealSocket)
        #expect(message == Array(#"{"type":"heartbeat","at":1}"#.utf8))
        #expect(!ValueKind(1).isAlike(ValueKind("x")))
        for other in [#"{"type":"connected"}"#, "[]", "x"] {
            #expect(overlay.change(Array(other.utf8), of: .mealSocket) == Array(other.utf8))
            #expect(overlay.change(Array(other.utf8), of: .webSocket) == Array(other.utf8))
        }
    }
}
