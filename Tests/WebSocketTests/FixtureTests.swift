import Testing
import WebSocket

@Suite("Fixtures/websocket, as a server reads them")
struct FixtureTests {
    static let validTables = Result { try Fixture.load("valid") }
    static let invalidTables = Result { try Fixture.load("invalid") }
    /// The limit that the fixtures' README names.
    static let server = Connection(role: .server, limits: Limits(message: 70_000))

    @Test("Every valid input produces its events and answers, however it is split", arguments: try validTables.get())
    func valid(fixture: Fixture) {
        #expect(fixture.failure == nil)
        let outcome = receiveHoweverSplit(fixture.input, by: Self.server)
        #expect(outcome.events == fixture.events)
        #expect(outcome.output == Self.answers(to: fixture.events))
        guard case .closing(let code, let reason)? = fixture.events.last else {
            #expect(outcome.state == .open)
            #expect(!outcome.shouldCloseTransport)
            return
        }
        #expect(outcome.state == .closing(.theyStarted))
        #expect(outcome.summary.received == CloseSummary.Frame(code: code, reason: reason))
        #expect(outcome.shouldCloseTransport)
    }

    @Test(
        "Every invalid input fails with its code at its byte, however it is split", arguments: try invalidTables.get())
    func invalid(fixture: Fixture) throws {
        let code = try #require(fixture.failure)
        let place = try #require(fixture.failsAfter)
        let outcome = receiveHoweverSplit(fixture.input, by: Self.server)
        #expect(Array(outcome.events.dropLast()) == fixture.events)
        guard case .failed(code, let message)? = outcome.events.last else {
            Issue.record("expected a failure with \(code), got \(String(describing: outcome.events.last))")
            return
        }
        #expect(outcome.state == .failed)
        #expect(outcome.shouldCloseTransport)
        #expect(outcome.output == Self.answers(to: fixture.events) + Wire.frame(8, Wire.close(code.rawValue, message)))
        // The connection must detect the mistake at exactly this byte, neither earlier nor later.
        var early = Self.server
        #expect(early.outcome(of: [fixture.input[..<(place - 1)]]).state == .open)
        #expect(early.outcome(of: [fixture.input[(place - 1)..<place]]).state == .failed)
    }

    @Test("The tables have the expected length and unique names within a topic")
    func coverage() throws {
        let valid = try Self.validTables.get()
        let invalid = try Self.invalidTables.get()
        #expect(valid.count >= 40)
        #expect(invalid.count >= 60)
        #expect(Set((valid + invalid).map(\.description)).count == valid.count + invalid.count)
    }

    /// A server's automatic output: pongs, and the echo of a close code.
    static func answers(to events: [Event]) -> [UInt8] {
        events.flatMap { event -> [UInt8] in
            switch event {
            case .ping(let payload): Wire.frame(10, payload)
            case .closing(let code?, _): Wire.frame(8, Wire.close(code.rawValue))
            case .closing(nil, _): Wire.frame(8)
            default: []
            }
        }
    }
}
