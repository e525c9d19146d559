import FitIQAPI

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

    static func unknownGuide(_ value: String) -> String {
        let names = GuideMode.allCases.map(\.rawValue)
        let near = NearMiss.nearest(to: value, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return "--guide must be one of \(names.joined(separator: ", ")); got '\(value)'.\(near)"
    }

    /// How to speak to a server that answers as a guide with another protocol; empty where that was not the trouble.
    static func otherProtocol(after error: String, spoken: String) -> String {
        guard error.contains("belongs to the guide") else { return "" }
        return " Use --protocol \(spoken == "message" ? "user_message" : "message")."
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
}
