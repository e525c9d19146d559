import JSON
import Sessions

/// The ids, days, addresses and tokens of a session, numbered in the order in which they first went over the wire.
struct Vocabulary: Sendable {
    private(set) var texts: [ExactString] = []
    private var numbers: [ExactString: Int] = [:]
    /// Whether another value may stand for it: the client made it up, or redaction did.
    private(set) var isReplaceable: [Bool] = []
    /// Whether there were more than ``ReplayLimits/recordedValues``.
    private(set) var isFull = false

    /// The number of a value; nil where it was not recorded.
    func number(of text: ExactString) -> Int? { numbers[text] }

    /// Notes a value, unless it is known.
    mutating func note(_ text: ExactString, fromClient: Bool) {
        guard numbers[text] == nil else { return }
        guard texts.count < ReplayLimits.recordedValues else {
            isFull = true
            return
        }
        append(text, isReplaceable: fromClient || Self.isPlaceholder(text))
    }

    /// The number of a value that has to have one.
    mutating func intern(_ text: ExactString) -> Int { numbers[text] ?? append(text, isReplaceable: true) }

    @discardableResult
    private mutating func append(_ text: ExactString, isReplaceable replaceable: Bool) -> Int {
        numbers[text] = texts.count
        texts.append(text)
        isReplaceable.append(replaceable)
        return texts.count - 1
    }

    /// Notes the values of a text.
    mutating func note(valuesOf bytes: [UInt8], fromClient: Bool) {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = ValueScanner(bytes)
            while let found = scanner.next() {
                // Of times only those count that a client sent: what it sends in their place is given back to it.
                if found.kind == .time, !fromClient { continue }
                note(ExactString(String(decoding: bytes[found.range], as: UTF8.self)), fromClient: fromClient)
            }
        }
    }

    /// `redacted-token-1`, `user-1@redacted.example`.
    static func isPlaceholder(_ text: ExactString) -> Bool {
        var text = text.text
        return text.withUTF8 { $0.isPlaceholder } || text.hasSuffix("@redacted.example")
    }
}
