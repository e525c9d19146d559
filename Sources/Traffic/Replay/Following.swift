import JSON
import Text
import Traffic

/// Maps a session's recorded values to the current values.
struct Following: Sendable {
    let vocabulary: Vocabulary
    private(set) var bindings = Bindings()

    /// For each of a request's values, the recorded value that it is bound to or equals.
    ///
    /// The result is nil if a value is new.
    func numbers(of values: [Shape.ShapeValue]) -> [Int]? {
        var numbers: [Int] = []
        numbers.reserveCapacity(values.count)
        for value in values {
            guard let number = bindings.recorded[value.text] ?? vocabulary.number(of: value.text) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// Whether a client's values can replace the recorded ones.
    ///
    /// Each value must be bound to its counterpart, be equal to it, or be new on both sides.
    func fits(_ values: [Shape.ShapeValue], _ numbers: [Int]) -> Bool {
        guard values.count == numbers.count else { return false }
        var new: [Int: ExactString] = [:]
        var newRecorded: [ExactString: Int] = [:]
        for (value, number) in zip(values, numbers) where vocabulary.texts[number] != value.text {
            if let text = bindings.actual[number] ?? new[number] {
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

    /// Whether a client's values can replace the recorded ones if rebinding is allowed.
    func fitsAnew(_ values: [Shape.ShapeValue], _ numbers: [Int]) -> Bool {
        values.count == numbers.count
            && zip(values, numbers).allSatisfy { value, number in
                vocabulary.texts[number] == value.text || bindings.actual[number] == value.text
                    || isNew(value.text, for: number)
            }
    }

    private func isNew(_ text: ExactString, for number: Int) -> Bool {
        vocabulary.isReplaceable[number] && vocabulary.number(of: text) == nil
            && (bindings.recorded[text] ?? number) == number
    }

    /// Binds a match's values, replacing earlier bindings.
    mutating func learnAnew(_ values: [Shape.ShapeValue], _ numbers: [Int]) {
        for (value, number) in zip(values, numbers) {
            let isItself = vocabulary.texts[number] == value.text && bindings.actual[number] != nil
            guard isItself || isNew(value.text, for: number) else { continue }
            bindings.bind(number, recorded: vocabulary.texts[number], to: value.text)
        }
    }

    /// Binds the values of a matching request or message, and its times and secrets.
    mutating func learn(_ shape: Shape, _ numbers: [Int], free recorded: [ExactString]) {
        for (value, number) in zip(shape.values, numbers) {
            guard bindings.actual[number] == nil, bindings.recorded[value.text] == nil,
                value.isDate || vocabulary.number(of: value.text) == nil
            else { continue }
            bindings.bind(number, recorded: vocabulary.texts[number], to: value.text)
        }
        learn(shape.free, for: recorded)
    }

    /// Binds the strings that stand in for times or secrets; if a string is repeated, the last binding wins.
    mutating func learn(_ texts: [ExactString], for recorded: [ExactString]) {
        for (text, old) in zip(texts, recorded) {
            guard let number = vocabulary.number(of: old), vocabulary.isReplaceable[number] else { continue }
            bindings.bind(number, recorded: old, to: text)
        }
    }

    /// Binds a request's credentials to the recorded credentials with the same names.
    mutating func learn(_ credentials: [Credential], for recorded: [Credential]) {
        for credential in credentials {
            guard let old = recorded.first(where: { $0.name == credential.name }) else { continue }
            learn([credential.value], for: [old.value])
        }
    }
}

/// A two-way mapping between recorded values and the client's own values.
struct Bindings: Sendable {
    /// The current values, indexed by the recorded value's number in the vocabulary.
    private(set) var actual: [Int: ExactString] = [:]
    /// For each of the client's values, the number of the recorded value that it is bound to.
    private(set) var recorded: [ExactString: Int] = [:]
    /// The number of values that stay unbound because there are too many of them or they contain unsafe characters.
    private(set) var refusedCount = 0

    var isEmpty: Bool { actual.isEmpty }

    /// Binds a recorded value, replacing an earlier binding; an identical value needs no binding.
    mutating func bind(_ number: Int, recorded text: ExactString, to value: ExactString) {
        guard actual[number] != value else { return }
        if text == value, actual[number] == nil { return }
        guard Self.isSafe(value), actual[number] != nil || actual.count < ReplayLimits.bindings else {
            refusedCount += 1
            return
        }
        if let old = actual[number], recorded[old] == number { recorded[old] = nil }
        actual[number] = value
        recorded[value] = number
    }

    /// Whether a value needs no escaping in JSON, in a field or in a URL.
    static func isSafe(_ value: ExactString) -> Bool {
        (1...ReplayLimits.tokenLength).contains(value.utf8.count)
            && value.utf8.allSatisfy { $0.isVisible && !#""\<>"#.utf8.contains($0) }
    }
}

/// Replaces recorded values with the client's values, and recorded origins with our origin.
///
/// If there is nothing to replace, the bytes stay unchanged. The replacement takes linear time in the length of the
/// text.
struct Rewriter {
    let plan: ReplayPlan
    let bindings: Bindings
    /// The bindings of the message being answered, which take precedence over all others.
    var own: [Int: ExactString] = [:]
    /// `http://localhost:8080`, or `https://localhost:8443/w/abc`.
    let origin: String

    private struct Edit {
        var range: Range<Int>
        var text: String
    }

    func rewritten(_ fields: [SessionField]) -> [SessionField] {
        fields.map { SessionField($0.name, String(decoding: rewritten(Array($0.value.utf8)), as: UTF8.self)) }
    }

    func rewritten(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty, String(validating: bytes, as: UTF8.self) != nil else { return bytes }
        let edits = bytes.withUnsafeBufferPointer(edits)
        guard !edits.isEmpty else { return bytes }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 64)
        var end = 0
        for edit in edits {
            output += bytes[end..<edit.range.lowerBound]
            output += edit.text.utf8
            end = edit.range.upperBound
        }
        output += bytes[end...]
        return output
    }

    private func edits(_ bytes: UnsafeBufferPointer<UInt8>) -> [Edit] {
        let isBound = !bindings.isEmpty || !own.isEmpty
        var edits: [Edit] = []
        var scanner = ValueScanner(bytes, origins: plan.origins)
        while let found = scanner.next() {
            guard isBound || found.kind == .origin else { continue }
            let text = String(decoding: bytes[found.range], as: UTF8.self)
            if found.kind == .origin {
                if let ours = ours(for: text) { edits.append(Edit(range: found.range, text: ours)) }
            } else if let number = plan.vocabulary.number(of: ExactString(text)),
                let actual = own[number] ?? bindings.actual[number]
            {
                edits.append(Edit(range: found.range, text: actual.text))
            }
        }
        return edits
    }

    /// Our origin, starting at `://`.
    private var afterScheme: Substring { origin.utf8.firstIndex(of: .colon).map { origin[$0...] } ?? "" }

    /// Our origin in place of `http://host` or `http:\/\/host`, or nil if the text already has it.
    private func ours(for recorded: String) -> String? {
        let isEscaped = recorded.utf8.contains(.backslash)
        let url = URLParts(isEscaped ? recorded.filter { $0 != "\\" } : recorded)
        let authority = (url.authority ?? "").lowercased()
        if url.path.isEmpty, afterScheme.dropFirst(3).lowercased().isExactly(authority) { return nil }
        let isSecure = origin.hasPrefix("https") || origin.hasPrefix("wss")
        let isSocket = url.scheme?.lowercased().hasPrefix("ws") == true
        let ours = (isSocket ? "ws" : "http") + (isSecure ? "s" : "") + afterScheme
        return isEscaped ? ours.split(separator: "/", omittingEmptySubsequences: false).joined(separator: #"\/"#) : ours
    }
}
