import HTTPTypes

extension HTTPField.Name {
    /// The Host field, which HTTPTypes keeps for its own pseudo-header fields.
    public static let hostField = HTTPField.Name("Host")!  // A token: the initialiser cannot refuse it.
}
