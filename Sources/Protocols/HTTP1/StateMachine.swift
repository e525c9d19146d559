/// Where one end of a connection stands in its message; the same for both roles, after h11.
public enum State: Sendable, Hashable {
    /// Between messages.
    case idle
    /// A request has come whole or in part, no final response has begun (servers).
    case sendResponse
    /// The head of the message is out, its end is not.
    case sendBody
    /// The message is complete; the next begins when the other end is done as well.
    case done
    /// Nothing more may be sent but the end of the stream.
    case mustClose
    /// The end of the stream was sent.
    case closed
    /// The request is complete and proposed another protocol; the response decides (clients).
    case mightSwitchProtocol
    /// The connection speaks another protocol now.
    case switchedProtocol
    /// What this end sent made no sense; nothing after it is read.
    case error
}

/// The states of both ends of a connection: one table for both roles, whichever end we are.
///
/// Both ends done with keep-alive begin the next cycle by themselves.
struct StateMachine: Sendable, Equatable {
    /// What an end can do.
    enum Action: Sendable, Hashable {
        case request
        case informational
        case response
        case body
        case end
        case switchProtocols
        case close
    }

    private(set) var client = State.idle
    private(set) var server = State.idle
    /// Whether both ends want another message after this one.
    private(set) var keepsAlive = true
    /// Whether the request proposed another protocol.
    private(set) var switchProposed = false

    subscript(_ role: Role) -> State { role == .client ? client : server }

    var isBetweenMessages: Bool { client == .idle && server == .idle }

    /// The table: what an end in a state becomes by an action of its own; nil where it may not do that.
    static func next(_ role: Role, _ state: State, _ action: Action) -> State? {
        switch (role, state, action) {
        case (.client, .idle, .request): .sendBody
        // A server that could not read a request may still answer it.
        case (.server, .idle, .response), (.server, .sendResponse, .response): .sendBody
        case (.server, .sendResponse, .informational): .sendResponse
        case (.server, .sendResponse, .switchProtocols): .switchedProtocol
        case (_, .sendBody, .body): .sendBody
        case (_, .sendBody, .end): .done
        case (_, .idle, .close), (_, .done, .close), (_, .mustClose, .close), (_, .closed, .close): .closed
        default: nil
        }
    }

    /// Takes an action of one end into account.
    ///
    /// An action the table does not know is a mistake of the caller.
    mutating func process(_ action: Action, by role: Role) {
        guard let next = Self.next(role, self[role], action) else {
            preconditionFailure("a \(role) in state \(self[role]) cannot do \(action)")
        }
        set(role, next)
        switch action {
        case .request: server = .sendResponse
        case .response:
            // A final response declines the proposal.
            switchProposed = false
            if client == .mightSwitchProtocol { client = .done }
        case .switchProtocols: client = .switchedProtocol
        default: break
        }
        settle()
    }

    /// One end sent nonsense.
    ///
    /// The other may still finish what it has to say.
    mutating func fail(_ role: Role) {
        set(role, .error)
        settle()
    }

    mutating func disableKeepAlive() {
        keepsAlive = false
        settle()
    }

    mutating func proposeSwitch() { switchProposed = true }

    private mutating func set(_ role: Role, _ state: State) {
        if role == .client { client = state } else { server = state }
    }

    /// The transitions that follow from the state of both ends.
    private mutating func settle() {
        if client == .done && switchProposed { client = .mightSwitchProtocol }
        if client == .done && server == .done && keepsAlive {
            self = StateMachine()
            return
        }
        settle(.client)
        settle(.server)
    }

    private mutating func settle(_ role: Role) {
        let peer = self[role.peer]
        switch self[role] {
        case .done where !keepsAlive || peer == .closed || peer == .error: set(role, .mustClose)
        case .idle where peer == .closed: set(role, .mustClose)
        default: break
        }
    }
}
