import JSON
import Texts

/// `Fixtures/data/agents.json`: the tools and prompts, with all the text that models read.
enum MCPTable {
    private static let table: JSONValue = {
        let text = EmbeddedText(path: "Fixtures/data/agents.json")
        let table = try? JSON.parse(UnsafeBufferPointer(start: text.start, count: text.count))
        guard let table else { preconditionFailure("The table must be JSON.") }
        return table
    }()

    static func rows(_ name: String) -> [JSONValue] { table[name]?.array ?? [] }

    static func instructions(hasCommand: Bool) -> String { text(of: table["instructions"], hasCommand: hasCommand) }

    /// A row's text; the value of `{run}` depends on whether the operator allowed a command.
    static func text(of row: JSONValue?, hasCommand: Bool) -> String {
        let run = row?[hasCommand ? "with_command" : "without_command"]?.string ?? ""
        return (row?["text"]?.string ?? "").replacing("{run}", with: run)
    }
}

/// A prompt that a person requests from an agent by name; it takes one optional argument.
struct MCPPrompt: Sendable {
    let name: String
    private let row: JSONValue

    static let all = MCPTable.rows("prompts").map { MCPPrompt(name: $0["name"]?.string ?? "", row: $0) }

    var description: JSONValue {
        [
            "name": .string(name), "description": row["description"] ?? .null,
            "arguments": .array([row["argument"] ?? .null]),
        ]
    }

    func filled(with arguments: JSONValue?, hasCommand: Bool) throws(MCPError) -> JSONObject {
        let name = row["argument"]?["name"]?.string ?? ""
        for (key, value) in arguments?.object ?? [:] where key != name || value.string == nil {
            throw MCPError(.invalidParameters, MCPServer.unknown("argument", key, among: [name]))
        }
        let given = arguments?[name]?.string
        let words = row[given == nil ? "absent" : "given"]?.string?.replacing("{\(name)}", with: given ?? "") ?? ""
        let text = MCPTable.text(of: row, hasCommand: hasCommand).replacing("{argument}", with: words)
        let content: JSONValue = ["type": "text", "text": .string(text)]
        return ["description": row["description"] ?? .null, "messages": [["role": "user", "content": content]]]
    }
}
