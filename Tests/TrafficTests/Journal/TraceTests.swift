import FitIQAPI
import HTTP1
import JSON
import Testing

@testable import Traffic

@Suite("The trace of a request")
struct TraceTests {
    static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let valid = "00-\(id)-00f067aa0ba902b7-01"

    private static func exchange(_ traceparent: String...) -> RecordedExchange {
        var exchange = JournalSample.exchange("GET /a")
        exchange.head = JournalSample.head("GET /a", traceparent.map { "traceparent: \($0)" })
        return exchange
    }

    @Test(
        "A traceparent names it",
        arguments: [
            valid, "00-\(id)-00f067aa0ba902b7-00", "fe-\(id)-00f067aa0ba902b7-ff", "01-\(id)-00f067aa0ba902b7-01-x",
        ])
    func named(_ traceparent: String) throws {
        let line = try JSON.parse(JournalSample.line(.exchange(Self.exchange(traceparent))))
        #expect(line["trace"]?.string == Self.id)
    }

    @Test(
        "What is no traceparent names none",
        arguments: [
            "", "00", id, "ff-\(id)-00f067aa0ba902b7-01", "00-\(id)-00f067aa0ba902b7-01-x",
            "00-\(id.uppercased())-00f067aa0ba902b7-01", "00-\(id)0-00f067aa0ba902b7-01", "00-\(id)-00f067aa0ba902b-01",
            "00-\(id)-0000000000000000-01", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-\(id)-00f067aa0ba902b7-1", "0x-\(id)-00f067aa0ba902b7-01", "00-\(id)-00f067aa0ba902b7",
            "00--\(id)-00f067aa0ba902b7-01",
        ])
    func none(_ traceparent: String) throws {
        let line = try JSON.parse(JournalSample.line(.exchange(Self.exchange(traceparent))))
        #expect(line["trace"] == nil)
        #expect(line["request"]?["fields"]?.array?.last?["name"] == "traceparent")
    }

    @Test("Two fields name none, and no field either")
    func several() {
        #expect(TraceID.of(Self.exchange(Self.valid, Self.valid).head) == nil)
        #expect(TraceID.of(Self.exchange().head) == nil)
    }

    @Test("A condition finds the requests and the frames of a trace")
    func filter() throws {
        var journal = Journal()
        func record(_ event: JournalEvent, _ connection: UInt64) {
            journal.record(event, at: JournalSample.time, connection: connection)
        }
        record(.exchange(Self.exchange(Self.valid)), 1)
        record(.exchange(Self.exchange()), 1)
        let head = JournalSample.head("GET /ws", ["Traceparent: \(Self.valid)"])
        record(.opened(RecordedOpening(head: head, requestedAt: JournalSample.time)), 2)
        record(.frame(JournalSample.frame(.client, "a")), 2)
        record(.frame(JournalSample.frame(.client, "a")), 3)
        #expect(try journal.entries(JournalQuery(query: [("trace", Self.id)])).map(\.number) == [4, 3, 1])
        #expect(try journal.entries(JournalQuery(query: [("trace", "1" + Self.id.dropFirst())])).isEmpty)
        var filter = try TrafficFilter("trace=\(Self.id) kind=frame")
        #expect(journal.entries().filter { filter.matches($0) }.map(\.number) == [4])
    }

    @Test(
        "What is no id of a trace is refused",
        arguments: [valid, String(id.dropLast()), id + "0", id.uppercased(), String(repeating: "0", count: 32)])
    func refused(_ value: String) {
        let refusal = APIError(.badRequest, .validationFailed, JournalMessages.badTrace(value))
        #expect(throws: refusal) { try JournalQuery(query: [("trace", value)]) }
    }
}
