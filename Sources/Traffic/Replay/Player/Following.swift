import JSON
import Traffic

/// Maps a session's recorded values to their current ones.
struct Following: Sendable {
    private(set) var bindings = Bindings()

    /// The recorded value that a client's value stands for: the one it is bound to, or itself.
    func number(of text: ExactString, in vocabulary: Vocabulary) -> Int? {
        bindings.recorded[text] ?? vocabulary.number(of: text)
    }

    /// The recorded values for a request's, or nil if one of them is new.
    func numbers(of values: [Shape.ShapeValue], in vocabulary: Vocabulary) -> [Int]? {
        var numbers: [Int] = []
        numbers.reserveCapacity(values.count)
        for value in values {
            guard let number = number(of: value.text, in: vocabulary) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// Whether a client's values can be the recorded ones: each is bound to its counterpart, equals it, or is new on
    /// both sides.
    func fits(_ values: [Shape.ShapeValue], _ numbers: [Int], in vocabulary: Vocabulary) -> Bool {
        guard values.count == numbers.count else { return false }
        var new: [Int: ExactString] = [:]
        var newRecorded: [ExactString: Int] = [:]
        for (value, number) in zip(values, numbers) {
            if let text = bindings.actual[number] {
                if text == value.text || vocabulary.texts[number] == value.text { continue }
                return false
            }
            if vocabulary.texts[number] == value.text { continue }
            if let text = new[number] {
                guard text == value.text else { return false }
                continue
            }
            guard value.isDate || vocabulary.isReplaceable[number], bindings.recorded[value.text] == nil,
                newRecorded[value.text] == nil, value.isDate || vocabulary.number(of: value.text) == nil
            else { return false }
            new[number] = value.text
            newRecorded[value.text] = number
        }
        return true
    }

    /// Whether a client's values can be the recorded ones if bound values may be bound again.
    func fitsAnew(_ values: [Shape.ShapeValue], _ numbers: [Int], in vocabulary: Vocabulary) -> Bool {
        values.count == numbers.count
            && zip(values, numbers).allSatisfy { value, number in
                vocabulary.texts[number] == value.text || bindings.actual[number] == value.text
                    || isNew(value.text, for: number, in: vocabulary)
            }
    }

    private func isNew(_ text: ExactString, for number: Int, in vocabulary: Vocabulary) -> Bool {
        vocabulary.isReplaceable[number] && vocabulary.number(of: text) == nil
            && (bindings.recorded[text] ?? number) == number
    }

    /// Binds the values of a match, replacing earlier bindings.
    mutating func learnAnew(_ values: [Shape.ShapeValue], _ numbers: [Int], in vocabulary: Vocabulary) {
        for (value, number) in zip(values, numbers) {
            let isItself = vocabulary.texts[number] == value.text && bindings.actual[number] != nil
            guard isItself || isNew(value.text, for: number, in: vocabulary) else { continue }
            bindings.bind(number, recorded: vocabulary.texts[number], to: value.text)
        }
    }

    /// Binds the values of a matching request.
    mutating func learn(_ values: [Shape.ShapeValue], _ numbers: [Int], in vocabulary: Vocabulary) {
        for (value, number) in zip(values, numbers) {
            guard bindings.actual[number] == nil, bindings.recorded[value.text] == nil,
                value.isDate || vocabulary.number(of: value.text) == nil
            else { continue }
            bindings.bind(number, recorded: vocabulary.texts[number], to: value.text)
        }
    }

    /// Binds the texts in place of times or secrets; the last one counts.
    mutating func learn(_ texts: [ExactString], for recorded: [ExactString], in vocabulary: Vocabulary) {
        for (text, old) in zip(texts, recorded) {
            guard let number = vocabulary.number(of: old), vocabulary.isReplaceable[number] else { continue }
            bindings.bind(number, recorded: old, to: text)
        }
    }

    /// Binds the credentials of a request to those of the recorded one with the same names.
    mutating func learn(_ credentials: [Credential], for recorded: [Credential], in vocabulary: Vocabulary) {
        for credential in credentials {
            guard let old = recorded.first(where: { $0.name == credential.name }) else { continue }
            learn([credential.value], for: [old.value], in: vocabulary)
        }
    }
}

/// A two-way mapping between recorded values and the client's own.
struct Bindings: Sendable {
    /// The current values, by the recorded value's number in the vocabulary.
    private(set) var actual: [Int: ExactString] = [:]
    /// The number of the recorded value that a client's value stands for.
    private(set) var recorded: [ExactString: Int] = [:]
    /// How many values were not bound, because there were too many or they contain unsafe characters.
    private(set) var refusedCount = 0

    var isEmpty: Bool { actual.isEmpty }

    /// Binds a recorded value, replacing an earlier binding; a value equal to itself needs none.
    mutating func bind(_ number: Int, recorded text: ExactString, to value: ExactString) {
        guard actual[number] != value else { return }
        if text == value, actual[number] == nil { return }
        guard Self.isSafe(value), actual[number] != nil || actual.count < ReplayLimits.bindings,
            recorded[value] != nil || recorded.count < 2 * ReplayLimits.bindings
        else {
            refusedCount += 1
            return
        }
        if let old = actual[number], recorded[old] == number { recorded[old] = nil }
        actual[number] = value
        recorded[value] = number
    }

    /// Whether a value needs no escaping in any response: in JSON, in a field, in a URL.
    static func isSafe(_ value: ExactString) -> Bool {
        (1...ReplayLimits.tokenLength).contains(value.utf8.count)
            && value.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
                    && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
            }
    }
}

/// Selects the recorded fields that are sent again.
enum ReplayedFields {
    /// Fields of a connection or of body framing, and those that would be untrue or lead elsewhere.
    ///
    /// Content-Encoding is kept: a session has it only if the body is encoded.
    private static let dropped: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "content-length", "date", "alt-svc",
    ]

    static func ofAnswer(_ fields: [SessionField]) -> [SessionField] {
        fields.filter { !$0.name.isEmpty && !$0.name.hasPrefix(":") && !dropped.contains($0.name.lowercased()) }
    }

    static func ofOpening(_ fields: [SessionField]) -> [SessionField] {
        ofAnswer(fields).filter {
            !["sec-websocket-accept", "sec-websocket-extensions"].contains($0.name.lowercased())
        }
    }
}
