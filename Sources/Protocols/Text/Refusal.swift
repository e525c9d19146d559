/// An error with a message for the user: what arrived, what was expected and what to do.
///
/// If the error is about a document, it also has the place of the mistake. Modules throw it where no caller
/// distinguishes between their errors.
public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// The position of the mistake in a document, from the outside in, such as `entry 3`, `response.status`.
    public private(set) var place: [String]
    public let message: String

    /// - Parameter place: The position; empty parts are dropped.
    public init(_ message: String, at place: String...) {
        (self.message, self.place) = (message, place.filter { !$0.isEmpty })
    }

    /// Prepends an outer place, such as the entry that contains the member.
    public func inside(_ outer: String) -> Refusal {
        var refusal = self
        refusal.place.insert(outer, at: 0)
        return refusal
    }

    /// The position and the message: `entry 3, response.status: expected …`.
    public var description: String { (place.isEmpty ? "" : place.joined(separator: ", ") + ": ") + message }
}
