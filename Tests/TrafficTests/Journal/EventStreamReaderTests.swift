import JSON
import TestSupport
import Testing

@testable import Traffic

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

    @Test("Each stream has its events, wherever it is cut", arguments: table)
    func events(stream: String, events: [ServerSentEvent]) throws {
        let bytes = Array(stream.utf8)
        for size in [1, 2, 3, max(bytes.count, 1)] { #expect(try Self.events(bytes, cut: size) == events) }
    }

    @Test("What the server writes is read as the standard says")
    func written() throws {
        let (entry, encoder) = (TrafficLinesTests.entry(.note("a\r\nb")), JournalEncoder())
        let event = ServerSentEvent(entry, encoder: encoder)
        let bytes = ServerSentEvent.retry(milliseconds: 5) + event.bytes + ServerSentEvent.keepAlive + event.bytes
        #expect(try Self.events(bytes, cut: 7) == [event, event])
        let standard = TrafficTests.EventStreamReader(bytes).events
        #expect(standard.map(\.data) == [event, event].map { String(decoding: $0.data, as: UTF8.self) })
    }

    @Test("An event may have 1 MiB, and not a byte more")
    func limit() throws {
        let limit = Traffic.EventStreamReader.eventLimit
        let whole = Array("data:".utf8) + [UInt8](repeating: 0x61, count: limit - 5)
        #expect(try Self.events(whole + [0x0A, 0x0A], cut: 65_536).first?.data.count == limit - 5)
        #expect(throws: Traffic.EventStreamReader.TooLong.self) { try Self.events(whole + [0x61], cut: 65_536) }
        // In many lines, too: what is kept of them counts.
        let half = Array("data:".utf8) + [UInt8](repeating: 0x61, count: limit / 2) + [0x0A]
        #expect(throws: Traffic.EventStreamReader.TooLong.self) { try Self.events(half + half, cut: 65_536) }
    }

    @Test("Random bytes are no trouble")
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
