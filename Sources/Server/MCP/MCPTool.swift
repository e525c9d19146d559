import JSON
import Text

/// A tool: a row of ``all``.
///
/// It defines the tool's request to the admin API; the API validates it, and its refusals are the tool's.
struct MCPTool: Sendable {
    let name: String
    let summary: String
    /// Its own arguments, and the main members of its answer.
    let input, output: [MCPField]
    var isReadOnly = false
    var isDestructive = false
    var runsCommand = false
    /// The list member of an answer, which is paged; nil without one.
    var list: String?
    /// Whether elements of the list have a `number` that identifies the next page; otherwise pages count elements.
    var pagesByNumber = false
    let ask: @Sendable (MCPArguments) throws(MCPRefusal) -> Request

    enum Request {
        /// - Parameter path: The path below `/__admin`, with a query.
        case admin(_ method: String, _ path: String, JSONValue? = nil)
        case known(JSONValue)
        /// The words of this program's command line.
        case run([String])
    }

    /// The number of entries to request from the journal; they are shortened until they fit.
    static let entriesAtOnce = 50

    /// All arguments: its own, and those that every tool has.
    var arguments: [MCPField] { input + [.text("cursor"), .integer("max_bytes")] }

    /// As `tools/list` has it.
    var description: JSONValue {
        let needed = arguments.filter(\.isNeeded).map { JSONValue.string($0.name) }
        var schema = MCPField.schema(of: arguments)
        schema["additionalProperties"] = false
        if !needed.isEmpty { schema["required"] = .array(needed) }
        let answer = MCPField.schema(of: output + [.text("next_cursor"), .flag("cut"), .text("text")])
        let annotations: JSONValue = [
            "readOnlyHint": .bool(isReadOnly), "destructiveHint": .bool(isDestructive),
            "openWorldHint": .bool(runsCommand),
        ]
        return [
            "name": .string(name), "description": .string(summary), "inputSchema": .object(schema),
            "outputSchema": .object(answer), "annotations": annotations,
        ]
    }
}

/// A member of an object, with its JSON schema.
struct MCPField: Sendable {
    let name: String
    /// Types of JSON Schema; any value if empty.
    let types: [String]
    var summary = ""
    /// The only texts that it may be; any if empty.
    var words: [String] = []
    /// Its members, if it is an object of known ones.
    var members: [MCPField] = []
    private(set) var isNeeded = false

    static func text(_ name: String, _ summary: String = "") -> MCPField {
        MCPField(name: name, types: ["string"], summary: summary)
    }
    static func words(_ name: String, _ words: String...) -> MCPField {
        MCPField(name: name, types: ["string"], words: words)
    }
    static func integer(_ name: String) -> MCPField { MCPField(name: name, types: ["integer"]) }
    static func flag(_ name: String) -> MCPField { MCPField(name: name, types: ["boolean"]) }
    static func list(_ name: String, _ summary: String = "") -> MCPField {
        MCPField(name: name, types: ["array"], summary: summary)
    }
    static func object(_ name: String, _ summary: String = "", _ members: [MCPField] = []) -> MCPField {
        MCPField(name: name, types: ["object"], summary: summary, members: members)
    }
    static func any(_ name: String, _ types: [String] = [], _ summary: String = "") -> MCPField {
        MCPField(name: name, types: types, summary: summary)
    }

    /// The same as a required argument.
    var needed: MCPField {
        var field = self
        field.isNeeded = true
        return field
    }

    /// Whether a value is of its types; numbers pass as texts, such as the seed 7.
    func takes(_ value: JSONValue) -> Bool {
        types.isEmpty
            || types.contains { type in
                switch type {
                case "string": value.string != nil || value.number != nil
                case "integer": value.int != nil
                case "boolean": value.bool != nil
                case "array": value.array != nil
                case "object": value.object != nil
                default: value.isNull
                }
            }
    }

    private var schema: JSONValue {
        var schema: JSONObject = members.isEmpty ? [:] : Self.schema(of: members)
        let names = types.map(JSONValue.string)
        if !names.isEmpty { schema["type"] = names.count == 1 ? names[0] : .array(names) }
        if !words.isEmpty { schema["enum"] = .array(words.map(JSONValue.string)) }
        if !summary.isEmpty { schema["description"] = .string(summary) }
        return .object(schema)
    }

    /// An object with these members, or with others.
    static func schema(of fields: [MCPField]) -> JSONObject {
        let properties = JSONObject(fields.map { (key: $0.name, value: $0.schema) })
        return ["type": "object", "properties": .object(properties)]
    }
}

/// The arguments of a tool's call, all of which the tool knows.
struct MCPArguments: Sendable {
    private let values: JSONObject
    private let world: String?

    /// - Parameter world: The world if they name none.
    init(_ value: JSONValue?, of tool: MCPTool, world: String?) throws(MCPRefusal) {
        guard let values = (value ?? .object([:])).object else { throw MCPRefusal(MCPMessages.badArguments) }
        let fields = tool.arguments
        for (key, value) in values {
            guard let field = fields.first(where: { $0.name == key }) else {
                throw MCPRefusal(MCPMessages.unknown("argument", key, among: fields.map(\.name)))
            }
            guard field.takes(value) else { throw MCPRefusal(MCPMessages.wrongType(key, field.types, got: value)) }
            guard field.words.isEmpty || field.words.contains(value.string ?? "") else {
                throw MCPRefusal(MCPMessages.unknown(key, value.string ?? "", among: field.words))
            }
        }
        for field in fields where field.isNeeded && values[field.name] == nil {
            throw MCPRefusal(MCPMessages.lacksArgument(field.name))
        }
        self.values = values
        self.world = values["world"]?.string ?? world
    }

    subscript(name: String) -> JSONValue? { values[name] }
    var action: String { values["action"]?.string ?? "" }
    /// The id of the world as a segment of a path.
    var worldID: String { PercentCoding.encoded(world ?? "default") }

    /// The path below `/__admin` of something in the world.
    func inWorld(_ path: String) -> String { world == nil ? path : "worlds/\(worldID)/\(path)" }

    func required(_ name: String) throws(MCPRefusal) -> JSONValue {
        guard let value = values[name] else { throw MCPRefusal(MCPMessages.lacksArgument(name)) }
        return value
    }

    func text(_ name: String) throws(MCPRefusal) -> String {
        let value = try required(name)
        return value.string ?? value.description
    }

    /// The present ones of the names, as an object; whole numbers as texts where the API takes numbers.
    func picking(_ names: [String]) -> JSONValue {
        JSONValue.object(
            JSONObject(
                names.compactMap { name in
                    guard let value = values[name] else { return nil }
                    let isNumber = ["since", "to"].contains(name)
                    let number = isNumber ? value.string.flatMap { Int($0) } : nil
                    return (name, number.map { JSONValue(integerLiteral: $0) } ?? value)
                }))
    }

    /// The same as options of a command line: `--time-limit=60s`.
    func options(_ names: [String]) -> [String] {
        names.compactMap { name in values[name].map { Self.option(name, $0.string ?? $0.description) } }
    }

    /// An option of the command line, with a value or as a flag.
    static func option(_ name: String, _ value: String? = nil) -> String {
        "--\(name.replacing("_", with: "-"))" + (value.map { "=" + $0 } ?? "")
    }
}

/// Why a tool does nothing.
struct MCPRefusal: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
