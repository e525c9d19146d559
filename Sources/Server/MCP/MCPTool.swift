import JSON
import Scenarios
import Text

/// A tool: a row of ``MCPTable``.
///
/// The row has the JSON schemas that clients get, and the admin API request for each kind of call. The API validates
/// the request, and the tool forwards the API's refusals.
struct MCPTool: Sendable {
    let name: String
    /// The tool's entry in `tools/list`.
    let description: JSONValue
    /// The schemas of the tool's own arguments and of the arguments that every tool has, by name.
    let arguments: JSONObject
    private let ownArguments: [String]
    let neededArguments: [String]
    /// The name of the answer's list, which is sent in pages; nil if the answer has no list.
    let list: String?
    /// Whether a cursor is an element's `number`; otherwise the cursor is an element count.
    let pagesByNumber: Bool
    let runsCommand: Bool
    private let requests: [JSONValue]

    /// The number of journal entries to request; ``MCPShape`` shortens them.
    static let entriesAtOnce = 50

    static let all = MCPTable.rows("tools").map(MCPTool.init)

    private init(_ row: JSONValue) {
        name = row["name"]?.string ?? ""
        list = row["list"]?.string
        pagesByNumber = row["pages_by_number"] == true
        runsCommand = row["runs_command"] == true
        requests = row["requests"]?.array ?? []
        neededArguments = row["required"]?.array?.compactMap(\.string) ?? []
        var (arguments, output) = (row["input"]?.object ?? [:], row["output"]?.object ?? [:])
        ownArguments = arguments.keys
        (arguments["cursor"], arguments["max_bytes"]) = (["type": "string"], ["type": "integer"])
        output["next_cursor"] = ["type": "string"]
        (output["cut"], output["text"]) = (["type": "boolean"], ["type": "string"])
        self.arguments = arguments
        var input: JSONObject = [
            "type": "object", "properties": .object(arguments), "additionalProperties": false,
        ]
        input["required"] = row["required"]
        description = [
            "name": .string(name), "description": row["description"] ?? .null, "inputSchema": .object(input),
            "outputSchema": ["type": "object", "properties": .object(output)],
            "annotations": [
                "readOnlyHint": row["reads_only"] ?? false, "destructiveHint": row["destroys"] ?? false,
                "openWorldHint": .bool(runsCommand),
            ],
        ]
    }

    /// The work for a call: the request in the first row of `requests` that has the call's `action` and whose `if`
    /// names one of the call's arguments.
    func ask(_ arguments: MCPArguments) throws(Refusal) -> MCPCall.Work {
        if runsCommand { return .run([name] + arguments.options(in: ownArguments)) }
        if name == "scenario", arguments["action"] == "show" {
            let name = try arguments.text("name")
            guard let text = Scenario.builtInText(named: name) else { throw Refusal(Scenario.unknownBuiltIn(name)) }
            return .known(["name": .string(name), "yaml": .string(text)])
        }
        let row = requests.first { row in
            (row["action"] == nil || row["action"] == arguments["action"])
                && (row["if"]?.array?.contains { arguments[$0.string ?? ""] != nil } ?? true)
        }
        guard let row, let words = row["send"]?.string?.split(separator: " "), words.count == 2 else {
            preconditionFailure("The tool table has no request for \(name).")
        }
        let path = try arguments.path(words[1]) + (row["query"] == true ? arguments.query : "")
        let body = try row["body"].map { (body) throws(Refusal) in try arguments.filled(body) ?? [:] }
        return .admin(method: String(words[0]), path: path, body: body?.encoded())
    }
}

/// The checked arguments of a tool call.
struct MCPArguments: Sendable {
    private let values: JSONObject
    private let world: String?

    /// - Parameter world: The world to use if the arguments do not name one.
    init(_ value: JSONValue?, of tool: MCPTool, world: String?) throws(Refusal) {
        guard let given = (value ?? [:]).object else { throw Refusal("A tool's 'arguments' must be an object.") }
        values = given
        for (key, value) in given {
            guard let schema = tool.arguments[key] else {
                throw Refusal(MCPServer.unknown("argument", key, among: tool.arguments.keys))
            }
            let types = (schema["type"]?.array ?? [schema["type"] ?? .null]).compactMap(\.string)
            guard types.contains(where: { Self.takes($0, value) }) else {
                throw Refusal(
                    "'\(key)' must be of type \(Words.list(types, last: "or")), not \(value.typeName): "
                        + "\(value.excerpt()).")
            }
            if let words = schema["enum"]?.array?.compactMap(\.string), !words.contains(value.string ?? "") {
                throw Refusal(MCPServer.unknown(key, value.string ?? "", among: words))
            }
        }
        self.world = values["world"]?.string ?? world
        for name in tool.neededArguments { _ = try required(name) }
    }

    /// Whether a value has a JSON Schema type; a number, such as the seed 7, is also accepted as a string.
    private static func takes(_ type: String, _ value: JSONValue) -> Bool {
        switch type {
        case "string": value.string != nil || value.number != nil
        case "integer": value.int != nil
        case "boolean": value.bool != nil
        case "array": value.array != nil
        case "object": value.object != nil
        default: value.isNull
        }
    }

    subscript(name: String) -> JSONValue? { values[name] }

    private func required(_ name: String) throws(Refusal) -> JSONValue {
        guard let value = values[name] else { throw Refusal("The argument '\(name)' is missing.") }
        return value
    }

    func text(_ name: String) throws(Refusal) -> String { try Self.text(of: required(name)) }
    private static func text(of value: JSONValue) -> String { value.string ?? value.description }

    // MARK: The parts of a request

    /// A path from the table with the arguments filled in: `~` is the call's world, and `{name}` is an argument as one
    /// segment.
    func path(_ template: Substring) throws(Refusal) -> String {
        let id = PercentCoding.encoded(world ?? "default")
        var path: [String] = []
        for part in template.split(separator: "/") {
            switch part {
            case "~": path += world == nil ? [] : ["worlds", id]
            case "{world}": path.append(id)
            default:
                guard let name = Self.argument(in: String(part)) else { path.append(String(part)); continue }
                path.append(PercentCoding.encoded(try text(name)))
            }
        }
        return path.joined(separator: "/")
    }

    private static func argument(in text: String) -> String? {
        text.first == "{" && text.last == "}" ? String(text.dropFirst().dropLast()) : nil
    }

    /// A body from the table with the arguments filled in.
    ///
    /// `"{name}"` is a required argument, `"{name?}"` is an optional argument, and `"{name:yaml}"` is a scenario file
    /// as JSON. The member `...` is replaced by the members of its value. A list of names becomes an object that
    /// contains whichever of the named arguments the call has.
    func filled(_ template: JSONValue) throws(Refusal) -> JSONValue? {
        if let names = template.array?.compactMap(\.string) { return picking(names) }
        if let name = template.string.flatMap(Self.argument) {
            if name.hasSuffix(":yaml") { return try scenario(text(String(name.dropLast(5)))) }
            return name.last == "?" ? values[String(name.dropLast())] : try required(name)
        }
        guard let members = template.object else { return template }
        var object: JSONObject = [:]
        for (key, member) in members {
            guard let value = try filled(member) else { continue }
            for (key, value) in key == "..." ? value.object ?? [:] : [key: value] { object[key] = value }
        }
        return .object(object)
    }

    private func scenario(_ text: String) throws(Refusal) -> JSONValue {
        guard text.utf8.count <= MCPLimits.scenario else {
            throw Refusal(
                "The scenario has \(text.utf8.count) bytes; 'load' accepts at most \(MCPLimits.scenario). Import large "
                    + "data with 'state'.")
        }
        do throws(ScenarioErrors) {
            return try JSONValue(yaml: Array(text.utf8))
        } catch {
            throw Refusal(error.description)
        }
    }

    /// Converts strings to whole numbers where the API expects numbers.
    private func picking(_ names: [String]) -> JSONValue {
        let members = names.compactMap { name -> JSONObject.Element? in
            guard let value = values[name] else { return nil }
            let number = ["since", "to"].contains(name) ? value.string.flatMap { Int($0) } : nil
            return (name, number.map { JSONValue(integerLiteral: $0) } ?? value)
        }
        return .object(JSONObject(members))
    }

    /// The conditions, cursor and limit for a list of journal entries, as a query.
    var query: String {
        var query = values
        for name in ["world", "cursor", "max_bytes"] { query[name] = nil }
        query["before"] = values["cursor"]
        query["limit"] = query["limit"] ?? JSONValue(integerLiteral: MCPTool.entriesAtOnce)
        return query.reduce(into: "") { text, item in
            text += "\(text.isEmpty ? "?" : "&")\(item.key)=\(PercentCoding.encoded(Self.text(of: item.value)))"
        }
    }

    /// The arguments with these names as command-line options: `--time-limit=60s`, `--all`, and `--scenario=NAME` for
    /// each element of `scenarios`.
    func options(in names: [String]) -> [String] {
        names.flatMap { name -> [String] in
            let option = "--" + name.replacing("_", with: "-")
            switch values[name] {
            case nil, false?: return []
            case true?: return [option]
            case .array(let elements)?: return elements.compactMap(\.string).map { "\(option.dropLast())=\($0)" }
            case let value?: return ["\(option)=\(Self.text(of: value))"]
            }
        }
    }
}
