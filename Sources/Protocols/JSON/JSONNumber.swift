/// A JSON number as it was written, so that nothing is lost by reading it.
///
/// RFC 8259, section 6: `number = [ minus ] int [ frac ] [ exp ]`.
public struct JSONNumber: Sendable, Hashable {
    /// The number as it arrived; always a valid RFC 8259 number.
    public let text: String

    /// Takes text that the parser has found to be a number.
    init(valid text: String) { self.text = text }

    /// Creates a number from its text, or nil if RFC 8259, section 6, does not allow it.
    public init?(_ text: String) {
        let utf8 = Array(text.utf8)
        let isNumber = utf8.withUnsafeBufferPointer { buffer in
            var parser = Parser(buffer, limits: JSON.Limits())
            guard let end = try? parser.scanNumber() else { return false }
            return end == buffer.count
        }
        guard isNumber else { return nil }
        self.text = text
    }

    /// Creates a number without a fraction.
    public init(_ value: Int) { text = String(value) }

    /// Creates the shortest number that reads back as the same double: `2.0` becomes `2`; the value is finite.
    public init(_ value: Double) {
        precondition(value.isFinite, "JSON has no number for \(value)")
        let description = value.description
        text = description.hasSuffix(".0") ? String(description.dropLast(2)) : description
    }

    /// The nearest double, or nil if the number is too large for one.
    public var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The number as an exact integer, or nil if it has a fraction or does not fit; `1.0` and `1e2` count.
    public var int: Int? {
        if let value = Int(text) { return value }
        var copy = text
        return copy.withUTF8 { Decimal($0).int }
    }
}
