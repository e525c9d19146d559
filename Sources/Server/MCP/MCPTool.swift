import JSON
import Text

/// A tool, as a row of ``all``.
///
/// The row says which request the tool makes to the admin API. The API validates the request, and the tool passes on
/// its refusals.
struct MCPTool: Sendable {
    let name: String
    let summary: String
    /// The tool's own arguments, and the main members of its answer.
    let input, output: [MCPField]
    var isReadOnly = false
    var isDestructive = false
    var runsCommand = false
    /// The member of the answer that is a list, which comes in pages; nil if there is none.
    var list: String?
    /// Whether a cursor is the `number` of an element; otherwise it counts elements.
    var pagesByNumber = false
    let ask: @Sendable (MCPArguments) throws(MCPRefusal) -> Request

    enum Request {
        /// - Parameter path: The path below `/__admin`, with the query.
        case admin(_ method: String, _ path: String, JSONValue? = nil)
        case known(JSONValue)
        /// The arguments of this program's command line.
        case run([String])
    }

    /// The number of journal entries to request; ``MCPShape`` shortens them.
    static let entriesAtOnce = 50

    /// The tool's own arguments, and those that every tool has.
    var arguments: [MCPField] { input + [.text("cursor"), .integer("max_bytes")] }

    /// The tool's entry in `tools/list`.
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
    /// The permitted texts; empty permits any.
    var words: [String] = []
    /// The members of an object, if they are known.
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

    /// This field as a required argument.
    var needed: MCPField {
        var field = self
        field.isNeeded = true
        return field
    }

    /// Whether a value has one of the types; a number, such as the seed 7, also passes as a text.
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

    /// The schema of an object that may have these members and others.
    static func schema(of fields: [MCPField]) -> JSONObject {
        let properties = JSONObject(fields.map { (key: $0.name, value: $0.schema) })
        return ["type": "object", "properties": .object(properties)]
    }
}

/// The checked arguments of a tool's call.
struct MCPArguments: Sendable {
    private let values: JSONObject
    private let world: String?

    /// - Parameter world: The world if the arguments name none.
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
    /// The world's id, percent-encoded as a segment of a path.
    var worldID: String { PercentCoding.encoded(world ?? "default") }

    /// Puts the world's prefix before a path below `/__admin`.
    func inWorld(_ path: String) -> String { world == nil ? path : "worlds/\(worldID)/\(path)" }

    func required(_ name: String) throws(MCPRefusal) -> JSONValue {
        guard let value = values[name] else { throw MCPRefusal(MCPMessages.lacksArgument(name)) }
        return value
    }

    func text(_ name: String) throws(MCPRefusal) -> String {
        let value = try required(name)
        return value.string ?? value.description
    }

    /// The arguments with these names as an object; turns texts into whole numbers where the API takes numbers.
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

    /// The arguments with these names as options of a command line: `--time-limit=60s`.
    func options(_ names: [String]) -> [String] {
        names.compactMap { name in values[name].map { Self.option(name, $0.string ?? $0.description) } }
    }

    /// An option of the command line, with a value or as a flag.
    static func option(_ name: String, _ value: String? = nil) -> String {
        "--\(name.replacing("_", with: "-"))" + (value.map { "=" + $0 } ?? "")
    }
}

/// The reason why a tool refuses its call.
struct MCPRefusal: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
