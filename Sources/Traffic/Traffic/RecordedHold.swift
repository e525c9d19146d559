import FitIQAPI

/// A breakpoint began to hold something back; the entry's number names what is held.
public struct RecordedHold: Sendable, Equatable {
    /// The breakpoint's name.
    public var breakpoint: String
    public var place: Place
    /// The side that sent what is held.
    public var sender: Party
    /// When it continues by itself, by the world's clock.
    public var until: Timestamp
    /// What is held, on one line: `POST /api/v1/goals`, `201 POST /api/v1/goals` or `text stream_chunk`.
    public var subject: String

    public enum Place: String, Sendable, CaseIterable {
        case request
        case response
        case handshake
        case frame
    }

    public init(breakpoint: String, place: Place, sender: Party, until: Timestamp, subject: String) {
        self.breakpoint = breakpoint
        self.place = place
        self.sender = sender
        self.until = until
        self.subject = subject
    }
}

/// What was held continued, or was lost.
///
/// The entry of its own follows on the same connection, with the breakpoint among its faults. Only a client's frame has
/// it before the hold, because the client sent it then.
public struct RecordedRelease: Sendable, Equatable {
    /// The number of the entry with the ``RecordedHold``.
    public var held: Int
    /// The breakpoint's name.
    public var breakpoint: String
    public var action: Action
    /// When it would have continued without the breakpoint; the entry's own time is when it did.
    public var due: Timestamp
    /// What the other side received instead of a request's body or a client's frame; nil if nothing was changed.
    public var payload: RecordedBody?

    public enum Action: String, Sendable, CaseIterable {
        case continued
        case changed
        case dropped
        /// The client was answered in place of the backend.
        case answered
        /// Its time was over, or a limit was reached.
        case expired
        /// The connection is gone.
        case left
        /// The breakpoint was removed, or its controller left, or the world or the server came to an end.
        case ended
    }

    public init(
        held: Int, breakpoint: String, action: Action, due: Timestamp, payload: RecordedBody? = nil
    ) {
        self.held = held
        self.breakpoint = breakpoint
        self.action = action
        self.due = due
        self.payload = payload
    }
}
