import JSON
import TestSupport
import Testing

@testable import MCP

@Suite("Model Context Protocol: messages")
struct MCPServerTests {
    static let server = MCPServer(version: "1.2.3", command: "swift test")
    static let modern: JSONValue = [
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": [:],
    ]

    static func message(_ method: String, _ params: JSONValue = [:], id: JSONValue = 7, isModern: Bool = false)
        -> [UInt8]
    {
        var params = params.object ?? [:]
        if isModern { params["_meta"] = modern }
        let message: JSONValue = [
            "jsonrpc": "2.0", "id": id, "method": .string(method), "params": .object(params),
        ]
        return message.encoded()
    }

    static func answer(
        _ bytes: [UInt8], of server: MCPServer = server, field: ((String) -> String?)? = nil
    ) throws -> JSONValue {
        guard case .answer(let answer) = server.receive(bytes, field: field) else {
            throw TestFailure(String(decoding: bytes, as: UTF8.self))
        }
        #expect(!answer.bytes.contains(UInt8(ascii: "\n")))
        return try JSON.parse(answer.bytes)
    }

    struct TestFailure: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    @Test(
        "A handshake selects the requested revision or the newest revision that has handshakes",
        arguments: [
            ("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2025-11-25"),
            ("", "2025-11-25"),
        ])
    func handshake(asked: String, given: String) throws {
        let result = try #require(
            Self.answer(Self.message("initialize", ["protocolVersion": .string(asked)]))["result"])
        #expect(result["protocolVersion"] == .string(given) && result["serverInfo"]?["version"] == "1.2.3")
        #expect(result["capabilities"] == ["tools": [:], "resources": [:], "prompts": [:]])
        #expect(result["resultType"] == nil)
    }

    @Test("A request that names the newest revision gets its answer without a handshake")
    func modernResults() throws {
        let discovered = try #require(Self.answer(Self.message("server/discover", isModern: true))["result"])
        #expect(discovered["supportedVersions"] == ["2026-07-28", "2025-11-25", "2025-06-18"])
        #expect(discovered["resultType"] == "complete" && discovered["cacheScope"] == "private")
        #expect(discovered["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"] == "fitiq-mock")
        for method in ["initialize", "ping", "subscriptions/listen"] {
            let error = try Self.answer(Self.message(method, isModern: true))["error"]
            #expect(error?["code"] == -32601, "\(method)")
        }
    }

    @Test("A list has one page, which clients of the newest revision may keep")
    func lists() throws {
        for list in ["tools", "resources", "resources/templates", "prompts"] {
            let page = try Self.answer(Self.message(list + "/list", ["cursor": nil], isModern: true))["result"]
            #expect(page?["cacheScope"] == "private" && page?["ttlMs"] == 60_000, "\(list)")
            #expect(try Self.answer(Self.message(list + "/list", ["cursor": "2"]))["error"]?["code"] == -32602)
        }
    }

    @Test("The tool list has at most 16,000 bytes, and each schema names every argument of its tool")
    func toolList() throws {
        let answer = try Self.answer(Self.message("tools/list"))
        #expect(answer.encoded().count <= 16_000)
        let tools = try #require(answer["result"]?["tools"]?.array)
        #expect(tools.count == 12 && Set(tools.compactMap { $0["name"]?.string }).count == 12)
        for tool in tools {
            #expect(tool["inputSchema"]?["additionalProperties"] == false && tool["outputSchema"]?["type"] == "object")
            #expect(tool["annotations"]?["readOnlyHint"] != nil && tool["annotations"]?["destructiveHint"] != nil)
        }
        let withoutCommand = try Self.answer(Self.message("tools/list"), of: MCPServer(version: "1"))
        #expect(withoutCommand["result"]?["tools"]?.array?.count == 10)
    }

    static let refusals: [(message: String, code: JSONValue, hasID: Bool)] = [
        ("{", -32700, false), ("\u{FF}", -32700, false), ("[]", -32600, false), ("null", -32600, false),
        (#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600, true),
        (#"{"jsonrpc":"2.0","id":7}"#, -32600, true), (#"{"jsonrpc":"2.0","id":7,"method":5}"#, -32600, true),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, false),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, false),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, false),
        (#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#, -32600, true),
        (#"{"jsonrpc":"2.0","id":7,"method":"tools/lost"}"#, -32601, true),
        (#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#, -32602, true),
        (#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rm"}}"#, -32602, true),
        (#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}"#, -32602, true),
        (#"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}"#, -32602, true),
        (
            #"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"fitiq-mock://docs/../x"}}"#, -32602,
            true
        ),
        (#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"x"}}"#, -32602, true),
        (
            #"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1"}}}"#,
            -32022, true
        ),
        (
            #"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
            -32602, true
        ),
    ]

    @Test(
        "A message that breaks the protocol gets an error with a code and, if readable, its id",
        arguments: refusals.indices)
    func refuses(row: Int) throws {
        let (message, code, hasID) = Self.refusals[row]
        let answer = try Self.answer(Array(message.utf8))
        #expect(answer["error"]?["code"] == code && answer["id"] == (hasID ? 7 : nil), "\(message): \(answer)")
        #expect(answer["error"]?["message"]?.string?.isEmpty == false)
    }

    @Test("The server does not answer notifications or responses but recognizes cancellations")
    func notifications() {
        for text in [
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#,
        ] {
            guard case .nothing = Self.server.receive(Array(text.utf8)) else { Issue.record("\(text)"); continue }
        }
        let text = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#
        guard case .cancel("a") = Self.server.receive(Array(text.utf8)) else {
            Issue.record("another step")
            return
        }
    }

    @Test("The server rejects a message whose HTTP fields contradict it or are missing")
    func fields() throws {
        let call = Self.message("tools/call", ["name": "clock"], isModern: true)
        let right = ["MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "clock"]
        guard case .call = Self.server.receive(call, field: { right[$0] }) else {
            Issue.record("another step")
            return
        }
        let encoded = right.merging(["Mcp-Name": "=?base64?Y2xvY2s=?="]) { $1 }
        guard case .call = Self.server.receive(call, field: { encoded[$0] }) else {
            Issue.record("another step")
            return
        }
        for name in right.keys {
            for wrong in [nil, "x", "=?base64?!?="] {
                var fields = right
                fields[name] = wrong
                let error = try Self.answer(call, field: { fields[$0] })["error"]
                #expect(error?["code"] == -32020 && error?["message"]?.string?.contains(name) == true)
            }
        }
        for (revision, code) in [(nil, -32020), ("2025-03-26", -32020), ("2025-06-18", nil)] as [(String?, JSONValue?)]
        {
            let answer = try Self.answer(Self.message("tools/list"), field: { _ in revision })
            #expect(answer["error"]?["code"] == code)
        }
    }

    @Test("The server rejects a message beyond 1 MiB or 64 levels")
    func limits() throws {
        func ping(_ text: String) -> [UInt8] { Self.message("ping", ["x": .string(text)]) }
        let room = MCPLimits.message - ping("").count
        #expect(try Self.answer(ping(String(repeating: "a", count: room)))["result"] == [:])
        #expect(try Self.answer(ping(String(repeating: "a", count: room + 1)))["error"]?["code"] == -32600)
        for (depth, isTaken) in [(62, true), (63, false)] {
            let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let text = #"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":\#(nested)}}"#
            #expect(try (Self.answer(Array(text.utf8))["result"] != nil) == isTaken, "\(depth)")
        }
    }

    @Test("An answer to a corrupted message has at most 18,000 bytes, and a call's path has no spaces")
    func mutations() throws {
        var draw = Draw(seed: 7)
        let messages = [
            Self.message(
                "tools/call", ["name": "traffic", "arguments": ["path": "/a", "cursor": "9", "max_bytes": 2000]]),
            Self.message("resources/read", ["uri": "fitiq-mock://obligations/ids/lowercase?from=1"], isModern: true),
            Self.message(
                "tools/call", ["name": "scenario", "arguments": ["action": "load", "text": "a: [1, {b: c}]"]]),
            Self.message("prompts/get", ["name": "reproduce-bug", "arguments": ["bug": "x"]], id: "i", isModern: true),
        ]
        for _ in 0..<5000 {
            var bytes = draw.element(of: messages)
            for _ in 0...draw.below(3) {
                let place = draw.below(bytes.count)
                switch draw.below(3) {
                case 0: bytes[place] = UInt8(draw.below(256))
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: [draw.element(of: Array("\"{}[],:0e-.?/= \\".utf8))], at: place)
                }
            }
            switch Self.server.receive(bytes) {
            case .answer(let answer):
                #expect(answer.bytes.count <= 18_000 && (try? JSON.parse(answer.bytes))?["jsonrpc"] == "2.0")
            case .call(let call):
                guard case .admin(_, let path, _) = call.work else { break }
                #expect(path.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(path)")
            case .cancel, .nothing: break
            }
        }
    }

    @Test("However a stream is split, it yields the same lines, and only an overlong line fails")
    func lines() {
        let text = Array("{\"a\":1}\r\n\n  x\n\r\n{}\nrest".utf8)
        let expected = ["{\"a\":1}", "  x", "{}"].map { Array($0.utf8) }
        for cut in text.indices {
            var lines = MCPLines()
            #expect(lines.receive(text[..<cut]) + lines.receive(text[cut...]) == expected, "cut at \(cut)")
        }
        var lines = MCPLines()
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 3 * MCPLimits.message)
        #expect(lines.receive(long).isEmpty)
        let received = lines.receive(Array("\n{}\n".utf8))
        #expect(received.map(\.count) == [MCPLimits.message + 1, 2])
    }

    @Test("The server splits every resource into parts of at most 8,000 bytes")
    func resources() throws {
        let listed = try Self.answer(Self.message("resources/list"))["result"]?["resources"]?.array ?? []
        let uris = listed.compactMap { $0["uri"]?.string } + ["fitiq-mock://scenarios/limit-reached"]
        #expect(["faults", "fleet"].allSatisfy { uris.contains("fitiq-mock://docs/\($0)") })
        for first in uris {
            var (uri, pieces) = (String?.some(first), 0)
            while let next = uri {
                let content = try #require(
                    Self.answer(Self.message("resources/read", ["uri": .string(next)]))["result"]?["contents"]?[0])
                let text = try #require(content["text"]?.string)
                #expect(text.utf8.count <= MCPLimits.resource && content["uri"] == .string(next))
                let parts = text.split(separator: "\nIt continues at ", maxSplits: 1, omittingEmptySubsequences: false)
                uri =
                    parts.count == 2 ? parts[1].trimmingPrefix(" ").split(separator: "\n").first.map(String.init) : nil
                pieces += 1
                try #require(pieces < 100)
            }
            #expect(pieces > 0)
        }
        let page = try Self.answer(Self.message("resources/read", ["uri": "fitiq-mock://docs/faults"]))["result"]
        let start = try #require(page?["contents"]?[0]?["text"]?.string).prefix(4000)
        #expect(try textOfPackage("docs/faults.md").hasPrefix(start))
    }

    @Test("A prompt's text contains its argument, and the server rejects an unknown argument")
    func prompts() throws {
        let arguments: JSONValue = ["name": "keep-the-contract", "arguments": ["client": "Sources/Net"]]
        let prompt = try Self.answer(Self.message("prompts/get", arguments))["result"]
        let text = try #require(prompt?["messages"]?[0]?["content"]?["text"]?.string)
        #expect(text.contains("Sources/Net") && text.contains("'verify'"))
        let wrong: JSONValue = ["name": "keep-the-contract", "arguments": ["clent": "x"]]
        #expect(try Self.answer(Self.message("prompts/get", wrong))["error"]?["code"] == -32602)
    }
}
