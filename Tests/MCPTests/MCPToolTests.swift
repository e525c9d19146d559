import JSON
import TestSupport
import Testing

@testable import MCP

@Suite("Model Context Protocol: tools")
struct MCPToolTests {
    /// A call's admin API request, as `METHOD path body`, the command that it runs, or the error.
    static func asked(_ tool: String, _ arguments: JSONValue, of server: MCPServer = MCPServerTests.server) -> String {
        let message = MCPServerTests.message("tools/call", ["name": .string(tool), "arguments": arguments])
        switch server.receive(message) {
        case .call(let call):
            switch call.work {
            case .admin(let method, let path, let body):
                return "\(method) \(path)" + (body.map { " " + String(decoding: $0, as: UTF8.self) } ?? "")
            case .run(let words): return words.joined(separator: " ")
            case .known: return "nothing"
            }
        case .answer(let answer):
            let result = (try? JSON.parse(answer.bytes))?["result"]
            return (result?["isError"] == true ? "refused: " : "") + (result?["content"]?[0]?["text"]?.string ?? "")
        default: return "nothing"
        }
    }

    /// Makes a scenario as long as `load` accepts.
    static let longest = String(repeating: " ", count: 65_536 - 7)
    static let requests: [(tool: String, arguments: JSONValue, asked: String)] = [
        ("world", ["action": "list"], "GET worlds"),
        (
            "world", ["action": "make", "scenario": "default", "seed": 7, "clock": "manual"],
            #"POST worlds {"scenario":"default","seed":7,"clock":"manual"}"#
        ),
        ("world", ["action": "show"], "GET worlds/default"),
        ("world", ["action": "show", "world": "w1"], "GET worlds/w1"),
        ("world", ["action": "reset", "world": "w1"], "POST worlds/w1/reset {}"),
        ("world", ["action": "fork"], "POST fork {}"), ("world", ["action": "marks"], "GET marks"),
        ("world", ["action": "mark", "name": "a"], #"POST marks {"name":"a"}"#),
        ("world", ["action": "rewind", "to": "12"], #"POST rewind {"to":12}"#),
        ("world", ["action": "rewind", "to": "a"], #"POST rewind {"to":"a"}"#),
        ("world", ["action": "delete", "world": "a/../b"], "DELETE worlds/a%2F..%2Fb"),
        ("scenario", ["action": "list"], "GET scenarios"),
        ("scenario", ["action": "check", "text": "name: x"], #"POST check {"text":"name: x"}"#),
        ("scenario", ["action": "load", "name": "default"], #"POST reset {"scenario":"default"}"#),
        (
            "scenario", ["action": "load", "text": .string("name: x" + longest), "world": "w1"],
            #"POST worlds/w1/reset {"scenario":{"name":"x"}}"#
        ),
        ("fault", ["action": "list"], "GET faults"),
        (
            "fault", ["action": "set", "fault": ["on": "any", "status": 500]], #"POST faults {"on":"any","status":500}"#
        ),
        ("fault", ["action": "clear", "name": "a b"], "DELETE faults/a%20b"),
        ("fault", ["action": "disable", "name": "a"], #"PATCH faults/a {"enabled":false}"#),
        ("fault", ["action": "network"], "GET network"),
        ("fault", ["action": "network", "network": nil], #"PUT network {"network":null}"#),
        ("clock", [:], "GET clock"), ("clock", ["advance": "9s"], #"POST clock {"advance":"9s"}"#),
        ("traffic", ["number": 5, "world": "w1"], "GET worlds/w1/entries/5"),
        ("traffic", ["status": "4xx", "cursor": "9"], "GET entries?status=4xx&before=9&limit=50"),
        ("traffic", ["path": "/a b", "limit": 3, "since": 2], "GET entries?path=%2Fa%20b&limit=3&since=2"),
        ("explain", ["number": 5], "GET entries/5"), ("verdicts", [:], "GET verdicts?summary=true"),
        ("verify", [:], "verify"),
        (
            "verify", ["scenarios": ["a", "--all"], "seed": 7, "time_limit": "9s"],
            "verify --scenario=a --scenario=--all --seed=7 --time-limit=9s"
        ),
        ("explore", ["budget": "60s", "only": "silence"], "explore --budget=60s --only=silence"),
        ("socket", ["action": "send", "connection": 3, "body": ["text": "x"]], #"POST sockets/3/send {"text":"x"}"#),
        ("socket", ["action": "reset", "connection": 3], "POST sockets/3/reset {}"),
        (
            "socket", ["action": "hold", "connection": 3, "body": ["at": ["type": "pong"]]],
            #"POST breakpoints {"on":"socket","hold":"both","at":{"type":"pong"},"connection":3}"#
        ),
        ("socket", ["action": "release", "held": 9, "body": ["action": "drop"]], #"POST held/9 {"action":"drop"}"#),
        ("socket", ["action": "release", "body": ["action": "continue"]], #"POST held {"action":"continue"}"#),
        ("fault", ["action": "clear"], "DELETE faults"),
        ("world", ["action": "make", "label": "login"], #"POST worlds {"label":"login"}"#),
        (
            "wait", ["for": ["json": ["a.b": 1]], "since": "now", "optional": true],
            #"POST wait {"for":{"json":{"a.b":1}},"since":"now","optional":true}"#
        ),
        ("wait", ["for": ["status": "404"], "since": "12"], #"POST wait {"for":{"status":"404"},"since":12}"#),
        ("state", ["action": "export"], "GET state"),
        ("state", ["action": "import", "state": ["name": "x"]], #"PUT state {"name":"x"}"#),
    ]

    @Test("A tool call translates its arguments into the expected admin request", arguments: requests.indices)
    func asks(row: Int) {
        let (tool, arguments, expected) = Self.requests[row]
        #expect(Self.asked(tool, arguments) == expected)
    }

    static let refusals: [(tool: String, arguments: JSONValue, words: String)] = [
        ("world", [:], "'action' is missing"), ("world", ["action": "mak"], "Did you mean 'make'?"),
        ("world", ["action": 5], "There is no action"), ("clock", ["advnce": "1s"], "Did you mean 'advance'?"),
        ("explain", ["number": "x"], "'number' must be of type integer"), ("explain", [:], "'number' is missing"),
        ("scenario", ["action": "show", "name": "defalt"], "default"),
        ("scenario", ["action": "load", "text": "name: ["], "2:1: The file is not valid YAML"),
        (
            "scenario", ["action": "load", "text": .string(String(repeating: "a", count: 65_537))],
            "'load' accepts at most 65536"
        ),
        ("fault", ["action": "set"], "'fault' is missing"),
        ("clock", ["max_bytes": 999], "1000 to 100000"), ("clock", ["cursor": "x"], "'next_cursor'"),
        ("verify", ["command": "rm -rf /"], "no argument \"command\""), ("verify", ["against": "x"], "no argument"),
        ("explore", ["output": "/"], "no argument"),
    ]

    @Test("The error for invalid arguments names the valid arguments", arguments: refusals.indices)
    func refuses(row: Int) {
        let (tool, arguments, words) = Self.refusals[row]
        let answer = Self.asked(tool, arguments)
        #expect(answer.hasPrefix("refused: ") && answer.contains(words), "\(answer)")
    }

    @Test("Without the operator's command, the verify tool runs nothing and refers to the operator")
    func noCommand() {
        let server = MCPServer(version: "1", world: "w1")
        #expect(Self.asked("verify", [:], of: server).contains("Ask the operator to add one"))
        #expect(Self.asked("clock", [:], of: server) == "GET worlds/w1/clock")
        #expect(Self.asked("clock", ["world": "w2"], of: server) == "GET worlds/w2/clock")
    }

    // MARK: Answers

    static func answer(_ tool: String, _ arguments: JSONValue, status: Int = 200, _ body: JSONValue) throws -> JSONValue
    {
        let message = MCPServerTests.message("tools/call", ["name": .string(tool), "arguments": arguments])
        guard case .call(let call) = MCPServerTests.server.receive(message) else {
            throw MCPServerTests.TestFailure(tool)
        }
        let answer = try JSON.parse(call.answer(status: status, body: body.encoded()).bytes)
        return try #require(answer["result"])
    }

    static func known(_ tool: String, _ arguments: JSONValue, _ body: JSONValue) throws -> JSONValue {
        let result = try answer(tool, arguments, body)
        let value = try #require(result["structuredContent"])
        #expect(result["content"]?[0]?["text"]?.string == value.description && result["isError"] == false)
        return value
    }

    static func entry(_ number: Int, body: String = "") -> JSONValue {
        [
            "number": JSONValue(integerLiteral: number), "kind": "exchange",
            "request": ["method": "GET", "target": "/a", "fields": [["name": "Host", "value": "x"]]],
            "response": ["status": 200, "fields": [], "body": .string(body)],
        ]
    }

    @Test(
        "Pages of a list stay within the requested bytes and together contain the whole list",
        arguments: [1000, 8000, 20_000])
    func pages(limit: Int) throws {
        let scenarios = (0..<300).map {
            ["name": .string("s\($0)"), "summary": .string(String(repeating: "é", count: $0 % 90))] as JSONValue
        }
        var (seen, cursor): ([JSONValue], JSONValue?) = ([], nil)
        repeat {
            var arguments: JSONObject = ["action": "list", "max_bytes": JSONValue(integerLiteral: limit)]
            arguments["cursor"] = cursor
            let page = try Self.known("scenario", .object(arguments), ["scenarios": .array(scenarios)])
            #expect(page.encoded().count <= limit)
            let part = try #require(page["scenarios"]?.array)
            try #require(!part.isEmpty)
            (seen, cursor) = (seen + part, page["next_cursor"])
        } while cursor != nil
        #expect(seen == scenarios)
    }

    @Test("The traffic tool lists brief entries, newest first, and the next page continues with older entries")
    func traffic() throws {
        let entries = (1...50).reversed().map { Self.entry($0, body: String(repeating: "x", count: 5000)) }
        let page = try Self.known("traffic", [:], ["entries": .array(entries), "last_number": 90])
        #expect(page.encoded().count <= 8000)
        let shown = try #require(page["entries"]?.array)
        #expect(shown.count > 10 && shown[0]["number"] == 50 && shown[0]["request"]?["fields"] == nil)
        #expect(shown[0]["response"]?["body"]?.string?.hasSuffix("… (5000 bytes)") == true)
        #expect(page["next_cursor"]?.string == shown.last?["number"]?.description)
        let last = try Self.known("traffic", [:], ["entries": [Self.entry(1)], "last_number": 1])
        #expect(last["next_cursor"] == nil && last["cut"] == nil)
        let full = try Self.known("traffic", ["limit": 1], ["entries": [Self.entry(2)], "last_number": 2])
        #expect(full["next_cursor"] == "2")
    }

    @Test("A tool truncates a long value and returns a cursor to the rest", arguments: [1000, 8000])
    func whole(limit: Int) throws {
        let body: JSONValue = [
            "entry": Self.entry(5, body: String(repeating: "\"é\n\u{1F600}", count: 4000)), "faults": [], "broken": [],
        ]
        let arguments: JSONObject = ["number": 5, "max_bytes": JSONValue(integerLiteral: limit)]
        let cut = try Self.known("traffic", .object(arguments), body)
        #expect(cut["cut"] == true && cut.encoded().count <= limit && cut["entry"]?["number"] == 5)
        var (text, cursor) = ("", cut["next_cursor"])
        while let next = cursor {
            var more = arguments
            more["cursor"] = next
            let page = try Self.known("traffic", .object(more), body)
            #expect(page.encoded().count <= limit)
            let part = try #require(page["text"]?.string)
            try #require(!part.isEmpty)
            text += part
            cursor = page["next_cursor"]
            // Every page but the last is nearly full.
            #expect(cursor == nil || page.encoded().count > limit * 9 / 10)
        }
        #expect(text == body.description)
    }

    @Test("A shortened answer or page uses all of the requested bytes except 64 for a cursor")
    func room() throws {
        // A page also needs a comma. If 4,000 bytes of a text do not fit, 1,000 remain.
        for (tool, spare) in [("clock", 64), ("scenario", 65)] {
            func body(_ text: String) -> JSONValue {
                tool == "clock" ? ["a": .string(text)] : ["scenarios": [["a": .string(text)]]]
            }
            func cut(_ count: Int) -> String { String(repeating: "x", count: count) + "… (5000 bytes)" }
            for (missing, count) in [(0, 4000), (1, 1000)] {
                let limit = body(cut(4000)).encoded().count + spare - missing
                var arguments: JSONObject = tool == "clock" ? [:] : ["action": "list"]
                arguments["max_bytes"] = JSONValue(integerLiteral: limit)
                let answer = try Self.known(tool, .object(arguments), body(String(repeating: "x", count: 5000)))
                #expect((answer["a"] ?? answer["scenarios"]?[0]?["a"])?.string == cut(count))
            }
        }
        let fitting: JSONValue = ["a": .string(String(repeating: "x", count: 992))]
        #expect(fitting.encoded().count == 1000)
        #expect(try Self.known("clock", ["max_bytes": 1000], fitting) == fitting)
        let ones = JSONValue.array(Array(repeating: 1, count: 1000))
        let page = try Self.known("scenario", ["action": "list", "max_bytes": 1000], ["scenarios": ones])
        let room = 1000 - 64 - #"{"scenarios":[]}"#.utf8.count
        #expect(page["scenarios"]?.array?.count == room / 2)
    }

    @Test("A tool's answer stays short for any admin API answer")
    func hostile() throws {
        var draw = Draw(seed: 1)
        func value(_ depth: Int) -> JSONValue {
            switch draw.below(depth == 0 ? 3 : 5) {
            case 0:
                let character = ["a", "\"", "é", "\u{1}", "\u{1F600}"][draw.below(5)]
                return .string(String(repeating: character, count: draw.below(2001)))
            case 1: return JSONValue(integerLiteral: draw.below(1_000_000))
            case 2: return nil
            case 3: return .array((0..<draw.below(16)).map { _ in value(depth - 1) })
            default:
                let names = (0..<draw.below(16)).map { "k\($0)" + String(repeating: "k", count: draw.below(91)) }
                return .object(JSONObject(names.map { ($0, value(depth - 1)) }))
            }
        }
        for _ in 0..<20 {
            for tool in ["traffic", "clock", "explain"] {
                let arguments: JSONValue = tool == "explain" ? ["number": 1] : [:]
                let (answer, list) = (value(2), value(2))
                let body: JSONValue = ["entries": .array([answer, list]), "due": .array([list]), "entry": answer]
                #expect(try Self.known(tool, arguments, body).encoded().count <= MCPLimits.answer)
            }
        }
    }

    @Test("A tool returns an admin API error as its own error, with advice")
    func refused() throws {
        let error: JSONValue = [
            "success": false, "error": ["code": "X", "message": "No.", "details": ["near": [1, 2]]],
        ]
        let result = try Self.answer("clock", [:], status: 409, error)
        #expect(result["isError"] == true && result["structuredContent"] == nil)
        #expect(result["content"]?[0]?["text"] == "409: No.\n{\"near\":[1,2]}")
        let message = MCPServerTests.message("tools/call", ["name": "clock"])
        guard case .call(let call) = MCPServerTests.server.receive(message) else {
            Issue.record("another step")
            return
        }
        for (status, body) in [(204, ""), (200, "no JSON"), (500, "")] {
            let answer = try JSON.parse(call.answer(status: status, body: Array(body.utf8)).bytes)
            #expect((answer["result"]?["isError"] == true) == (status != 204), "\(status): \(answer)")
        }
        #expect(try JSON.parse(call.answer(status: 200, body: nil).bytes)["result"]?["isError"] == true)
    }

    @Test("An entry's explanation contains its refusal, faults, near misses and breaches")
    func explains() throws {
        let entry: JSONValue = [
            "number": 5, "response": ["status": 404, "body": #"{"error":{"code":"NOT_FOUND","message":"No goals."}}"#],
            "faults": ["down"], "unmatched": "unknown_path", "unknown_parameters": ["limt"], "hint": "Try that.",
            "near_misses": [["method": "GET", "path": "/goals", "differences": ["A differs."]]],
        ]
        let broken: JSONValue = [["id": "ids/lowercase", "message": "It has A.", "advice": "Do."]]
        let why = try Self.known("explain", ["number": 5], ["entry": entry, "faults": [], "broken": broken])
        #expect(
            why["because"] == [
                "The answer is 404 (NOT_FOUND): No goals.", "The fault rule 'down' affected this entry.",
                "The request matches no API operation: unknown_path.", "The nearest is GET /goals. A differs.",
                "The endpoint does not read limt.", "Try that.",
                "This entry shows a breach of ids/lowercase: It has A.",
            ])
        let plain = try Self.known("explain", ["number": 5], ["entry": Self.entry(5), "faults": [], "broken": []])
        #expect(
            plain["because"]?[0]?.string
                == "Nothing about this entry is unusual: no fault took effect, nothing was refused, and no obligation "
                + "is broken.")
        #expect(plain["because"]?.array?.count == 1)
    }

    @Test("A run reports progress on request and returns its report or its output")
    func runs() throws {
        func run(_ meta: JSONValue) throws -> MCPCall {
            let message = MCPServerTests.message("tools/call", ["name": "verify", "_meta": meta])
            guard case .call(let run) = MCPServerTests.server.receive(message) else {
                throw MCPServerTests.TestFailure("")
            }
            return run
        }
        #expect(
            try run([:]).progress("x", count: 0) == nil && run(["progressToken": nil]).progress("x", count: 0) == nil)
        let progress = try JSON.parse(try #require(try run(["progressToken": 5]).progress("half", count: 1)))
        #expect(progress["params"] == ["progressToken": 5, "progress": 2, "message": "half"] && progress["id"] == nil)
        func answer(_ report: String) throws -> JSONValue? {
            try JSON.parse(run([:]).answer(report: Array(report.utf8), output: "boom").bytes)["result"]
        }
        #expect(try answer(#"{"exit_code":0,"broken":[]}"#)?["structuredContent"]?["output"] == nil)
        #expect(try answer(#"{"exit_code":4,"broken":[]}"#)?["structuredContent"]?["output"] == "boom")
        let none = try answer("")
        #expect(none?["isError"] == true && none?["content"]?[0]?["text"]?.string?.contains("boom") == true)
    }
}
