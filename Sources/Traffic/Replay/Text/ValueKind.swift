/// What a piece of text is, where it may be another one each time a client runs.
enum ValueKind: UInt8, Sendable {
    /// An id: a UUID, a ULID, a long number, a token, a placeholder of redaction.
    case id = 1
    /// A point in time (RFC 3339 `date-time`).
    case time
    /// A day (RFC 3339 `full-date`).
    case date
    /// An e-mail address.
    case email
}

/// A value in a text: where it lies, and what it is.
struct FoundValue: Equatable {
    var range: Range<Int>
    var kind: ValueKind
}
