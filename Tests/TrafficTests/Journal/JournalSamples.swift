import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Testing
import WebSocket

@testable import Traffic

/// What the tests record.
enum JournalSample {
    static let time = Timestamp(nanosecondsSinceEpoch: 1_738_146_600_000_000_000)

    /// The head of a request, read as the server reads it.
    static func head(_ line: String, _ fields: [String] = []) -> RequestHead {
        var connection = HTTP1.Connection(role: .server)
        connection.receive(
            Array(([line + " HTTP/1.1", "Host: a"] + fields).joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8))
        guard case .request(let head)? = try? connection.nextEvent() else {
            preconditionFailure("the sample is no request: \(line)")
        }
        return head
    }

    static func exchange(
        _ line: String, status: Int? = 200, endpoint: Endpoint? = nil, user: ExactString? = nil,
        unmatched: RecordedExchange.Unmatched? = nil, body: String = "", answer: String = ""
    ) -> RecordedExchange {
        RecordedExchange(
            head: head(line), body: Array(body.utf8), requestedAt: time, endpoint: endpoint, user: user,
            unmatched: unmatched, status: status, responseBody: Array(answer.utf8))
    }

    /// The exchange, with the id of what was created all the same.
    static func created(_ id: ExactString, by exchange: RecordedExchange) -> RecordedExchange {
        var exchange = exchange
        exchange.created = id
        return exchange
    }

    static func frame(_ sender: Party, _ text: String) -> RecordedFrame {
        RecordedFrame(sender: sender, opcode: .text, payload: Array(text.utf8))
    }

    /// The JSON of one event recorded alone.
    static func line(_ event: JournalEvent, encoder: JournalEncoder = JournalEncoder(), connection: UInt64 = 7)
        -> String
    {
        var journal = Journal()
        journal.record(event, at: time, connection: connection)
        return journal.entries().map { String(decoding: encoder.encode($0), as: UTF8.self) }.joined(separator: "\n")
    }
}
