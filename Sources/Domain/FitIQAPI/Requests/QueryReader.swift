import Text

/// Takes the parameters of a query; of a repeated one the first counts, unknown ones are ignored.
struct QueryReader {
    private let items: [(name: String, value: String)]

    init(_ items: [(name: String, value: String)]) {
        self.items = items
    }

    subscript(_ parameter: String) -> String? {
        items.first { $0.name == parameter }?.value
    }

    /// A whole number in a range, or nil where the parameter is absent.
    func number(_ parameter: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let value = self[parameter] else { return nil }
        // Int's initialiser takes "+5", which no guide's client sends.
        guard value.utf8.allSatisfy(\.isDigit), let number = Int(value),
            range.contains(number)
        else { throw .outOfRange(parameter, allowed: range, got: value) }
        return number
    }

    /// One of a closed set of names, or nil where the parameter is absent.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ parameter: String, of type: Choice.Type
    ) throws(APIError) -> Choice? {
        guard let value = self[parameter] else { return nil }
        guard let choice = Choice(rawValue: value) else {
            throw .unknownChoice(parameter, got: value, allowed: Choice.allCases.map(\.rawValue))
        }
        return choice
    }

    /// `true` or `false`, or nil where the parameter is absent.
    func flag(_ parameter: String) throws(APIError) -> Bool? {
        switch self[parameter] {
        case nil: nil
        case "true": true
        case "false": false
        case let value?: throw .unknownChoice(parameter, got: value, allowed: ["true", "false"])
        }
    }

    /// What a bare date stands for.
    enum SecondOfDay {
        case firstSecond, lastSecond
    }

    /// A date-time or, for one of its day's seconds in UTC, a date; nil where the parameter is absent.
    func dateTime(_ parameter: String, ofDate second: SecondOfDay) throws(APIError) -> DateTime? {
        guard let value = self[parameter] else { return nil }
        if let time = DateTime(value) { return time }
        guard let midnight = DateTime(date: value) else { throw .badDate(parameter, got: value) }
        switch second {
        case .firstSecond: return midnight
        case .lastSecond: return DateTime(secondsSinceEpoch: midnight.secondsSinceEpoch + 86_399)
        }
    }
}
