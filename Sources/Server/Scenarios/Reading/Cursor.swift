import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Patterns
import Text

/// A value in the document, its path, and readers that report mistakes.
///
/// Each reader returns nil after reporting an invalid value.
struct Cursor {
    let node: Node
    let path: Path
    let diagnosis: Diagnosis

    func refuse(_ predicate: @autoclosure () -> String) {
        diagnosis.note(predicate(), path: path, position: node.position)
    }

    /// Reports that the value has the wrong kind.
    func refuse(expected: @autoclosure () -> String) {
        refuse(Messages.wrongType(expected: expected(), got: node.excerpt))
    }

    /// Reports a mistake in the value and returns nil.
    func refuse<Value>(_ predicate: @autoclosure () -> String) -> Value? {
        refuse(predicate()) as Void
        return nil
    }

    /// Reports that the value has the wrong kind and returns nil.
    func refuse<Value>(expected: @autoclosure () -> String) -> Value? {
        refuse(expected: expected()) as Void
        return nil
    }

    /// Reports that the value is not a time, and explains near misses.
    func refuse<Value>(time expected: String) -> Value? {
        let problem = written.flatMap(RFC3339.problem).map { " " + $0 } ?? ""
        return refuse(Messages.wrongType(expected: expected, got: node.excerpt) + problem)
    }

    func elements(limit: Int, of what: String) -> [Cursor]? {
        guard case .list(let nodes) = node.content else { return refuse(expected: "a list of \(what)") }
        guard nodes.count <= limit || diagnosis.isSaved else {
            return refuse(Messages.tooMany(what, limit: limit, got: nodes.count))
        }
        return nodes.enumerated().map { Cursor(node: $1, path: .index($0, of: path), diagnosis: diagnosis) }
    }

    /// The elements of a list, or the value itself if it is not a list.
    func oneOrMore(limit: Int, of what: String) -> [Cursor]? {
        guard case .list(let nodes) = node.content else { return [self] }
        guard !nodes.isEmpty else { return refuse(Messages.emptyList(of: what)) }
        return elements(limit: limit, of: what)
    }

    /// The value as written, if it is a plain word or a quoted string.
    var written: String? {
        switch node.content {
        case .plain(let text), .text(let text): text
        case .null, .list, .mapping: nil
        }
    }

    /// A string that is limited in bytes but not in characters.
    func string(expected: String, bytes: Int = .max) -> String? {
        guard let text = written else { return refuse(expected: expected) }
        guard text.utf8.count <= bytes || diagnosis.isSaved else {
            return refuse("must have at most \(bytes) bytes of UTF-8; it has \(text.utf8.count).")
        }
        return text
    }

    func text(_ characters: ClosedRange<Int>, bytes: Int = ScenarioLimits.textBytes) -> String? {
        let expected = Messages.text(of: characters)
        // Check bytes first: a character can have any number of combining marks.
        guard let text = string(expected: expected, bytes: bytes) else { return nil }
        guard !diagnosis.isSaved else { return text }
        let count = text.count
        guard characters.contains(count) else { return refuse(Messages.wrongLength(expected: expected, got: count)) }
        return text
    }

    func exactText(_ characters: ClosedRange<Int>) -> ExactString? { text(characters).map(ExactString.init(_:)) }

    /// A non-empty string that is limited in bytes but not in characters.
    func words(bytes: Int) -> String? {
        guard let text = string(expected: "a string", bytes: bytes) else { return nil }
        return text.isEmpty ? refuse("is empty; it must contain text.") : text
    }

    /// The number as written; a quoted string is not a number.
    var number: JSONNumber? {
        switch node.content {
        case .plain(let text): JSONNumber(text)
        case .null, .text, .list, .mapping: nil
        }
    }

    func integer(_ range: ClosedRange<Int>) -> Int? {
        guard let value = number?.int, range.contains(value) else {
            return refuse(expected: Messages.integer(in: range))
        }
        return value
    }

    func unsigned() -> UInt64? {
        guard let number, let value = UInt64(number.text) ?? number.int.flatMap(UInt64.init(exactly:)) else {
            return refuse(expected: "a whole number from 0 to \(UInt64.max)")
        }
        return value
    }

    func double(_ range: ClosedRange<Double>) -> Double? {
        guard let value = number?.double, range.contains(value) else {
            return refuse(expected: range.inWords)
        }
        return value == 0 ? 0 : value
    }

    /// The number of tenths in a number with at most one decimal place.
    func tenths(upTo limit: Int) -> Int? {
        guard let value = number?.double, value >= 0, value <= Double(limit) else {
            return refuse(expected: (0...Double(limit)).inWords)
        }
        let tenths = (value * 10).rounded()
        guard abs(value * 10 - tenths) < 1e-6 else { return refuse(expected: "a number with at most one decimal") }
        return Int(tenths)
    }

    func flag() -> Bool? {
        switch node.content {
        case .plain("true"): true
        case .plain("false"): false
        default: refuse(expected: "true or false")
        }
    }

    /// `true`, for a key that is otherwise omitted.
    func isTrue() -> Bool {
        if case .plain("true") = node.content { return true }
        refuse(expected: "true (or left out)")
        return false
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(of type: Choice.Type) -> Choice? {
        name(among: Choice.allCases.map(\.rawValue)).flatMap(Choice.init)
    }

    /// - Parameter oldWords: The names used in earlier versions, and the current names.
    func name(among allowed: [String], oldWords: [(old: String, now: String)] = []) -> String? {
        guard let name = string(expected: Messages.oneOf(allowed)) else { return nil }
        if let now = oldWords.first(where: { $0.old.isExactly(name) })?.now, allowed.contains(now) {
            diagnosis.note(oldWord: name, now: now, path: path, position: node.position)
            return now
        }
        guard allowed.contains(name) else {
            return refuse(
                Messages.unknownChoice(allowed: allowed, got: node.excerpt, nearest: Messages.nearest(name, allowed)))
        }
        return name
    }

    /// One or more names from a closed set.
    func choices<Choice: RawRepresentable<String> & CaseIterable & Hashable>(of type: Choice.Type) -> Set<Choice> {
        let cursors = oneOrMore(limit: 100, of: Messages.oneOf(Choice.allCases.map(\.rawValue))) ?? []
        return Set(cursors.compactMap { $0.choice(of: type) })
    }

    func resourceID() -> ResourceID? {
        let expected = diagnosis.ids == .free ? Messages.freeID : Messages.resourceID
        guard let text = string(expected: expected) else { return nil }
        if let id = ResourceID(text, as: diagnosis.ids == .free ? .free : .lowerCase) { return id }
        if ResourceID.read(text) == .wrongCase {
            return refuse("must be in lower case, because the backend compares ids as text: \(text.lowercased()).")
        }
        return refuse(expected: expected + (ResourceID(freeText: text) == nil ? "" : Messages.unlessFree))
    }

    func duration(_ range: ClosedRange<Int64> = 0...ScenarioLimits.longestDuration) -> Int64? {
        guard let text = written, let value = ScenarioLimits.duration(text) else {
            return refuse(expected: Messages.duration)
        }
        guard range.contains(value) else { return refuse(Messages.durationOutOfRange(range, got: node.excerpt)) }
        return value
    }

    func date() -> DateTime? {
        if let date = written.flatMap({ DateTime(date: $0) }) { return date }
        let expected = "a date such as \"1990-05-17\""
        // A string as long as a date gets the error for near misses; any other string gets the general error.
        return written?.utf8.count == 10 ? refuse(time: expected) : refuse(expected: expected)
    }

    /// A date-time in whole seconds, in the years 0 to 9999.
    func dateTime() -> DateTime? {
        written.flatMap { DateTime($0) } ?? refuse(time: "a date-time such as 2025-03-01T00:00:00Z")
    }

    /// A date-time to the nanosecond, in the years of a world's clock.
    ///
    /// - Parameter isData: Whether this is a time in a world's data rather than the time of its clock; in a saved
    ///   world, data may have any year.
    func timestamp(isData: Bool = false) -> Timestamp? {
        written.flatMap { isData ? moment($0) : Timestamp($0) } ?? refuse(time: Messages.timestamp)
    }

    /// A point in time, or a duration before the world's start.
    func dataTime() -> DataTime? {
        guard let text = written else { return refuse(expected: Messages.dataTime) }
        let time: DataTime? =
            text.hasSuffix(" ago")
            ? ScenarioLimits.duration(String(text.dropLast(4))).map { .before($0) } : moment(text).map { .at($0) }
        return time ?? refuse(time: Messages.dataTime)
    }

    private func moment(_ text: String) -> Timestamp? { Timestamp(text, inAnyYear: diagnosis.isSaved) }

    /// `n`, `n..m` or `n..`, counted from 1.
    private func bounds() -> (first: Int, last: Int?)? {
        guard let text = written else { return nil }
        func number(_ text: Substring) -> Int? {
            guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit), let value = Int(text),
                (1...1_000_000_000).contains(value)
            else { return nil }
            return value
        }
        if let only = number(text[...]) { return (only, only) }
        guard let dots = text.firstIndex(of: "."), text[dots...].hasPrefix(".."), let first = number(text[..<dots])
        else { return nil }
        let rest = text[text.index(dots, offsetBy: 2)...]
        if rest.isEmpty { return (first, nil) }
        guard let last = number(rest), last >= first else { return nil }
        return (first, last)
    }

    func turns() -> ClosedRange<Int>? {
        guard let (first, last) = bounds() else { return refuse(expected: Messages.range) }
        return first...(last ?? Int.max)
    }

    /// A selection of numbered items: a range, or a mapping that gives more details.
    func selection() -> Selection? {
        if case .mapping = node.content {
            guard let fields = Fields(self, as: .selection) else { return nil }
            let largest = 1_000_000_000
            let first = fields["from"].map { $0.integer(1...largest) } ?? 1
            let last = fields["to"]?.integer(1...largest)
            let step = fields["every"].map { $0.integer(1...largest) } ?? 1
            let perMille = fields["per_mille"].map { $0.integer(0...1000) } ?? 1000
            guard let first, let step, let perMille, last != nil || fields["to"] == nil else { return nil }
            guard last ?? first >= first else {
                fields.refuse("to", "is before 'from', which is \(first).")
                return nil
            }
            return Selection(first: first, last: last, step: step, perMille: perMille)
        }
        guard let (first, last) = bounds() else { return refuse(expected: Messages.selection) }
        return Selection(first: first, last: last)
    }

    /// The text after the last slash in a string such as `/protein/i`, if it looks like flags.
    private static func flags(of text: String) -> Substring? {
        guard text.hasPrefix("/"), let slash = text.dropFirst().lastIndex(of: "/") else { return nil }
        let flags = text[slash...].dropFirst()
        return flags.allSatisfy { "gimsux".contains($0) } ? flags : nil
    }

    /// Words that some text must contain, or `/an expression/`.
    func textMatch() -> TextMatch? {
        guard let text = text(1...2000) else { return nil }
        guard text.utf8.count >= 2, text.hasPrefix("/"), text.hasSuffix("/") else {
            guard let flags = Self.flags(of: text) else { return .contains(SoughtWords(text)) }
            return refuse(Messages.badPattern(Messages.patternFlags, at: text.unicodeScalars.count - flags.count - 1))
        }
        do {
            return .matches(try Pattern(String(text.dropFirst().dropLast())))
        } catch {
            return refuse(Messages.badPattern(error.message, at: error.position))
        }
    }
}

final class Diagnosis {
    private var mistakes: [ScenarioErrors.Mistake] = []
    private var omittedCount = 0
    /// Whether the document is a saved world, in which all sizes and times are accepted.
    let isSaved: Bool
    /// The spellings of ids that the document allows.
    var ids = IDCase.lowerCase
    /// How many consultations about one topic the document allows.
    var perTopic = ConsultationsPerTopic.one
    /// Whether the document is an exported world.
    var isExported = false

    init(isSaved: Bool) { self.isSaved = isSaved }

    var isClean: Bool { mistakes.isEmpty }

    /// Words from earlier versions that are still accepted.
    private(set) var oldWords: [ScenarioErrors.Mistake] = []

    func note(oldWord word: String, now: String, path: Path, position: Position?) {
        guard oldWords.count < ScenarioLimits.mistakes else { return }
        oldWords.append(
            ScenarioErrors.Mistake(
                line: position?.line, column: position?.column, path: path.text,
                message: path.text + " " + Messages.oldWord(word, now: now)))
    }

    /// Reports a mistake: the message describes the value at the path.
    ///
    /// The message is created only if it will be stored, because searching for the nearest name is slow, and a file can
    /// have any number of mistakes.
    func note(_ predicate: @autoclosure () -> String, path: Path, position: Position?) {
        guard mistakes.count < ScenarioLimits.mistakes else {
            omittedCount += 1
            return
        }
        let text = path.text
        mistakes.append(
            ScenarioErrors.Mistake(
                line: position?.line, column: position?.column, path: text,
                message: (text.isEmpty ? "The document" : text) + " " + predicate()))
    }

    func errors(file: String?) -> ScenarioErrors {
        let ordered = mistakes.enumerated().sorted { left, right in
            let places = [left.element, right.element].map { ($0.line ?? 0, $0.column ?? 0) }
            return places[0] == places[1] ? left.offset < right.offset : places[0] < places[1]
        }
        return ScenarioErrors(file: file, mistakes: ordered.map(\.element), omittedCount: omittedCount)
    }
}

/// The kind of a value in words, precise enough for a client to know how to read the value.
package struct ValueKind: Hashable, Sendable {
    package let words: String
    /// Whether the value is a string, which fits wherever any text is expected.
    package private(set) var isText = false
    private static let text = "a string"
    /// The generated value for free text, as opposed to one of the expected words.
    package static let anyText = "any text"

    package init(_ value: JSONValue) {
        switch value {
        case .null: words = "null"
        case .bool: words = "true or false"
        case .number: words = "a number"
        case .object: words = "an object"
        case .array: words = "an array"
        case .string(let text): (words, isText) = (Self.words(of: text), true)
        }
    }

    private static func words(of text: String) -> String {
        if isID(text) { return text == text.lowercased() ? "an id in lower case" : "an id in upper case" }
        guard let time = RFC3339.time(text) else { return RFC3339.days(text) != nil ? "a date" : Self.text }
        return time.fractionDigits == 0
            ? "a time in whole seconds"
            : "a time with \(Words.counted(time.fractionDigits, "fractional digit"))"
    }

    fileprivate static func isID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    }

    /// Whether a value of this kind can stand in for a value of a known kind.
    package func isAlike(_ known: ValueKind) -> Bool { self == known || isText && known.words == Self.text }
}

extension JSONValue {
    /// The value converted to the kind and form of a sample, such as a time with the same number of digits, a number as
    /// text, or an upper-case id.
    ///
    /// If the value cannot have the sample's form, the result is the sample.
    func inForm(of sample: JSONValue) -> JSONValue {
        if ValueKind(self) == ValueKind(sample) { return self }
        switch (self, sample) {
        case (.string(let text), .string(let form)):
            if ValueKind.isID(text), ValueKind.isID(form) {
                return .string(form == form.lowercased() ? text.lowercased() : text.uppercased())
            }
            guard let time = RFC3339.time(text) else { return sample }
            if RFC3339.days(form) != nil { return .string(String(text.prefix(10))) }
            guard let digits = RFC3339.time(form)?.fractionDigits else { return sample }
            let whole = RFC3339.text(secondsSinceEpoch: time.secondsSinceEpoch).dropLast()
            let nanoseconds = String(time.nanoseconds)
            let fraction = String(repeating: "0", count: 9 - nanoseconds.count) + nanoseconds
            let padded = fraction + String(repeating: "0", count: max(0, digits - 9))
            return .string(whole + (digits == 0 ? "" : "." + padded.prefix(digits)) + "Z")
        case (.string(let text), .number(let form)):
            if let number = JSONNumber(text) { return .number(number) }
            guard let time = RFC3339.time(text), let magnitude = form.double else { return sample }
            // Seconds since 1970, or milliseconds.
            return .number(JSONNumber(Int(time.secondsSinceEpoch) * (magnitude >= 100_000_000_000 ? 1000 : 1)))
        case (.number(let number), .string): return .string(number.text)
        case (.bool(let flag), .string): return .string(flag ? "true" : "false")
        default: return sample
        }
    }

    /// A generated value of the same kind and form that reveals no personal text, ids, times or measurements.
    ///
    /// - Parameter isWord: Whether a member's text may be a word; a text that also looks like a word stays unchanged.
    package func madeUp(under name: String = "", isWord: (String) -> Bool) -> JSONValue {
        switch self {
        case .null, .bool: return self
        case .number(let number):
            // If the number may be a time, use the time in the other samples.
            let magnitude = number.double.map { abs($0) } ?? 0
            if (1e9..<1e10).contains(magnitude) { return 1_738_146_600 }
            if (1e12..<1e13).contains(magnitude) { return 1_738_146_600_000 }
            return number.int == nil ? 1.5 : 1
        case .array(let elements): return .array(elements.prefix(1).map { $0.madeUp(under: name, isWord: isWord) })
        case .object(let object):
            return .object(JSONObject(object.map { ($0.key, $0.value.madeUp(under: $0.key, isWord: isWord)) }))
        case .string(let text):
            if isWord(name) { return text.looksLikeWord ? self : .string(ValueKind.anyText) }
            if ValueKind.isID(text) {
                let id = "00000000-0000-4000-8000-00000000000a"
                return .string(text == text.lowercased() ? id : id.uppercased())
            }
            if RFC3339.days(text) != nil { return "2025-01-29" }
            return RFC3339.time(text) == nil
                ? "text" : JSONValue.string("2025-01-29T10:30:00Z").inForm(of: self)
        }
    }
}

extension String {
    /// Whether the text looks like `not_started` (short and without digits) rather than a user's code.
    fileprivate var looksLikeWord: Bool {
        utf8.count <= 40 && utf8.allSatisfy { $0.isLetter || $0 == UInt8(ascii: "_") }
    }
}
