import FitIQAPI
import MockServer

/// Everything that the program says, in one place.
enum Messages {
    static func usage(_ message: String) -> String {
        let firstLine = message.split(separator: "\n").first.map(String.init) ?? message
        let sentence = firstLine.hasSuffix(".") || firstLine.hasSuffix("?") ? firstLine : firstLine + "."
        return "\(sentence) See 'fitiq-mock --help'."
    }

    static func badEnvironment(_ name: String, value: String, expected: String) -> String {
        "\(name) is '\(value)', which is not \(expected)."
    }

    static func unknownLogLevel(_ value: String, allowed: [String]) -> String {
        let near = NearMiss.nearest(to: value, among: allowed).map { " Did you mean '\($0)'?" } ?? ""
        return "--log-level must be one of \(allowed.joined(separator: ", ")); got '\(value)'.\(near)"
    }

    static func empty(_ option: String) -> String { "\(option) must not be empty." }

    static func notAFieldValue(_ option: String) -> String {
        "\(option) must be printable ASCII without spaces around it: clients send it as a header field."
    }

    static func fewDescriptors(_ count: Int, connections: Int) -> String {
        "the system allows \(count) open files: at most \(connections) connections are served at once (see ulimit -n)"
    }

    static func unwritable(_ path: String, reason: String) -> String { "cannot write '\(path)': \(reason)." }

    static let forced = "stopped at once by a second signal; open connections were cut off."

    /// What a newcomer sees first: where the server is, what it asks for, and three commands to try.
    static func banner(_ server: RunningServer, program: String) -> String {
        let chatOptions = server.chatOptions.map { " " + $0 }.joined()
        let create = """
            curl -sS -w '\\n' -X POST \("\(server.url)/api/v1/consultations".shellQuoted) \\
                -H 'Authorization: Bearer \(server.token)' \\
                -H \("X-API-Key: \(server.apiKey)".shellQuoted) \\
                -H 'Content-Type: application/json' -d '{"persona":"nutritionist"}'
            """
        return """
            fitiq-mock \(Version.current) serves a fake FitIQ backend.

              REST        \(server.url)/api/v1
              WebSocket   \(server.webSocketURL)/api/v1/consultations/{id}/ws
              API key     \(server.apiKey)
              Token       \(server.token)

            Create a consultation:

              \(create)

            The same again answers 409 with the id of the one that exists:

              \(create.replacingFirst("-sS -w '\\n'", with: "-sS -i -w '\\n'"))

            Chat over the WebSocket:

              \(program) chat --persona nutritionist\(chatOptions)

            Stop with Ctrl-C.

            """
    }
}

extension String {
    fileprivate func replacingFirst(_ text: String, with other: String) -> String {
        guard let range = firstRange(of: text) else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
