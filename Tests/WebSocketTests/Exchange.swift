import Testing
import WebSocket

/// An input from the peer, and all its required effects.
struct Exchange: Sendable, CustomTestStringConvertible {
    /// Our side's state when the bytes arrive.
    enum Before: Sendable {
        case open
        /// We have sent a close frame with 1001.
        case closing
    }

    let name: String
    let role: Role
    let before: Before
    let input: [UInt8]
    let events: [Event]
    let output: [UInt8]
    let state: Connection.State
    let shouldClose: Bool

    var testDescription: String { name }

    /// Feeds the input in every split, and expects events, bytes and states.
    func run() {
        var connection = Connection(role: role)
        if before == .closing {
            var out: [UInt8] = []
            connection.close(code: .goingAway, into: &out)
            #expect(out == Wire.first(from: role, 8, Wire.close(1001)))
            #expect(connection.state == .closing(.weStarted))
        }
        let outcome = receiveHoweverSplit(input, by: connection)
        #expect(outcome.events == events)
        #expect(outcome.output == output)
        #expect(outcome.state == state)
        #expect(outcome.shouldCloseTransport == shouldClose)
    }

    /// An exchange for both roles; `input` and `output` are given the role whose frames they write.
    static func both(
        _ what: String, before: Before = .open,
        input: (Role) -> [UInt8], events: [Event], output: (Role) -> [UInt8] = { _ in [] },
        state: Connection.State = .open, shouldClose: (Role) -> Bool = { _ in false }
    ) -> [Exchange] {
        [Role.client, .server].map { role in
            Exchange(
                name: "\(role.testDescription) \(what)", role: role, before: before, input: input(role),
                events: events, output: output(role), state: state, shouldClose: shouldClose(role))
        }
    }

    /// An input that breaks the protocol, for both roles.
    static func failure(
        _ what: String, _ code: UInt16, _ message: String, input: (Role) -> [UInt8]
    ) -> [Exchange] {
        both(
            what, input: input, events: [.failed(code: CloseCode(rawValue: code), message: message)],
            output: { Wire.first(from: $0, 8, Wire.close(code, message)) }, state: .failed,
            shouldClose: { _ in true })
    }
}
