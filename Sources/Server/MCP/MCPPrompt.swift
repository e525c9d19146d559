import JSON

/// A prompt that users select by name in their agent.
struct MCPPrompt: Sendable {
    let name: String
    let summary: String
    /// The optional arguments with their descriptions.
    let arguments: [(name: String, summary: String)]
    /// - Parameter command: The command of `verify`; nil without one.
    let text: @Sendable (_ arguments: [String: String], _ command: String?) -> String  // Keyed by the names above.

    var description: JSONValue {
        [
            "name": .string(name), "description": .string(summary),
            "arguments": .array(
                arguments.map { ["name": .string($0.name), "description": .string($0.summary), "required": false] }),
        ]
    }

    func filled(with value: JSONValue?, command: String?) throws(MCPError) -> JSONObject {
        var given: [String: String] = [:]  // Only known names, which are constants.
        for (key, value) in value?.object ?? [:] {
            guard arguments.contains(where: { $0.name == key }), let text = value.string else {
                throw MCPError(
                    .invalidParameters, MCPMessages.unknown("argument", key, among: arguments.map(\.name)))
            }
            given[key] = text
        }
        let content: JSONValue = ["type": "text", "text": .string(text(given, command))]
        return [
            "description": .string(summary), "messages": [["role": "user", "content": content]],
        ]
    }

    static let all = [
        MCPPrompt(
            name: "keep-the-contract", summary: "Make my client keep the contract",
            arguments: [("client", "the folder or the type of the client")]
        ) { arguments, command in MCPMessages.keepTheContract(client: arguments["client"], hasCommand: command != nil)
        },
        MCPPrompt(
            name: "reproduce-bug", summary: "Reproduce this bug",
            arguments: [("bug", "what goes wrong, and when")]
        ) { arguments, command in MCPMessages.reproduceBug(arguments["bug"], hasCommand: command != nil) },
    ]
}
