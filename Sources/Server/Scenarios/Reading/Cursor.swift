import FitIQAPI
import FitIQBackend
import JSON

/// A value of the document with its path; its readers report mistakes.
///
/// Each reader returns nil after reporting a value that does not fit.
struct Cursor {
    let node: Node
    let path: Path
    let diagnosis: Diagnosis

    /// Reports a mistake in the value.
    func refuse(_ predicate: @autoclosure () -> String) {
        diagnosis.note(predicate(), path: path, position: node.position)
    }

    /// Reports that the value has another kind.
    func refuse(expected: @autoclosure () -> String) {
        refuse(Messages.wrongType(expected: expected(), got: node.excerpt))
    }

    func elements(limit: Int, of what: String) -> [Cursor]? {
        guard case .list(let nodes) = node.content else {
            refuse(expected: "a list of \(what)")
            return nil
        }
        guard nodes.count <= limit else {
            refuse(Messages.tooMany(what, limit: limit, got: nodes.count))
            return nil
        }
        return nodes.enumerated().map { Cursor(node: $1, path: .index($0, of: path), diagnosis: diagnosis) }
    }

    /// The elements of a list, or the value itself if it is not a list.
    func oneOrMore(limit: Int, of what: String) -> [Cursor]? {
        guard case .list(let nodes) = node.content else { return [self] }
        guard !nodes.isEmpty else {
            refuse(Messages.emptyList(of: what))
            return nil
        }
        return elements(limit: limit, of: what)
    }

    /// The value as written, if it is a word or a text.
    var written: String? {
        switch node.content {
        case .plain(let text), .text(let text): text
        case .null, .list, .mapping: nil
        }
    }

    /// A text of any length.
    func string(expected: String) -> String? {
        switch node.content {
        case .plain(let text), .text(let text): return text
        case .null, .list, .mapping:
            refuse(expected: expected)
            return nil
        }
    }

    /// A text of limited length.
    func text(_ characters: ClosedRange<Int>, bytes: Int = ScenarioLimits.textBytes) -> String? {
        let expected = Messages.text(of: characters)
        guard let text = string(expected: expected) else { return nil }
        // Check bytes first: one character can have any number of combining marks.
        guard text.utf8.count <= bytes else {
            refuse(Messages.tooManyBytes(limit: bytes, got: text.utf8.count))
            return nil
        }
        let count = text.count
        guard characters.contains(count) else {
            refuse(Messages.wrongLength(expected: expected, got: count))
            return nil
        }
        return text
    }

    /// An identifier of limited length.
    func exactText(_ characters: ClosedRange<Int>) -> ExactString? { text(characters).map(ExactString.init(_:)) }

    /// A text that is not blank, limited only in bytes.
    func words(bytes: Int) -> String? {
        guard let text = string(expected: "a text") else { return nil }
        guard !text.isEmpty else {
            refuse(Messages.emptyText)
            return nil
        }
        guard text.utf8.count <= bytes else {
            refuse(Messages.tooManyBytes(limit: bytes, got: text.utf8.count))
            return nil
        }
        return text
    }

    /// The number as written; a text in quotation marks is not a number.
    var number: JSONNumber? {
        switch node.content {
        case .plain(let text): JSONNumber(text)
        case .null, .text, .list, .mapping: nil
        }
    }

    /// A whole number in a range.
    func integer(_ range: ClosedRange<Int>) -> Int? {
        guard let value = number?.int, range.contains(value) else {
            refuse(expected: Messages.integer(in: range))
            return nil
        }
        return value
    }

    func unsigned() -> UInt64? {
        guard let number, let value = UInt64(number.text) ?? number.int.flatMap(UInt64.init(exactly:)) else {
            refuse(expected: "a whole number from 0 to \(UInt64.max)")
            return nil
        }
        return value
    }

    /// A number in a range.
    func double(_ range: ClosedRange<Double>) -> Double? {
        guard let value = number?.double, range.contains(value) else {
            refuse(expected: Messages.number(in: range))
            return nil
        }
        return value == 0 ? 0 : value
    }

    /// Tenths of a number with at most one decimal.
    func tenths(upTo limit: Int) -> Int? {
        guard let value = number?.double, value >= 0, value <= Double(limit) else {
            refuse(expected: Messages.number(in: 0...Double(limit)))
            return nil
        }
        let tenths = (value * 10).rounded()
        guard abs(value * 10 - tenths) < 1e-6 else {
            refuse(expected: "a number with at most one decimal")
            return nil
        }
        return Int(tenths)
    }

    func flag() -> Bool? {
        switch node.content {
        case .plain("true"): return true
        case .plain("false"): return false
        default:
            refuse(expected: "true or false")
            return nil
        }
    }

    /// `true`, for a key that is otherwise omitted.
    func isTrue() -> Bool {
        switch node.content {
        case .plain("true"): return true
        default:
            refuse(expected: "true (or left out)")
            return false
        }
    }

    /// One of a closed set of names.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(of type: Choice.Type) -> Choice? {
        let allowed = Choice.allCases.map(\.rawValue)
        guard let name = name(among: allowed) else { return nil }
        return Choice(rawValue: name)
    }

    /// One of some names.
    func name(among allowed: [String]) -> String? {
        guard let name = string(expected: Messages.oneOf(allowed)) else { return nil }
        guard allowed.contains(name) else {
            refuse(
                Messages.unknownChoice(allowed: allowed, got: node.excerpt, nearest: Messages.nearest(name, allowed)))
            return nil
        }
        return name
    }

    /// One or several of a closed set of names.
    func choices<Choice: RawRepresentable<String> & CaseIterable & Hashable>(
        of type: Choice.Type
    ) -> Set<Choice> {
        let cursors = oneOrMore(limit: 100, of: Messages.oneOf(Choice.allCases.map(\.rawValue))) ?? []
        return Set(cursors.compactMap { $0.choice(of: type) })
    }

    /// An id in the backend's format.
    func resourceID() -> ResourceID? {
        guard let text = string(expected: Messages.resourceID) else { return nil }
        switch ResourceID.read(text) {
        case .id(let id): return id
        case .wrongCase: refuse(Messages.upperCaseID(text))
        case .malformed: refuse(expected: Messages.resourceID)
        }
        return nil
    }
}

extension Cursor {
    /// A span of time in nanoseconds.
    func duration(_ range: ClosedRange<Int64> = 0...ScenarioLimits.longestDuration) -> Int64? {
        guard let text = written, let value = ScenarioLimits.duration(text) else {
            refuse(expected: Messages.duration)
            return nil
        }
        guard range.contains(value) else {
            refuse(Messages.durationOutOfRange(range, got: node.excerpt))
            return nil
        }
        return value
    }

    /// A date-time of whole seconds, in the years 0 to 9999.
    func dateTime() -> DateTime? {
        guard let text = written, let time = DateTime(text) else {
            refuse(expected: Messages.dateTime)
            return nil
        }
        return time
    }

    /// A date-time to the nanosecond, in the years of a world's clock.
    func timestamp() -> Timestamp? {
        guard let text = written, let time = Timestamp(text) else {
            refuse(expected: Messages.timestamp)
            return nil
        }
        return time
    }

    /// A point in time, or a duration before the world's start.
    func dataTime() -> DataTime? {
        guard let text = written else {
            refuse(expected: Messages.dataTime)
            return nil
        }
        if text.hasSuffix(" ago") {
            if let duration = ScenarioLimits.duration(String(text.dropLast(4))) { return .before(duration) }
        } else if let time = Timestamp(text) {
            return .at(time)
        }
        refuse(expected: Messages.dataTime)
        return nil
    }
}
