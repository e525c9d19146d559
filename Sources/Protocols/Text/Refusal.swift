/// An error with only a message for the user: what arrived, what was expected and what to do.
///
/// Modules throw it where no caller distinguishes between their errors.
public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
