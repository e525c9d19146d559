import Testing
import WebSocket

@Suite("Receiving one event at a time")
struct ReceiveUntilEventTests {
    /// Feeds a piece event by event.
    private func drain(_ piece: [UInt8], _ connection: inout Connection, _ outcome: inout Outcome) {
        piece.withUnsafeBytes { piece in
            var rest = piece
            while !rest.isEmpty {
                let before = outcome.events.count
                let count = connection.receiveUntilEvent(rest, events: &outcome.events, output: &outcome.output)
                #expect(count > 0 && count <= rest.count)
                #expect(outcome.events.count <= before + 1)
                if outcome.events.count == before { #expect(count == rest.count) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    @Test("A server can answer a text message before it reads the close frame that follows the message")
    func answersBeforeClose() {
        var connection = Connection(role: .server)
        let text = Wire.fromPeer(of: .server, 1, bytes("hi"))
        let input =
            text + Wire.fromPeer(of: .server, 8, Wire.close(1000)) + Wire.fromPeer(of: .server, 1, bytes("late"))
        var events: [Event] = []
        var output: [UInt8] = []
        let first = input.withUnsafeBytes {
            connection.receiveUntilEvent($0, events: &events, output: &output)
        }
        #expect(first == text.count && events == [.text(bytes("hi"))])
        #expect(connection.send(text: "ho", into: &output))
        let second = input[first...].withUnsafeBytes {
            connection.receiveUntilEvent($0, events: &events, output: &output)
        }
        #expect(second == input.count - first)
        #expect(events.last == .closing(code: .normalClosure, reason: ""))
        #expect(output == Wire.frame(1, bytes("ho")) + Wire.frame(8, Wire.close(1000)))
    }

    @Test("Receiving one event at a time yields the same events and output")
    func sameAsAtOnce() {
        let input =
            Wire.fromPeer(of: .server, 1, bytes("a"), fin: false) + Wire.fromPeer(of: .server, 9, bytes("p"))
            + Wire.fromPeer(of: .server, 0, bytes("b")) + Wire.fromPeer(of: .server, 2)
            + Wire.fromPeer(of: .server, 10) + Wire.fromPeer(of: .server, 3) + Wire.fromPeer(of: .server, 1)
        let expected = receiveHoweverSplit(input, by: Connection(role: .server))
        #expect(expected.events.count == 5)
        for cut in 0...input.count {
            var connection = Connection(role: .server)
            var outcome = Outcome()
            drain(Array(input[..<cut]), &connection, &outcome)
            drain(Array(input[cut...]), &connection, &outcome)
            #expect(outcome.events == expected.events && outcome.output == expected.output, "cut at \(cut)")
        }
    }
}
