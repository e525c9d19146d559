import Synchronization

/// What other threads ask of a client's thread, which alone has the client.
final class ClientInbox: Sendable {
    /// How many commands may wait; more are refused.
    static let capacity = 1024

    /// Something asked, with its place in the order of asking.
    struct Asked: Sendable {
        var ticket: Int
        var command: ClientCommand
    }

    private struct State {
        var waiting: [Asked] = []
        var lastTicket = 0
        var closes = false
    }

    private let state = Mutex(State())

    /// Adds a command and gives its ticket; nil where the client closes, or too much waits.
    func add(_ command: ClientCommand) -> Int? {
        state.withLock { state in
            guard !state.closes, state.waiting.count < Self.capacity else { return nil }
            state.lastTicket += 1
            state.waiting.append(Asked(ticket: state.lastTicket, command: command))
            return state.lastTicket
        }
    }

    /// The ticket of the command that was asked last; 0 before the first.
    var lastTicket: Int { state.withLock { $0.lastTicket } }

    /// Asks for the client's end, after what was asked before.
    func close() { state.withLock { $0.closes = true } }

    /// Takes out what was asked.
    func take() -> (asked: [Asked], closes: Bool) {
        state.withLock { state in
            defer { state.waiting = [] }
            return (state.waiting, state.closes)
        }
    }
}
