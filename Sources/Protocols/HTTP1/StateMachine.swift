/// The progress of one end through its message, for both roles (modelled on h11).
public enum State: Sendable, Hashable {
    /// Between messages.
    case idle
    /// A request has arrived in whole or in part, and no final response has started (servers).
    case sendResponse
    /// The head of the message has been sent, but not its end.
    case sendBody
    /// The message is complete; the next one starts once the other end is also done.
    case done
    /// Only the end of the stream may be sent.
    case mustClose
    case closed
    /// The request is complete and proposed a different protocol, which the response accepts or declines (clients).
    case mightSwitchProtocol
    /// The connection uses a different protocol now.
    case switchedProtocol
    /// This end sent an invalid message; nothing after it is read.
    case error
}

/// The states of both ends of a connection, in one table for both roles.
///
/// The next cycle starts automatically once both ends are done and keep the connection alive.
@usableFromInline struct StateMachine: Sendable, Equatable {
    enum Action: Sendable, Hashable { case request, informational, response, body, end, switchProtocols, close }

    @usableFromInline private(set) var client = State.idle
    @usableFromInline private(set) var server = State.idle
    /// Whether both ends allow another message after this one.
    @usableFromInline private(set) var keepsAlive = true
    private(set) var switchProposed = false
    @inlinable subscript(_ role: Role) -> State { role == .client ? client : server }
    @inlinable var isBetweenMessages: Bool { client == .idle && server == .idle }

    /// The state after an action of an end in `state`; nil if the action is not allowed.
    static func next(_ role: Role, _ state: State, _ action: Action) -> State? {
        switch (role, state, action) {
        case (.client, .idle, .request): .sendBody
        // A server that could not parse a request may still respond.
        case (.server, .idle, .response), (.server, .sendResponse, .response): .sendBody
        case (.server, .sendResponse, .informational): .sendResponse
        case (.server, .sendResponse, .switchProtocols): .switchedProtocol
        case (_, .sendBody, .body): .sendBody
        case (_, .sendBody, .end): .done
        case (_, .idle, .close), (_, .done, .close), (_, .mustClose, .close), (_, .closed, .close): .closed
        default: nil
        }
    }

    /// Applies an action of one end; the table must allow it.
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

    /// Records that one end sent an invalid message; the other end may still finish its message.
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
