import JSON

/// Which recorded values stand for which of the client's own, both ways.
struct Bindings: Sendable {
    /// What a recorded value is now, by its number in the vocabulary.
    private(set) var actual: [Int: ExactString] = [:]
    /// Which recorded value a client's own stands for.
    private(set) var recorded: [ExactString: Int] = [:]
    /// How many values could not be bound, because there were too many or they hold what no answer may.
    private(set) var refusedCount = 0

    var isEmpty: Bool { actual.isEmpty }

    /// Binds a recorded value, whatever it was bound to before; one that is itself needs no binding.
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

    /// Whether a value may stand in any answer: in JSON, in a field, in a URL it needs no escape that would change it.
    static func isSafe(_ value: ExactString) -> Bool {
        (1...ReplayLimits.tokenLength).contains(value.utf8.count)
            && value.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
                    && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
            }
    }
}
