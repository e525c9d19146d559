/// What 'show' and 'diff' say.
extension Messages {
    static func width(_ text: Int, allowed: ClosedRange<Int>) -> String {
        "--width must be from \(allowed.lowerBound) to \(allowed.upperBound), not \(text)."
    }

    /// A message of another module as a sentence.
    static func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }
}
