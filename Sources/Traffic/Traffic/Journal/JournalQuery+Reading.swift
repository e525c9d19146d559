import FitIQAPI
import JSON
import Text

extension JournalQuery {
    public static let parameters = [
        "method", "path", "status", "endpoint", "user", "connection", "kind", "unmatched", "since", "before",
        "direction",
        "type", "limit", "order",
    ]

    /// Parses the query of a URL.
    ///
    /// - Throws: 400 for a parameter that is unknown, repeated, or has an invalid value; the error names what is
    ///   allowed.
    public init(query items: [(name: String, value: String)]) throws(APIError) {
        self.init()
        var seen: Set<ExactString> = []
        for (name, value) in items {
            guard Self.parameters.contains(name) else {
                throw Self.refusal(Sentences.unknownParameter(name, allowed: Self.parameters))
            }
            guard seen.insert(ExactString(name)).inserted else { throw Self.refusal(Sentences.repeatedParameter(name)) }
            guard !value.isEmpty else { throw Self.refusal(Sentences.empty(name)) }
            try set(name, to: value)
        }
    }

    private mutating func set(_ name: String, to value: String) throws(APIError) {
        switch name {
        case "method": method = ExactString(value.uppercased())
        case "path":
            guard let pattern = PathPattern(value) else { throw Self.refusal(Sentences.badPath(value)) }
            path = pattern
        case "status": status = try Self.statuses(value)
        case "endpoint":
            guard let found = Endpoint(name: value) else {
                throw .unknownChoice(name, got: value, allowed: Endpoint.allCases.map(\.name))
            }
            endpoint = found
        case "user": user = ExactString(value)
        case "connection": connection = UInt64(try Self.number(name, value, in: 1...Int.max))
        case "kind": kinds = [try Self.choice(name, value, \JournalEvent.Kind.rawValue)]
        case "unmatched":
            guard let flag = ["true": true, "false": false][value] else {
                throw .unknownChoice(name, got: value, allowed: ["true", "false"])
            }
            isUnmatched = flag
        case "since": since = try Self.number(name, value, in: 0...Int.max)
        case "before": before = try Self.number(name, value, in: 1...Int.max)
        case "direction": sender = try Self.choice(name, value, \Party.direction)
        case "type": type = ExactString(value)
        case "limit": limit = try Self.number(name, value, in: 1...1000)
        default: isNewestFirst = try Self.isDescending(value)
        }
    }

    private static func refusal(_ message: String) -> APIError { APIError(.badRequest, .validationFailed, message) }

    private static func isDescending(_ value: String) throws(APIError) -> Bool {
        switch value {
        case "asc": return false
        case "desc": return true
        default: throw .unknownChoice("order", got: value, allowed: ["asc", "desc"])
        }
    }

    /// A whole number in decimal digits.
    private static func number(
        _ name: String, _ value: String, in range: ClosedRange<Int>
    ) throws(APIError) -> Int {
        guard value.utf8.allSatisfy(\.isDigit), let number = Int(value),
            range.contains(number)
        else { throw .outOfRange(name, allowed: range, got: value) }
        return number
    }

    private static func choice<Choice: CaseIterable>(
        _ name: String, _ value: String, _ spelling: (Choice) -> String
    ) throws(APIError) -> Choice {
        guard let choice = Choice.allCases.first(where: { spelling($0) == value }) else {
            throw .unknownChoice(name, got: value, allowed: Choice.allCases.map(spelling))
        }
        return choice
    }

    /// Parses `404`, or `4xx` for all statuses that begin with a 4.
    private static func statuses(_ value: String) throws(APIError) -> ClosedRange<Int> {
        let digits = Array(value.utf8)
        if digits.count == 3, (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(digits[0]) {
            if value.lowercased().hasSuffix("xx") {
                let first = Int(digits[0] - UInt8(ascii: "0")) * 100
                return first...(first + 99)
            }
            if digits.allSatisfy(\.isDigit), let status = Int(value) {
                return status...status
            }
        }
        throw refusal(Sentences.badStatus(value))
    }
}
