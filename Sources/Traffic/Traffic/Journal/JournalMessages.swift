import FitIQAPI
import Text

// All user-visible sentences of the journal are in this file.

enum JournalMessages {
    static func cut(kept: Int, of count: Int) -> String {
        "The journal keeps the first \(kept) of \(count) bytes."
    }
    static func ignoredSubprotocol(_ offered: String) -> String {
        "The client offered the subprotocol \(quoted(offered)), and the server has none: the answer has no "
            + "Sec-WebSocket-Protocol. Browsers fail such a connection; offer no subprotocol."
    }
    static func unknownParameter(_ name: String, allowed: [String]) -> String {
        let near = NearestWord.hint(name, among: allowed)
        return "The journal has no parameter \(quoted(name)); it has \(allowed.joined(separator: ", ")).\(near)"
    }
    static func repeatedParameter(_ name: String) -> String {
        "The parameter '\(name)' occurs in the query more than once; give it once."
    }
    static func badStatus(_ value: String) -> String {
        "The parameter 'status' must be a status from 100 to 599, such as 404, or a class of them, such as 4xx; "
            + "got \(quoted(value))."
    }
    static func badPath(_ value: String) -> String {
        "The parameter 'path' must be a part of a path, such as /messages, or a template that begins with a slash, such as "
            + "/api/v1/goals/{goalId}; got \(quoted(value))."
    }
    static func badTrace(_ value: String) -> String {
        "The parameter 'trace' must be the id of a trace, 32 hexadecimal digits in lower case that are not all 0, as in the "
            + "second part of the field 'traceparent'; got \(quoted(value))."
    }
    static func empty(_ name: String) -> String {
        "The parameter '\(name)' is empty; give it a value or leave it out."
    }

    // MARK: Saved journals

    static let noObject =
        "a line of a journal is an object, as in the answer of GET /__admin/journal; this is another value."
    static func notJSON(_ reason: String) -> String { "this is not valid JSON: \(reason)." }
    static func missing(_ name: String) -> String { "the entry has no '\(name)'; is this line of a journal complete?" }
    static func wrongMember(_ name: String, expected: String, found: String) -> String {
        "'\(name)' must be \(expected); got \(found.onOneLine(limit: 80))."
    }
    static func unknownWord(_ word: String, of name: String, allowed: [String]) -> String {
        "'\(name)' must be one of \(allowed.joined(separator: ", ")); got \(quoted(word))."
    }
    static func badRequest(_ reason: String) -> String { "the recorded request is not valid: \(reason)" }
    static func longLine(limit: Int) -> String {
        "the line has more than \(limit >> 20) MiB, which is the most that is read; no journal has such lines."
    }
    static let unfinishedLine =
        "the last line has no end: the program that wrote it was stopped. All lines before it are whole."

    /// A value from the client in quotation marks, truncated and without control characters.
    private static func quoted(_ text: String) -> String { text.quoted(limit: 80) }
}

extension EndpointNearMiss.Difference {
    /// What differs and what to do about it.
    public var sentence: String {
        switch self {
        case .missingPrefix: "The path lacks the prefix /api/v1."
        case .repeatedPrefix: "The path has the prefix /api/v1 twice: leave it out of the base URL, or out of the path."
        case .emptySegment: "The path has two slashes in a row: a value between them is probably empty."
        case .trailingSlash: "The path ends with a slash; leave it out."
        case .segment(let got, let expected): "\(Self.quoted(got)) should be \(Self.quoted(expected))."
        case .segmentCase(let got, let expected):
            "\(Self.quoted(got)) is written \(Self.quoted(expected)); paths are case-sensitive."
        case .idCase(let got):
            "Ids are compared as text: lower-case \(Self.quoted(got)) (Swift's uuidString is upper case)."
        case .malformedID(let got): "\(Self.quoted(got)) is in the place of an id, but is not a lower-case UUID."
        case .missingSegment(let expected): "\(Self.quoted(expected)) is missing."
        case .extraSegment(let got): "\(Self.quoted(got)) is one segment too many."
        case .method(let got, let expected): "The method is \(got), and the endpoint answers \(expected)."
        }
    }

    private static func quoted(_ text: String) -> String { text.quoted(limit: 80) }
}
