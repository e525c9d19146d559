import JSON

/// Every sentence of the module.
enum Messages {}

/// Reading HAR.
extension Messages {
    static func describe(_ error: HARError) -> String {
        var place: [String] = []
        if let entry = error.entry { place.append("entry \(entry)") }
        if !error.path.isEmpty { place.append(error.path) }
        return (place.isEmpty ? "" : place.joined(separator: ", ") + ": ") + describe(error.problem)
    }

    private static func describe(_ problem: HARError.Problem) -> String {
        switch problem {
        case .empty: "the file is empty; expected a HAR, as browsers, proxies and 'fitiq-mock record' write it"
        case .tooLarge(let limit): "more than \(size(limit)), which is the most that is read; record a shorter session"
        case .compressed(let form): "this is \(form), not JSON; unpack it and give the HAR inside"
        case .json(let error): "this is no JSON: \(error)"
        case .tooManyEntries(let limit): "more than \(limit) entries, which is the most that is read"
        case .missing(let expected): "expected \(expected), found nothing"
        case .wrong(let expected, let found): "expected \(expected), found \(found)"
        }
    }

    static func describe(_ note: HARNote) -> String {
        switch note {
        case .torn(let entries):
            "the file ends in the middle, as when a recorder is killed; "
                + (entries == 1 ? "1 entry is whole" : "\(entries) entries are whole")
        case .loneSurrogates(let count):
            "\(count) characters that are no Unicode (half a surrogate pair) were replaced by U+FFFD"
        case .missingAttachment(let name, let entry):
            "entry \(entry): the file '\(name)', which holds what was sent, is not beside the HAR"
        case .missingBodies(let count):
            "\(count) bodies were not recorded; save the HAR with its content"
        case .skippedMessages(let count):
            "\(count) WebSocket messages that are neither text nor binary were left out"
        case .recorded(let text): text
        }
    }

    /// What was found, as a kind and how it is written: `a string: "abc"`.
    static func found(_ value: JSONValue) -> String {
        switch value {
        case .null: value.typeName
        default: "\(value.typeName): \(TerminalText.escaped(value.excerpt()))"
        }
    }

    private static func size(_ bytes: Int) -> String {
        bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : "\(bytes) bytes"
    }

    static let object = "an object"
    static let array = "an array"
    static let string = "a string"
    static let number = "a number"
    static let date = "a date and time such as \"2025-01-29T10:30:00.000Z\", from 1970 to 2199"
    static let seconds = "a time in seconds or milliseconds since 1970, until 2199"
    static let status = "a status from 100 to 999, or 0 where there was no answer"
    static let base64 = "base64"
    static let messageType = "\"send\" or \"receive\""
    static let controlOpcode = "8 (close), 9 (ping) or 10 (pong)"
    static let party = "\"client\" or \"server\""
    static let cause = "\"close_frame\", \"finish\" or \"reset\""
    static let count = "a number from 0"
}
