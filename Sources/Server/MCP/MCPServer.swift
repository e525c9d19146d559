import Digests
import JSON
import Text

/// A Model Context Protocol server as a pure function of messages, without state, clock, sockets or processes.
///
/// The server turns a client's message into a step: a message to send back, or a tool call. The caller performs the
/// tool call and passes the result to it; the tool call then creates the message for the client. On stdio, the caller
/// sends the request over HTTP. For `POST /__admin/mcp`, the engine handles the request directly. A client may have any
/// number of concurrent requests.
///
/// The server speaks two generations of the protocol. A request that names its revision in `_meta` follows
/// ``modernRevision`` and needs no handshake (2026-07-28, "Versioning and Compatibility"). Any other request follows
/// one of ``handshakeRevisions``. These revisions agree on everything that the server supports, so the server does not
/// remember the handshake. The server does not support subscriptions or sessions, and sends no requests to the client.
public struct MCPServer: Sendable {
    /// The program's version.
    public let version: String
    /// The world for calls that do not name a world; nil for the default world.
    public let world: String?
    /// The command for `verify` and `explore`, which only the operator can set, never a client; nil for none.
    public let command: String?

    public init(version: String, world: String? = nil, command: String? = nil) {
        (self.version, self.world, self.command) = (version, world, command)
    }

    public static let modernRevision = "2026-07-28"
    /// The revisions that use a handshake, newest first; a client that asks for an unknown revision is offered the
    /// newest.
    public static let handshakeRevisions = ["2025-11-25", "2025-06-18"]
    private static let revisionKey = "io.modelcontextprotocol/protocolVersion"
    private static let capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

    /// The result of a message.
    public enum Step: Sendable {
        /// The message was a notification or an unsolicited response, so there is nothing to do.
        case nothing
        /// A message for the client.
        case answer(MCPAnswer)
        /// A tool call that the caller must perform.
        case call(MCPCall)
        /// The client cancels the request that has this id.
        case cancel(JSONValue)
    }

    /// Handles a message; refuses a message of more than ``MCPLimits/message`` bytes.
    ///
    /// - Parameter field: Looks up a field of the message's HTTP request; nil on stdio.
    public func receive(_ bytes: [UInt8], field: ((String) -> String?)? = nil) -> Step {
        guard bytes.count <= MCPLimits.message else {
            let error = MCPError(
                .invalidRequest,
                "A message can have at most \(MCPLimits.message) bytes. Import a larger state through the admin API.")
            return .answer(error.answer(to: nil, isModern: true))
        }
        let message: JSONValue
        do throws(JSONError) {
            message = try JSON.parse(bytes, limits: MCPLimits.json)
        } catch {
            return .answer(MCPError(.parse, "The message is not JSON: \(error).").answer(to: nil, isModern: true))
        }
        let given = message["id"]
        let id = given?.string != nil || given?.int != nil ? given : nil
        let meta = message["params"]?["_meta"]?[Self.revisionKey]
        let isModern = meta != nil
        do throws(MCPError) {
            guard message["jsonrpc"] == "2.0" else {
                throw MCPError(
                    .invalidRequest,
                    message.array == nil
                        ? "A message must be an object with \"jsonrpc\": \"2.0\"; this one is \(message.excerpt())."
                        : "This server accepts one message at a time, not JSON-RPC batches.")
            }
            guard let method = message["method"]?.string else {
                guard message["method"] == nil, message["result"] != nil || message["error"] != nil else {
                    throw MCPError(
                        .invalidRequest,
                        "A request must have a 'method' (a string); a response must have a 'result' or an 'error'.")
                }
                return .nothing
            }
            guard message["params"]?.object != nil || message["params"] == nil else {
                throw MCPError(.invalidRequest, "A message's 'params' must be an object.")
            }
            guard message["id"] != nil else {
                guard method == "notifications/cancelled", let cancelled = message["params"]?["requestId"] else {
                    return .nothing
                }
                return .cancel(cancelled)
            }
            guard let id else {
                throw MCPError(.invalidRequest, "A request's 'id' must be a string or a whole number.")
            }
            let request = MCPRequest(
                id: id, method: method, params: message["params"] ?? .object([:]), isModern: isModern, server: self)
            try checkRevision(of: request, field)
            return try answer(request)
        } catch {
            return .answer(error.answer(to: id, isModern: isModern))
        }
    }

    /// Refuses unknown revisions, and HTTP fields that contradict the message.
    private func checkRevision(of request: MCPRequest, _ field: ((String) -> String?)?) throws(MCPError) {
        let revision = request.meta[Self.revisionKey]
        if let revision {
            guard revision == .string(Self.modernRevision) else {
                throw MCPError(
                    .unsupportedRevision, "This server does not support protocol revision \(revision.excerpt()).",
                    data: [
                        "supported": .array(([Self.modernRevision] + Self.handshakeRevisions).map(JSONValue.string)),
                        "requested": .string(revision.string ?? revision.description),
                    ])
            }
            guard request.meta[Self.capabilitiesKey]?.object != nil else {
                throw MCPError(
                    .invalidParameters, "A request's '_meta' must have '\(Self.capabilitiesKey)' (an object).")
            }
        }
        guard let field else { return }
        let named = field("MCP-Protocol-Version")
        guard revision == nil else {
            let name = request.params["name"] ?? request.params["uri"]
            let isNamed = ["tools/call", "resources/read", "prompts/get"].contains(request.method)
            let expected: [(String, JSONValue?)] = [
                ("MCP-Protocol-Version", revision), ("Mcp-Method", .string(request.method)),
                ("Mcp-Name", isNamed ? name : nil),
            ]
            for (field, value, sent) in expected.map({ ($0.0, $0.1, field($0.0)) }) where value != nil {
                guard sent.map(Self.decoded) == value?.string else {
                    throw MCPError(
                        .headerMismatch,
                        "The field \(field) is \(sent.map { $0.quoted() } ?? "missing"), but the message says "
                            + "\((value ?? .null).excerpt()).")
                }
            }
            return
        }
        if named == nil, request.method == "initialize" { return }
        guard let named, Self.handshakeRevisions.contains(named) else {
            let sent = named.map { "is \($0.quoted())" } ?? "is missing"
            throw MCPError(
                .headerMismatch,
                "The field MCP-Protocol-Version \(sent). After 'initialize' it must be "
                    + "\(Words.list(Self.handshakeRevisions, last: "or")); a request with \(Self.modernRevision) must "
                    + "also say so in its '_meta'.")
        }
    }

    /// Decodes an HTTP field that repeats a part of a message (2026-07-28, "Value Encoding").
    private static func decoded(_ value: String) -> String {
        let (prefix, suffix) = ("=?base64?", "?=")
        guard value.hasPrefix(prefix), value.hasSuffix(suffix) else { return value }
        let text = String(value.dropFirst(prefix.count).dropLast(suffix.count))
        return Base64.decode(text).map { String(decoding: $0, as: UTF8.self) } ?? value
    }

    // MARK: Methods

    private func answer(_ request: MCPRequest) throws(MCPError) -> Step {
        switch (request.method, request.isModern) {
        case ("initialize", false):
            let asked = request.params["protocolVersion"]?.string ?? ""
            let revision = Self.handshakeRevisions.contains(asked) ? asked : Self.handshakeRevisions[0]
            return .answer(
                request.result([
                    "protocolVersion": .string(revision), "capabilities": Self.capabilities, "serverInfo": info,
                    "instructions": .string(instructions),
                ]))
        case ("server/discover", true):
            return .answer(
                request.result(
                    [
                        "supportedVersions": .array(
                            ([Self.modernRevision] + Self.handshakeRevisions).map(JSONValue.string)),
                        "capabilities": Self.capabilities, "instructions": .string(instructions),
                    ], isCacheable: true))
        case ("ping", false): return .answer(request.result([:]))
        case ("tools/list", _): return .answer(try request.list("tools", tools.map(\.description)))
        case ("tools/call", _): return try call(request)
        case ("resources/list", _): return .answer(try request.list("resources", MCPResource.listed))
        case ("resources/templates/list", _):
            return .answer(try request.list("resourceTemplates", MCPResource.templates))
        case ("resources/read", _):
            let uri = try request.text("uri")
            guard let content = MCPResource.read(uri) else {
                throw MCPError(
                    .invalidParameters,
                    "There is no resource \(uri.quoted()). resources/list and resources/templates/list show the "
                        + "existing resources.", data: ["uri": .string(uri)])
            }
            return .answer(request.result(["contents": [content]], isCacheable: true))
        case ("prompts/list", _): return .answer(try request.list("prompts", MCPPrompt.all.map(\.description)))
        case ("prompts/get", _):
            let name = try request.text("name")
            guard let prompt = MCPPrompt.all.first(where: { $0.name == name }) else {
                throw MCPError(
                    .invalidParameters, Self.unknown("prompt", name, among: MCPPrompt.all.map(\.name)))
            }
            let arguments = request.params["arguments"]
            return .answer(request.result(try prompt.filled(with: arguments, hasCommand: command != nil)))
        default: throw MCPError(.unknownMethod, "There is no method \(request.method.quoted()).")
        }
    }

    private static let capabilities: JSONValue = ["tools": [:], "resources": [:], "prompts": [:]]
    var info: JSONValue { ["name": "fitiq-mock", "title": "FitIQ fake backend", "version": .string(version)] }
    private var instructions: String { MCPTable.instructions(hasCommand: command != nil) }

    /// The tools; tools that run a command are omitted if the operator did not set one.
    var tools: [MCPTool] { MCPTool.all.filter { command != nil || !$0.runsCommand } }

    private func call(_ request: MCPRequest) throws(MCPError) -> Step {
        let name = try request.text("name")
        guard let tool = MCPTool.all.first(where: { $0.name == name }) else {
            throw MCPError(.invalidParameters, Self.unknown("tool", name, among: tools.map(\.name)))
        }
        do throws(Refusal) {
            let arguments = try MCPArguments(request.params["arguments"], of: tool, world: world)
            let shape = try MCPShape(tool, arguments)
            let work = try tool.ask(arguments)
            if case .known(let value) = work { return .answer(request.toolResult(value, shape)) }
            if case .run = work, command == nil {
                throw Refusal(
                    "'\(name)' runs only the command that the server was started with, such as 'swift test', but "
                        + "this server was started without a command. Ask the operator to add one, or run the client "
                        + "against a world's url and request its verdicts.")
            }
            return .call(MCPCall(work: work, request: request, shape: shape))
        } catch {
            return .answer(request.toolError(error.description))
        }
    }
}

public enum MCPLimits {
    /// The maximum size of a message, and of a line on stdio, in bytes.
    public static let message = 1 << 20
    /// The default size of a tool's answer in bytes of JSON, and the range that a call may request.
    public static let answer = 8000
    static let answers = 1000...100_000
    /// The maximum size of a scenario for `load` in bytes, which is limited because the loop parses it.
    static let scenario = 64 * 1024
    /// The size of one part of a resource, in bytes.
    public static let resource = 8000
    /// The maximum number of concurrent requests from a client on stdio.
    public static let requests = 64
    static let json = JSON.Limits(depth: 64, bytes: message, values: 200_000)
}

/// A client's request.
struct MCPRequest: Sendable {
    let id: JSONValue
    let method: String
    let params: JSONValue
    /// Whether the request follows ``MCPServer/modernRevision``.
    let isModern: Bool
    let server: MCPServer

    var meta: JSONObject { params["_meta"]?.object ?? [:] }

    func text(_ name: String) throws(MCPError) -> String {
        guard let text = params[name]?.string else {
            throw MCPError(.invalidParameters, "'params' must have '\(name)' (a string).")
        }
        return text
    }

    /// A list on one page; refuses cursors.
    func list(_ name: String, _ elements: [JSONValue]) throws(MCPError) -> MCPAnswer {
        if let cursor = params["cursor"], cursor != .null {
            throw MCPError(
                .invalidParameters, "The cursor \(cursor.excerpt()) is invalid: this list has only one page.")
        }
        return result([name: .array(elements)], isCacheable: true)
    }

    func result(_ members: JSONObject, isCacheable: Bool = false) -> MCPAnswer {
        var result = members
        if isModern {
            result["resultType"] = "complete"
            result["_meta"] = ["io.modelcontextprotocol/serverInfo": server.info]
            // The lists can change at any time, because a newer version of the program may start.
            if isCacheable { (result["ttlMs"], result["cacheScope"]) = (60_000, "private") }
        }
        return MCPAnswer(["jsonrpc": "2.0", "id": id, "result": .object(result)])
    }

    /// A tool's result as a value and as text, for clients that read only text (2025-11-25, "Structured Content").
    func toolResult(_ value: JSONValue, _ shape: MCPShape) -> MCPAnswer {
        let fitted = shape.fit(value)
        return result([
            "content": [["type": "text", "text": .string(fitted.description)]], "structuredContent": fitted,
            "isError": false,
        ])
    }

    /// A refusal that a model can act on: a tool result, not a protocol error.
    func toolError(_ text: String) -> MCPAnswer {
        let text =
            text.utf8.count > MCPLimits.answer ? MCPShape.beginning(of: text, bytes: MCPLimits.answer) + "…" : text
        return result(["content": [["type": "text", "text": .string(text)]], "isError": true])
    }
}

/// A message for a client.
public struct MCPAnswer: Sendable {
    /// JSON without line breaks.
    public let bytes: [UInt8]
    /// The HTTP status if the message is sent over HTTP.
    public let status: Int

    init(_ message: JSONValue, status: Int = 200) { (bytes, self.status) = (message.encoded(), status) }
}

extension MCPServer {
    static func unknown(_ noun: String, _ name: String, among names: [String]) -> String {
        "There is no \(noun) \(name.quoted()).\(NearestWord.hint(name, among: names)) Use "
            + "\(Words.list(names, last: "or"))."
    }
}

/// A refusal as a JSON-RPC error.
struct MCPError: Error {
    let code: Code
    let message: String
    let data: JSONValue?

    /// JSON-RPC 2.0, section 5.1, and revision 2026-07-28, "Error Codes".
    enum Code: Int {
        case parse = -32700
        case invalidRequest = -32600
        case unknownMethod = -32601
        case invalidParameters = -32602
        case headerMismatch = -32020
        case unsupportedRevision = -32022
    }

    init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        (self.code, self.message, self.data) = (code, message, data)
    }

    /// - Parameter isModern: Whether the HTTP status also reports the error. Clients of earlier revisions interpret 404
    ///   as the end of a session.
    func answer(to id: JSONValue?, isModern: Bool) -> MCPAnswer {
        var error: JSONObject = ["code": JSONValue(integerLiteral: code.rawValue), "message": .string(message)]
        if let data { error["data"] = data }
        var answer: JSONObject = ["jsonrpc": "2.0", "error": .object(error)]
        if let id { answer["id"] = id }
        let status =
            switch code {
            case .headerMismatch: 400
            case .unknownMethod: isModern ? 404 : 200
            default: isModern || id == nil ? 400 : 200
            }
        return MCPAnswer(.object(answer), status: status)
    }
}

/// A tool call.
///
/// The code that performs the work creates the message for the client.
public struct MCPCall: Sendable {
    public let work: Work
    let request: MCPRequest
    let shape: MCPShape

    public enum Work: Sendable {
        /// A request to the admin API.
        ///
        /// - Parameters:
        ///   - path: The path below `/__admin`, with the query.
        ///   - body: The body as JSON; nil if there is none.
        case admin(method: String, path: String, body: [UInt8]?)
        /// A run of the operator's command, with this program's arguments before `--`: `verify`, `--scenario=default`.
        case run([String])
        /// No work: the result is already known.
        case known(JSONValue)
    }

    public var id: JSONValue { request.id }

    /// The maximum size of an answer from the admin API, in bytes.
    public static let answerLimit = 8 << 20

    /// The message for the client after a request to the admin API.
    ///
    /// - Parameter body: The response's body; nil if it exceeds ``answerLimit``.
    public func answer(status: Int, body: [UInt8]?) -> MCPAnswer {
        guard let body else { return request.toolError("The answer exceeds 8 MiB; call the admin API directly.") }
        let value = body.isEmpty ? .object(["done": true]) : try? JSON.parse(body)
        guard (200...299).contains(status) else {
            guard let error = value?["error"], let message = error["message"]?.string else {
                return request.toolError(
                    "The admin API answered \(status): \((value ?? .null).excerpt(limit: 400))")
            }
            let details = error["details"].map { "\n" + $0.excerpt(limit: shape.limit / 4) } ?? ""
            return request.toolError("\(status): \(message)\(details)")
        }
        guard let value else { return request.toolError("The admin API answered \(status) without JSON.") }
        return request.toolResult(value, shape)
    }

    /// The message for the client if the work could not be done.
    public func failure(_ reason: String) -> MCPAnswer { request.toolError(reason) }

    // MARK: Runs

    /// A progress message; nil if the client did not ask for progress messages.
    ///
    /// - Parameter count: A number that is greater than in earlier messages.
    public func progress(_ text: String, count: Int) -> [UInt8]? {
        guard let token = request.meta["progressToken"], token.string != nil || token.int != nil else { return nil }
        let params: JSONValue = [
            "progressToken": token, "progress": JSONValue(integerLiteral: count + 1), "message": .string(text),
        ]
        let message: JSONValue = ["jsonrpc": "2.0", "method": "notifications/progress", "params": params]
        return message.encoded()
    }

    /// The message for the client after a run.
    ///
    /// - Parameters:
    ///   - report: The run's report as JSON; empty if it wrote none.
    ///   - output: The end of the run's output.
    public func answer(report: [UInt8], output: String) -> MCPAnswer {
        guard var object = (try? JSON.parse(report))?.object else {
            return request.toolError("The run produced no report. Its output:\n" + output)
        }
        // The output says why the command failed, or why no client connected.
        if object["exit_code"] != 0, object["exit_code"] != 1 || object["troubles"]?.array?.isEmpty == false {
            object["output"] = .string(output)
        }
        return request.toolResult(.object(object), shape)
    }
}
