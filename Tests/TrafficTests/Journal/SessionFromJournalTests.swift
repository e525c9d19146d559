import FitIQAPI
import HTTP1
import Testing
import WebSocket

@testable import Traffic

@Suite("A journal as a session")
struct SessionFromJournalTests {
    private static let origin = "http://127.0.0.1:8080"

    private static func entry(_ number: Int, _ event: JournalEvent, connection: UInt64 = 1) -> JournalEntry {
        JournalEntry(number: number, time: time(number), connection: connection, event: event)
    }

    private static func time(_ number: Int) -> Timestamp { Samples.time(Int64(number) * 1000) }

    private static func head(_ target: String) throws -> RequestHead {
        try RequestHead(recorded: Array("GET \(target) HTTP/1.1\r\nAuthorization: Bearer t\r\n".utf8))
    }

    private static func exchange(
        _ target: String, requestedAt number: Int, status: Int? = 200, delivery: Delivery = .complete
    ) throws -> JournalEvent {
        .exchange(
            RecordedExchange(
                head: try head(target), body: Array("{}".utf8), requestedAt: time(number), endpoint: .listGoals,
                status: status, responseFields: .encoded(Array("Content-Type: text/plain\r\n".utf8)),
                responseBody: Array("[]".utf8), delivery: delivery))
    }

    private static func exchanges(_ session: Session) -> [SessionExchange] {
        session.entries.filter { !$0.isSocket }
    }

    @Test("Requests come in the order in which they began, with what the client got")
    func requests() throws {
        let session = Session(
            [
                Self.entry(3, try Self.exchange("/b", requestedAt: 2)),
                Self.entry(4, try Self.exchange("/a", requestedAt: 1)),
                Self.entry(5, try Self.exchange("/c", requestedAt: 2, status: nil, delivery: .none)),
                Self.entry(6, try Self.exchange("/d", requestedAt: 5, delivery: .partial)),
                Self.entry(7, try Self.exchange("/e", requestedAt: 5, delivery: .none)),
            ], origin: Self.origin)
        let exchanges = Self.exchanges(session)
        #expect(exchanges.map(\.request.url) == ["a", "b", "c", "d", "e"].map { "\(Self.origin)/\($0)" })
        #expect(exchanges.map(\.response?.isComplete) == [true, true, nil, false, nil])
        #expect(exchanges[0].lasted == 3_000_000 && exchanges[0].started == Self.time(1))
        let first = try #require(exchanges.first)
        #expect(first.request.fields == [SessionField("Authorization", "Bearer t")])
        #expect(first.request.body?.bytes == Array("{}".utf8))
        #expect(first.response?.fields == [SessionField("Content-Type", "text/plain")])
        #expect(first.response?.body.bytes == Array("[]".utf8))
    }

    @Test("Fields and bodies agree: a journal has the text of what had gzip, unless a fault damaged it")
    func codedBodies() throws {
        func exchange(_ number: Int, _ body: [UInt8], _ coding: String = "gzip") throws -> JournalEntry {
            let lines = "Content-Encoding: \(coding)\r\n"
            let head = try RequestHead(recorded: Array("POST /a HTTP/1.1\r\n\(lines)".utf8))
            let exchange = RecordedExchange(
                head: head, body: body, requestedAt: Self.time(number), status: 200,
                responseFields: .encoded(Array(lines.utf8)), responseBody: body)
            return Self.entry(number, .exchange(exchange))
        }
        let session = Session(
            [
                try exchange(1, Array("{}".utf8)), try exchange(2, [0x1F, 0x8B, 8]), try exchange(3, [0x8B], "br"),
            ], origin: Self.origin)
        let exchanges = Self.exchanges(session)
        #expect(exchanges.map(\.request.fields.count) == [0, 1, 1])
        #expect(exchanges.map(\.response?.fields.count) == [0, 1, 1])
    }

    @Test(
        "A WebSocket has the frames that arrived; a fault ends it as FIN does",
        arguments: [
            (RecordedClosing.Cause.closeFrame, RecordedClosing.Cause.closeFrame), (.reset, .reset), (.fault, .finish),
            (.timeOut, .finish), (.finish, .finish), (.shutdown, .finish),
        ])
    func sockets(_ cause: RecordedClosing.Cause, _ recorded: RecordedClosing.Cause) throws {
        func frame(_ text: String, _ delivery: Delivery = .complete) -> JournalEvent {
            .frame(RecordedFrame(sender: .server, opcode: .text, payload: Array(text.utf8), delivery: delivery))
        }
        let path = SessionJournalTests.path + "/ws"
        let opening = RecordedOpening(head: try Self.head(path), requestedAt: Self.time(1))
        let entries = [
            Self.entry(2, .opened(opening)), Self.entry(3, .opened(opening), connection: 2), Self.entry(4, frame("1")),
            Self.entry(5, frame("lost", .none)), Self.entry(6, frame("2"), connection: 2),
            Self.entry(7, frame("cut", .partial)), Self.entry(8, .note("a"), connection: 1), Self.entry(9, frame("3")),
            Self.entry(10, .closed(RecordedClosing(by: .server, cause: cause))), Self.entry(11, frame("nobody's")),
        ]
        let session = Session(entries, origin: Self.origin)
        let sockets = session.entries.filter(\.isSocket)
        #expect(sockets.map(\.request.url) == Array(repeating: "ws://127.0.0.1:8080" + path, count: 2))
        #expect(
            sockets.map { $0.frames.map { String(decoding: $0.payload.bytes, as: UTF8.self) } } == [["1", "3"], ["2"]])
        #expect(sockets[0].ending == SessionEnding(time: Self.time(10), party: .server, cause: recorded))
        #expect(sockets[1].ending == nil && sockets[0].opened == Self.time(2) && sockets[0].started == Self.time(1))
        // It is the inverse of a session's journal.
        let again = SessionJournal(session, isWhole: true).lines.map(\.entry.event.kind)
        #expect(again == [.opened, .opened, .frame, .frame, .frame, .closed])
    }
}
