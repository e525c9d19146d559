import Deflate
import Digests
import FitIQAPI
import JSON
import Testing
import Traffic
import WebSocket

@Suite("HAR of other programs")
struct DialectTests {
    private func read(_ text: String) throws -> HARFile {
        try HARFile(reading: Array(text.utf8)) { Dialects.attachments[$0] }
    }

    private func exchange(_ file: HARFile, _ index: Int) throws -> SessionExchange {
        guard !file.session.entries[index].isSocket else { throw Unexpected() }
        return file.session.entries[index]
    }

    private func socket(_ file: HARFile, _ index: Int) throws -> SessionExchange {
        guard file.session.entries[index].isSocket else { throw Unexpected() }
        return file.session.entries[index]
    }

    private struct Unexpected: Error {}

    @Test("Chrome: pseudo-fields are skipped, decoded content has no coding, base64 is decoded")
    func chrome() throws {
        let file = try read(Dialects.chrome)
        #expect(file.creator == "WebInspector" && file.session.entries.count == 6)
        let first = try exchange(file, 0)
        #expect(first.started == Samples.time(500_000))
        #expect(first.waited == 10_500_000 && first.lasted == 12_345_678)
        #expect(first.request.fields == [SessionField("accept", "*/*")])
        #expect(first.response?.fields == [SessionField("content-type", "application/json")])
        #expect(first.response?.body == RecordedBody(Array("{}".utf8)))
        #expect(try exchange(file, 1).response?.body == RecordedBody([0xFF, 0x00, 0x80]))
        #expect(try exchange(file, 2).response == nil)
        #expect(file.notes == [.lost(.message, count: 1, entries: [4])])
    }

    @Test(
        "A request's body that is still gzip or deflate is its text, within a file's limit for all of them",
        arguments: [("gzip", .gzip), ("deflate", .zlib)] as [(String, ZlibFormat)])
    func codedRequest(coding: String, format: ZlibFormat) throws {
        let coded = Gzip.deflate([UInt8](repeating: 0x20, count: 20_000), as: format)
        func entry(_ body: [UInt8]) -> String {
            #"{"startedDateTime": "2025-01-29T10:30:00Z", "request": {"method": "POST", "url": "http://a/b", "headers": "#
                + #"[{"name": "Content-Encoding", "value": "\#(coding)"}], "postData": {"mimeType": "", "encoding": "base64", "#
                + #""text": "\#(Base64.encode(body))"}}, "response": {"status": 200, "headers": [], "content": {"size": 0}}}"#
        }
        func requests(_ bodies: [UInt8]..., limit: Int) throws -> [SessionRequest] {
            let log = #"{"log": {"entries": [\#(bodies.map(entry).joined(separator: ","))]}}"#
            let file = try HARFile(reading: Array(log.utf8), limits: HARLimits(bytes: limit)) { _ in nil }
            return try bodies.indices.map { try exchange(file, $0).request }
        }
        let read = try requests(coded, coded, coded.prefix(2) + [1], limit: 30_000)
        #expect(read.map(\.coding?.byteCount) == [coded.count, nil, nil])
        #expect(read.map(\.body?.byteCount) == [20_000, coded.count, 3])
        #expect(read.map(\.fields.count) == [0, 1, 1])
        // What is damaged counts as much as it can have cost.
        let damaged = coded.dropLast() + [coded.last.map { $0 ^ 1 } ?? 0]
        #expect(try requests(Array(damaged), coded, limit: 1032 * coded.count + 19_999).map(\.coding) == [nil, nil])
        #expect(
            try requests(Array(damaged), coded, limit: 1032 * coded.count + 20_000).map(\.coding?.byteCount)
                == [nil, coded.count])
    }

    @Test("Chrome: messages have seconds, a refused handshake is an exchange, one still open a socket")
    func chromeSockets() throws {
        let file = try read(Dialects.chrome)
        let messages = try socket(file, 3)
        #expect(messages.opened == Samples.time(4_123_456), "no later than the first message")
        #expect(
            messages.frames == [
                Samples.frame(.server, .text, #"{"type":"connected"}"#, at: 4_123_456),
                Samples.frame(.client, .binary, bytes: [0, 0xFF], at: 5_500_000),
            ])
        #expect(messages.ending == nil)
        #expect(try exchange(file, 4).response?.status == 401)
        let open = try socket(file, 5)
        #expect(open.response?.status == 101 && open.frames.count == 1)
    }

    @Test("Chrome: an export with everything that it writes is read for what it says")
    func chromeExport() throws {
        let file = try read(ChromeExport.text)
        #expect(file.notes == [.lost(.message, count: 1, entries: [6])])
        let requests = file.session.entries.map(\.request)
        #expect(
            requests.map(\.url).map { $0.replacing("127.0.0.1:8080", with: "") } == [
                "http:///health", "http:///favicon.ico", "http:///api/v1/consultations",
                "http:///api/v1/consultations/c-1/messages?page=1", "http:///blocked",
                "ws:///api/v1/consultations/c-1/ws?token=t0ken", "ws:///api/v1/consultations/c-1/ws?token=t0ken",
            ])
        let posted = try exchange(file, 2)
        #expect(posted.request.body == RecordedBody(Array(#"{"persona":"coach","title":"Früh"}"#.utf8)))
        #expect(posted.response?.fields.map(\.name) == ["Content-Length", "Content-Type", "Date"])
        #expect(posted.waited == 4_382_999 && posted.lasted == 6_672_999)
        #expect(try exchange(file, 3).response?.isCoded == false, "its content is decoded")
        #expect(try exchange(file, 4).response == nil)
        let first = try socket(file, 5)
        #expect(first.opened == Samples.time(2_359_657), "the first message, not the whole life")
        #expect(first.frames.map(\.opcode) == [.text, .text, .binary] && first.frames[2].payload.bytes == [0, 255, 1])
        #expect(first.response?.body == RecordedBody())
        let second = try socket(file, 6)
        #expect(second.frames == [] && second.opened == second.started)
    }

    @Test("Chrome: what is shown of an export has no messages that are none, and its own times")
    func chromeShown() throws {
        let file = try read(ChromeExport.text)
        let lines = SessionTimeline().text(of: file.session, name: "chrome.har", notes: file.notes)
            .split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            lines == [
                "chrome.har: 2025-01-29T10:30:00Z, 2.864 s, 5 requests, 2 WebSockets with 3 frames",
                "note: 1 WebSocket message that is neither text nor binary was left out (entry 6)",
                "+0.000 s 200 6.6 ms 15 B GET /health", "+0.114 s 404 6.6 ms 24 B GET /favicon.ico",
                "+1.176 s 201 6.6 ms 28 B POST /api/v1/consultations",
                "+1.264 s 200 6.6 ms 2 B GET /api/v1/consultations/c-1/messages?page=1",
                "+1.364 s — 6.6 ms GET /blocked (no answer)",
                "+2.216 s 101 7.6 ms WS /api/v1/consultations/c-1/ws?token=t0ken",
                #"+2.223 s ← {"type":"connected"}"#, #"+2.223 s → {"type":"message","content":"Olá"}"#,
                "+2.264 s → binary, 3 bytes: 00 ff 01", "× still open, or its end was not recorded",
                "+2.864 s 101 WS /api/v1/consultations/c-1/ws?token=t0ken",
                "× still open, or its end was not recorded",
            ])
    }

    @Test("mitmproxy: WebSockets have the scheme wss, half a surrogate pair is replaced")
    func mitmproxy() throws {
        let file = try read(Dialects.mitmproxy)
        let first = try exchange(file, 0)
        #expect(first.started == Samples.time(250_001))
        #expect(first.response == nil && first.waited == 0 && first.lasted == 3_500_000)
        #expect(first.request.body == RecordedBody(Array("{}".utf8)))
        let second = try socket(file, 1)
        #expect(second.request.url == "wss://api.example.com/ws")
        #expect(second.opened == Samples.time(1_002_000))
        #expect(second.frames.first?.payload.bytes == Array("half a pair: \u{FFFD}".utf8))
        #expect(second.frames.first?.time.nanosecondsSinceEpoch == 1_738_146_601_005_000_100)
        #expect(second.frames.last?.payload.bytes == [1, 2, 3])
        #expect(file.notes == [.loneSurrogates(1)])
    }

    @Test("A body of a POST is what was sent: mitmproxy writes one without text or type where there was none")
    func bodies() throws {
        let bare = Dialects.mitmproxy.replacing(
            #"{"mimeType": "application/json", "text": "{}", "params": []}"#,
            with: #"{"mimeType": "", "text": "", "params": []}"#
        ).replacing(#""bodySize": 2"#, with: #""bodySize": 0"#)
        #expect(try exchange(try read(bare), 0).request.body == nil)
        let empty = bare.replacing(#""mimeType": "", "text": """#, with: #""mimeType": "a/b", "text": """#)
        #expect(try exchange(try read(empty), 0).request.body == RecordedBody())
    }

    @Test("Firefox: local time, forms without text, content that was not recorded")
    func firefox() throws {
        let file = try read(Dialects.firefox)
        let first = try exchange(file, 0)
        #expect(first.started == Samples.time(120_000))
        #expect(first.lasted == 43_000_000, "the sum of the timings")
        #expect(first.request.body == RecordedBody(Array("a+b=%C3%A9%26%3D&c=".utf8)))
        #expect(first.response?.body == RecordedBody([], of: 2_000_000))
        #expect(try socket(file, 1).frames == [])
        #expect(file.notes == [.lost(.body, count: 1, entries: [1]), .lost(.messages, count: 1, entries: [2])])
    }

    @Test("Playwright: files beside the HAR are read, milliseconds told apart, a torn last line left out")
    func playwright() throws {
        let file = try read(Dialects.playwright)
        #expect(file.notes == [])
        let first = try exchange(file, 0)
        #expect(first.request.body == RecordedBody(Array("{}".utf8)))
        #expect(first.response?.body == RecordedBody([0xFF, 0x00, 0x80]))
        let frames = try socket(file, 1).frames
        #expect(
            frames.map(\.time.nanosecondsSinceEpoch) == [1_738_146_601_500_250_000, 1_738_146_601_500_250_000])
        #expect(frames.map { String(decoding: $0.payload.bytes, as: UTF8.self) } == ["one", "two"])
        #expect(try exchange(file, 2).response == nil)
    }

    @Test("Playwright: files that are not there are noted, and what is written needs them no more")
    func attachments() throws {
        let alone = try HARFile(reading: Array(Dialects.playwright.utf8))
        #expect(
            alone.notes == [
                .missingAttachment(name: "request.json", entry: 1), .missingAttachment(name: "answer.bin", entry: 1),
                .missingAttachment(name: "messages.jsonl", entry: 2), .lost(.body, count: 2, entries: [1]),
            ])
        let file = try read(Dialects.playwright)
        let again = try HARFile(reading: HAREncoder.file(file.session, creatorVersion: "1"))
        #expect(again.session == file.session && again.notes == [])
    }

    @Test(
        "Names that lead out of the folder are not asked for",
        arguments: [
            "../secret", "/etc/passwd", "a/b", "a\\b", "C:x", ".hidden", "", "a\u{0}b", "a\nb",
            String(repeating: "a", count: 256),
        ])
    func names(_ name: String) throws {
        let quoted = String(decoding: JSONValue.string(name).encoded(), as: UTF8.self)
        let text = Dialects.playwright.replacing("\"answer.bin\"", with: quoted)
        var asked: [String] = []
        let asking = Asked()
        let file = try HARFile(reading: Array(text.utf8)) {
            asking.names.append($0)
            return Dialects.attachments[$0]
        }
        asked = asking.names
        #expect(asked == ["request.json", "messages.jsonl"])
        #expect(file.notes.contains(.missingAttachment(name: name, entry: 1)))
    }

    private final class Asked {
        var names: [String] = []
    }

    @Test("Unknown members anywhere change nothing")
    func unknown() throws {
        let marked = Self.marked(try JSON.parse(Dialects.chrome))
        #expect(try HARFile(reading: marked.encoded()).session == read(Dialects.chrome).session)
    }

    /// The value with an unknown member first in every object.
    private static func marked(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.map(marked))
        case .object(let object):
            .object(
                JSONObject([(key: "x_unknown", value: ["a": [1.50, nil]])] + object.map { ($0.key, marked($0.value)) }))
        default: value
        }
    }

    @Test("A byte order mark is skipped")
    func byteOrderMark() throws {
        let file = try HARFile(reading: [0xEF, 0xBB, 0xBF] + Array(Dialects.chrome.utf8))
        #expect(file.session == (try read(Dialects.chrome)).session)
    }
}
