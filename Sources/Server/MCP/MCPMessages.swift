import JSON
import Text

/// Messages for agents.
enum MCPMessages {
    // MARK: The protocol

    static let tooLong =
        "A message can have at most \(MCPLimits.message) bytes. Import a larger state through the admin API."
    static let noMethod = "A request must have a 'method' (a string); a response must have a 'result' or an 'error'."
    static let badParameters = "A message's 'params' must be an object."
    static let badID = "A request's 'id' must be a string or a whole number."
    static func notJSON(_ error: JSONError) -> String { "The message is not JSON: \(error)." }

    static func notJSONRPC(_ message: JSONValue) -> String {
        message.array == nil
            ? "A message must be an object with \"jsonrpc\": \"2.0\"; this one is \(message.excerpt())."
            : "This server accepts one message at a time, not JSON-RPC batches."
    }

    static func unknownRevision(_ revision: JSONValue) -> String {
        "This server does not support protocol revision \(revision.excerpt())."
    }

    static func noCapabilities(_ key: String) -> String { "A request's '_meta' must have '\(key)' (an object)." }

    static func mismatch(_ field: String, sent: String?, body: JSONValue?) -> String {
        "The field \(field) is \(sent.map { $0.quoted() } ?? "missing"), but the message says "
            + "\((body ?? .null).excerpt())."
    }

    static func badRevisionField(_ sent: String?) -> String {
        let sent = sent.map { "is \($0.quoted())" } ?? "is missing"
        let revisions = Words.list(MCPServer.handshakeRevisions, last: "or")
        return "The field MCP-Protocol-Version \(sent). After 'initialize' it must be \(revisions); a request with "
            + "\(MCPServer.modernRevision) must also say so in its '_meta'."
    }

    static func unknownMethod(_ method: String) -> String { "There is no method \(method.quoted())." }
    static func missing(_ name: String) -> String { "'params' must have '\(name)' (a string)." }
    static func unknownResource(_ uri: String) -> String {
        "There is no resource \(uri.quoted()). resources/list and resources/templates/list show the existing resources."
    }
    static func noSuchCursor(_ cursor: JSONValue) -> String {
        "The cursor \(cursor.excerpt()) is invalid: this list has only one page."
    }

    static func unknown(_ noun: String, _ name: String, among names: [String]) -> String {
        "There is no \(noun) \(name.quoted())." + NearestWord.hint(name, among: names) + " Use "
            + Words.list(names, last: "or") + "."
    }

    // MARK: Tools

    static let badArguments = "A tool's 'arguments' must be an object."
    static let badCursor = "'cursor' must be the 'next_cursor' from an earlier answer to the same call."
    static let answerTooLong = "The answer exceeds 8 MiB; call the admin API directly."
    static let nothingUnusual =
        "Nothing about this entry is unusual: no fault took effect, nothing was refused, and no obligation is broken."

    static func badLimit(_ limit: Int) -> String {
        "'max_bytes' is \(limit); it must be from \(MCPLimits.answers.lowerBound) to \(MCPLimits.answers.upperBound)."
    }

    static func wrongType(_ key: String, _ types: [String], got value: JSONValue) -> String {
        "'\(key)' must be of type \(Words.list(types, last: "or")), not \(value.typeName): \(value.excerpt())."
    }

    static func lacksArgument(_ name: String) -> String { "The argument '\(name)' is missing." }

    static func longScenario(_ bytes: Int) -> String {
        "The scenario has \(bytes) bytes; 'load' accepts at most \(MCPLimits.scenario). Import large data with 'state'."
    }

    static func noCommand(_ tool: String) -> String {
        "'\(tool)' runs only the command that the server was started with, such as 'swift test', but this server was "
            + "started without a command. Ask the operator to add one, or run the client against a world's url and "
            + "request its verdicts."
    }

    static func refused(_ status: Int, _ value: JSONValue?, limit: Int) -> String {
        guard let error = value?["error"], let message = error["message"]?.string else {
            return "The admin API answered \(status): \((value ?? .null).excerpt(limit: 400))"
        }
        let details = error["details"].map { "\n" + $0.excerpt(limit: limit / 4) } ?? ""
        return "\(status): \(message)\(details)"
    }

    static func notJSONAnswer(_ status: Int) -> String { "The admin API answered \(status) without JSON." }

    static func noReport(_ output: String) -> String { "The run produced no report. Its output:\n" + output }

    // MARK: Explanations of entries

    static func refusedWith(_ status: Int, code: String?, _ message: String?) -> String {
        "The answer is \(status)" + (code.map { " (\($0))" } ?? "") + (message.map { ": \($0)" } ?? ".")
    }
    static func acted(_ rule: String) -> String { "The fault rule '\(rule)' affected this entry." }
    static func unmatched(_ why: String) -> String { "The request matches no API operation: \(why)." }
    static func near(_ endpoint: String, _ differences: [String]) -> String {
        "The nearest is \(endpoint). " + differences.joined(separator: " ")
    }
    static func unread(_ names: [String]) -> String { "The endpoint does not read \(Words.list(names))." }
    static func breaks(_ id: String, _ message: String) -> String { "This entry shows a breach of \(id): \(message)" }

    // MARK: Resources

    static func goesOn(at uri: String) -> String { "\nIt continues at \(uri)\n" }
}
