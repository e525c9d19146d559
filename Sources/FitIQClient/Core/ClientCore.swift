import FitIQAPI

/// The client without its network: what its user asks and what the network tells go in, actions and news come out.
///
/// It never reads a clock, never sleeps, and opens nothing: the time is an argument, and ``nextDeadline`` says when
/// ``advance(to:)`` is due.
public struct ClientCore: Sendable {
    /// What the client was made with.
    public let configuration: ClientConfiguration
    /// What its user would see.
    public private(set) var state = ClientState()
    private var actions: [ClientAction] = []
    private var events: [ClientEvent] = []

    /// Makes a client that has done nothing.
    public init(_ configuration: ClientConfiguration) {
        self.configuration = configuration
    }

    /// Begins what its user asks for.
    public mutating func perform(_ command: ClientCommand, at now: Timestamp) {
    }

    /// Takes what the network tells.
    public mutating func receive(_ input: ClientInput, at now: Timestamp) {
    }

    /// Does what is due.
    public mutating func advance(to now: Timestamp) {
    }

    /// When ``advance(to:)`` is to be called; nil while nothing is due.
    public var nextDeadline: Timestamp? { nil }

    /// What the client wants done on the network, in order; each once.
    public mutating func takeActions() -> [ClientAction] {
        defer { actions = [] }
        return actions
    }

    /// What its user would be told, in order; each once.
    public mutating func takeEvents() -> [ClientEvent] {
        defer { events = [] }
        return events
    }
}
