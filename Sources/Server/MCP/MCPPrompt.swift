import JSON

/// A prompt that a person requests from an agent by name, with one optional argument.
struct MCPPrompt: Sendable {
    let name: String
    let summary: String
    let argument: (name: String, summary: String)
    let text: @Sendable (_ argument: String?, _ hasCommand: Bool) -> String

    var description: JSONValue {
        let argument: JSONValue = [
            "name": .string(argument.name), "description": .string(argument.summary), "required": false,
        ]
        return ["name": .string(name), "description": .string(summary), "arguments": [argument]]
    }

    func filled(with arguments: JSONValue?, hasCommand: Bool) throws(MCPError) -> JSONObject {
        for (key, value) in arguments?.object ?? [:] where key != argument.name || value.string == nil {
            throw MCPError(.invalidParameters, MCPMessages.unknown("argument", key, among: [argument.name]))
        }
        let text = text(arguments?[argument.name]?.string, hasCommand)
        let content: JSONValue = ["type": "text", "text": .string(text)]
        return ["description": .string(summary), "messages": [["role": "user", "content": content]]]
    }

    static let all = [
        MCPPrompt(
            name: "keep-the-contract", summary: "Make my client keep the contract",
            argument: ("client", "the folder or the type of the client"), text: MCPMessages.keepTheContract),
        MCPPrompt(
            name: "reproduce-bug", summary: "Reproduce this bug", argument: ("bug", "what goes wrong, and when"),
            text: MCPMessages.reproduceBug),
    ]
}
