import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import Traffic

/// Reads an event stream as the HTML Living Standard defines, §9.2.6, "Interpreting an event stream".
struct EventStreamReader {
    struct Event: Equatable {
        var type: String
        var data: String
        var lastID: String
    }

    private(set) var events: [Event] = []
    private(set) var retry: Int?
    private(set) var comments: [String] = []

    init(_ bytes: [UInt8]) {
        var (type, data, id) = ("", "", "")
        // "end-of-line = ( cr lf / cr / lf )"; an unfinished line is ignored.
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.isEmpty {
                if !data.isEmpty {
                    events.append(
                        Event(type: type.isEmpty ? "message" : type, data: String(data.dropLast()), lastID: id))
                }
                (type, data) = ("", "")
                continue
            }
            if line.hasPrefix(":") {
                comments.append(String(line.dropFirst()))
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            var value = parts.count > 1 ? parts[1] : ""
            if value.hasPrefix(" ") { value = value.dropFirst() }
            switch parts[0] {
            case "event": type = String(value)
            case "data": data += value + "\n"
            case "id" where !value.contains("\0"): id = String(value)
            case "retry" where value.allSatisfy { "0123456789".contains($0) }: retry = Int(value)
            default: break
            }
        }
    }
}

@Suite("Server-sent events")
struct ServerSentEventTests {
    static let table: [(ServerSentEvent, String)] = [
        (ServerSentEvent(id: 7, event: "frame", data: Array("a".utf8)), "id: 7\nevent: frame\ndata: a\n\n"),
        (ServerSentEvent(data: []), "data: \n\n"),
        (ServerSentEvent(data: Array("a\nb\r\nc\rd".utf8)), "data: a\ndata: b\ndata: c\ndata: d\n\n"),
        (ServerSentEvent(data: Array("a\n".utf8)), "data: a\ndata: \n\n"),
        (ServerSentEvent(data: Array("a\r\n".utf8)), "data: a\ndata: \n\n"),
        (ServerSentEvent(data: Array("\r\n\r".utf8)), "data: \ndata: \ndata: \n\n"),
        (ServerSentEvent(data: Array(" a: b".utf8)), "data:  a: b\n\n"),
    ]

    @Test("The encoder writes events as the standard requires", arguments: table.indices)
    func bytes(row: Int) { #expect(String(decoding: Self.table[row].0.bytes, as: UTF8.self) == Self.table[row].1) }

    @Test(
        "Events survive writing and reading",
        arguments: ["", "a", "a\nb", "\n", "\n\n", "a\n", " a", ":a", "data: x", "id: 9\n\nevent: y", "😀\u{2028}é"])
    func roundTrip(text: String) {
        let bytes =
            ServerSentEvent(id: 3, event: "x", data: Array(text.utf8)).bytes + ServerSentEvent.keepAlive
            + ServerSentEvent.retry(milliseconds: 1500) + ServerSentEvent(data: Array(text.utf8)).bytes
        let reader = EventStreamReader(bytes)
        #expect(
            reader.events == [
                .init(type: "x", data: text, lastID: "3"), .init(type: "message", data: text, lastID: "3"),
            ])
        #expect(reader.retry == 1500 && reader.comments == [" keep-alive"])
    }

    @Test("Events contain entries and use their numbers as ids")
    func entries() throws {
        let journal = Journal(recording: ["a", "b\nc"].map { text in .note(text) })
        let encoder = JournalEncoder(world: "w")
        let bytes = journal.entries().flatMap { ServerSentEvent($0, encoder: encoder).bytes }
        let events = EventStreamReader(bytes).events
        #expect(events.map(\.lastID) == ["1", "2"] && events.map(\.type) == ["note", "note"])
        #expect(events.map { Array($0.data.utf8) } == journal.entries().map(encoder.encode))
        #expect(try events.map { try JSON.parse($0.data)["text"]?.string } == ["a", "b\nc"])
    }

    @Test(
        "A stream resumes after the client's Last-Event-ID",
        arguments: [
            (nil, nil), ("", nil), ("0", 0), ("17", 17), ("-1", nil), ("+1", nil), ("x", nil), ("1 2", nil),
            ("99999999999999999999", nil),
        ] as [(String?, Int?)])
    func lastID(value: String?, expected: Int?) {
        let head = JournalSample.head("GET /", value.map { ["last-event-id: \($0)"] } ?? [])
        #expect(ServerSentEvent.lastID(in: head.fields) == expected)
    }

    @Test("The encoder can set the client's retry time to zero")
    func retry() { #expect(ServerSentEvent.retry(milliseconds: 0) == Array("retry: 0\n\n".utf8)) }

    @Test("The stream's fields set text/event-stream and no-store")
    func fields() {
        #expect(ServerSentEvent.responseFields[.contentType] == "text/event-stream")
        #expect(ServerSentEvent.responseFields[.cacheControl] == "no-store")
    }
}

@Suite("Reading server-sent events")
struct EventStreamReaderTests {
    private static func events(_ bytes: [UInt8], cut size: Int) throws -> [ServerSentEvent] {
        var reader = Traffic.EventStreamReader()
        var events: [ServerSentEvent] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += try reader.receive(bytes[start..<min(start + size, bytes.count)])
        }
        return events
    }

    static let table: [(stream: String, events: [ServerSentEvent])] = [
        ("", []), ("data: a", []), ("data: a\n", []), ("\n\n", []), ("event: a\nid: 1\n\n", []),
        ("data: a\n\n", [.init(data: Array("a".utf8))]), ("data\n\n", [.init(data: [])]),
        ("data:a\rdata:  b\r\r", [.init(data: Array("a\n b".utf8))]),
        ("id: 7\r\nevent: frame\r\ndata: {}\r\n\r\n", [.init(id: 7, event: "frame", data: Array("{}".utf8))]),
        (": keep-alive\n\nretry: 1000\n\nfoo: bar\ndata: a\n\n", [.init(data: Array("a".utf8))]),
        ("id: x\ndata: a\n\nid: \ndata: b\n\n", [.init(data: Array("a".utf8)), .init(data: Array("b".utf8))]),
        ("id: 99999999999999999999\ndata: a\n\n", [.init(data: Array("a".utf8))]),
        ("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", [.init(data: Array("a".utf8))]),
        ("data: a: b\n\n", [.init(data: Array("a: b".utf8))]),
        ("id: 7\nid: x\ndata: a\n\n", [.init(id: 7, data: Array("a".utf8))]),
        ("id: 7\nid:\ndata: a\n\n", [.init(id: 7, data: Array("a".utf8))]), ("\n\u{FEFF}data: a\n\n", []),
    ]

    @Test("The reader finds a stream's events however the stream is split", arguments: table)
    func events(stream: String, events: [ServerSentEvent]) throws {
        let bytes = Array(stream.utf8)
        for size in [1, 2, 3, max(bytes.count, 1)] { #expect(try Self.events(bytes, cut: size) == events) }
    }

    @Test("The reader reads the server's output as the standard requires")
    func written() throws {
        let (entry, encoder) = (TrafficLinesTests.entry(.note("a\r\nb")), JournalEncoder())
        let event = ServerSentEvent(entry, encoder: encoder)
        let bytes = ServerSentEvent.retry(milliseconds: 5) + event.bytes + ServerSentEvent.keepAlive + event.bytes
        #expect(try Self.events(bytes, cut: 7) == [event, event])
        let standard = TrafficTests.EventStreamReader(bytes).events
        #expect(standard.map(\.data) == [event, event].map { String(decoding: $0.data, as: UTF8.self) })
    }

    @Test("The reader accepts an event of 1 MiB and rejects a larger event")
    func limit() throws {
        let limit = Traffic.EventStreamReader.eventLimit
        let whole = Array("data:".utf8) + [UInt8](repeating: 0x61, count: limit - 5)
        #expect(try Self.events(whole + [0x0A, 0x0A], cut: 65_536).first?.data.count == limit - 5)
        #expect(throws: Traffic.EventStreamReader.TooLong.self) { try Self.events(whole + [0x61], cut: 65_536) }
        // The limit also applies to many lines, because it counts the part that is kept.
        let half = Array("data:".utf8) + [UInt8](repeating: 0x61, count: limit / 2) + [0x0A]
        #expect(throws: Traffic.EventStreamReader.TooLong.self) { try Self.events(half + half, cut: 65_536) }
    }

    @Test("Reading random bytes gives the same events however the bytes are split")
    func random() throws {
        var draw = Draw(seed: 15)
        for _ in 0..<2000 {
            let alphabet = Array("datidevn: \r\n\n0{}".utf8)
            let bytes = (0..<Int.random(in: 0...60, using: &draw)).map { _ in alphabet.randomElement(using: &draw) ?? 0
            }
            let whole = try Self.events(bytes, cut: max(bytes.count, 1))
            #expect(try Self.events(bytes, cut: 1) == whole)
            let standard = TrafficTests.EventStreamReader(bytes).events
            #expect(whole.map { String(decoding: $0.data, as: UTF8.self) } == standard.map(\.data), "\(bytes)")
        }
    }
}
