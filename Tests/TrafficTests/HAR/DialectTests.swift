import Deflate
import Digests
import FitIQAPI
import JSON
import Testing
import Traffic
import WebSocket

@Suite("HAR files from other programs")
struct DialectTests {
    private func read(_ text: String) throws -> HARFile {
        try HARFile(reading: Array(text.utf8)) { Dialects.attachments[$0] }
    }

    @Test("Chrome: the reader skips pseudo-fields and decodes base64 content")
    func chrome() throws {
        let file = try read(Dialects.chrome)
        #expect(file.creator == "WebInspector" && file.session.entries.count == 6)
        let first = try file.exchange()
        #expect(first.started == Samples.time(500_000))
        #expect(first.waited == 10_500_000 && first.lasted == 12_345_678)
        #expect(first.request.fields == [SessionField("accept", "*/*")])
        #expect(first.response?.fields == [SessionField("content-type", "application/json")])
        #expect(first.response?.body == RecordedBody(Array("{}".utf8)))
        #expect(try file.exchange(1).response?.body == RecordedBody([0xFF, 0x00, 0x80]))
        #expect(try file.exchange(2).response == nil)
        #expect(file.notes == [.lost(.message, count: 1, entries: [4])])
    }

    @Test(
        "The reader inflates gzip and deflate request bodies within a file's shared limit",
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
            return try bodies.indices.map { try file.exchange($0).request }
        }
        let read = try requests(coded, coded, coded.prefix(2) + [1], limit: 30_000)
        #expect(read.map(\.coding?.byteCount) == [coded.count, nil, nil])
        #expect((read.map(\.body?.byteCount), read.map(\.fields.count)) == ([20_000, coded.count, 3], [0, 1, 1]))
        // A damaged body counts with the largest size to which it could inflate.
        let damaged = coded.dropLast() + [coded.last.map { $0 ^ 1 } ?? 0]
        #expect(try requests(Array(damaged), coded, limit: 1032 * coded.count + 19_999).map(\.coding) == [nil, nil])
        #expect(
            try requests(Array(damaged), coded, limit: 1032 * coded.count + 20_000).map(\.coding?.byteCount)
                == [nil, coded.count])
    }

    @Test("Chrome: a rejected handshake becomes an exchange, and an open handshake becomes a socket")
    func chromeSockets() throws {
        let file = try read(Dialects.chrome)
        let messages = try file.socket(3)
        #expect(messages.opened == Samples.time(4_123_456), "no later than the first message")
        #expect(
            messages.frames == [
                Samples.frame(.server, .text, #"{"type":"connected"}"#, at: 4_123_456),
                Samples.frame(.client, .binary, bytes: [0, 0xFF], at: 5_500_000),
            ])
        #expect(messages.ending == nil)
        #expect(try file.exchange(4).response?.status == 401)
        let open = try file.socket(5)
        #expect(open.response?.status == 101 && open.frames.count == 1)
    }

    @Test("Chrome: the reader reads everything in a full export")
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
        let posted = try file.exchange(2)
        #expect(posted.request.body == RecordedBody(Array(#"{"persona":"coach","title":"Früh"}"#.utf8)))
        #expect(posted.response?.fields.map(\.name) == ["Content-Length", "Content-Type", "Date"])
        #expect(posted.waited == 4_382_999 && posted.lasted == 6_672_999)
        #expect(try file.exchange(3).response?.isCoded == false, "its content is decoded")
        #expect(try file.exchange(4).response == nil)
        let first = try file.socket(5)
        #expect(first.opened == Samples.time(2_359_657), "the first message, not the whole life")
        #expect(first.frames.map(\.opcode) == [.text, .text, .binary] && first.frames[2].payload.bytes == [0, 255, 1])
        #expect(first.response?.body == RecordedBody())
        let second = try file.socket(6)
        #expect(second.frames == [] && second.opened == second.started)
    }

    @Test("Chrome: show omits an export's invalid messages and keeps its times")
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
                "+2.216 s 101 7.6 ms WS /api/v1/consultations/c-1/ws?token=t0ken", #"+2.223 s ← {"type":"connected"}"#,
                #"+2.223 s → {"type":"message","content":"Olá"}"#, "+2.264 s → binary, 3 bytes: 00 ff 01",
                "× still open, or its end was not recorded", "+2.864 s 101 WS /api/v1/consultations/c-1/ws?token=t0ken",
                "× still open, or its end was not recorded",
            ])
    }

    @Test("mitmproxy: the reader turns WebSockets into wss URLs and replaces lone surrogates")
    func mitmproxy() throws {
        let file = try read(Dialects.mitmproxy)
        let first = try file.exchange()
        #expect(first.started == Samples.time(250_001))
        #expect(first.response == nil && first.waited == 0 && first.lasted == 3_500_000)
        #expect(first.request.body == RecordedBody(Array("{}".utf8)))
        let second = try file.socket(1)
        #expect((second.request.url, second.opened) == ("wss://api.example.com/ws", Samples.time(1_002_000)))
        #expect(second.frames.first?.payload.bytes == Array("half a pair: \u{FFFD}".utf8))
        #expect(second.frames.first?.time.nanosecondsSinceEpoch == 1_738_146_601_005_000_100)
        #expect(second.frames.last?.payload.bytes == [1, 2, 3])
        #expect(file.notes == [.loneSurrogates(1)])
    }

    @Test("mitmproxy: a POST that has no text and no type in the file has an empty body")
    func bodies() throws {
        let bare = Dialects.mitmproxy.replacing(
            #"{"mimeType": "application/json", "text": "{}", "params": []}"#,
            with: #"{"mimeType": "", "text": "", "params": []}"#
        ).replacing(#""bodySize": 2"#, with: #""bodySize": 0"#)
        #expect(try read(bare).exchange().request.body == nil)
        let empty = bare.replacing(#""mimeType": "", "text": """#, with: #""mimeType": "a/b", "text": """#)
        #expect(try read(empty).exchange().request.body == RecordedBody())
    }

    @Test("Firefox: the reader accepts local times, forms without text and missing content")
    func firefox() throws {
        let file = try read(Dialects.firefox)
        let first = try file.exchange()
        #expect(first.started == Samples.time(120_000))
        #expect(first.lasted == 43_000_000, "the sum of the timings")
        #expect(first.request.body == RecordedBody(Array("a+b=%C3%A9%26%3D&c=".utf8)))
        #expect(first.response?.body == RecordedBody([], of: 2_000_000))
        #expect(try file.socket(1).frames == [])
        #expect(file.notes == [.lost(.body, count: 1, entries: [1]), .lost(.messages, count: 1, entries: [2])])
    }

    @Test("Playwright: the reader reads attached files and omits a torn last line")
    func playwright() throws {
        let file = try read(Dialects.playwright)
        #expect(file.notes == [])
        let first = try file.exchange()
        #expect(first.request.body == RecordedBody(Array("{}".utf8)))
        #expect(first.response?.body == RecordedBody([0xFF, 0x00, 0x80]))
        let frames = try file.socket(1).frames
        #expect(frames.map(\.time.nanosecondsSinceEpoch) == [1_738_146_601_500_250_000, 1_738_146_601_500_250_000])
        #expect(frames.map { String(decoding: $0.payload.bytes, as: UTF8.self) } == ["one", "two"])
        #expect(try file.exchange(2).response == nil)
    }

    @Test("Playwright: the reader notes missing files, and a rewritten session does not need them")
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
        "The reader does not open attachments outside the HAR's folder",
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

    private final class Asked { var names: [String] = [] }

    @Test("The reader ignores unknown members anywhere")
    func unknown() throws {
        let marked = Self.marked(try JSON.parse(Dialects.chrome))
        #expect(try HARFile(reading: marked.encoded()).session == read(Dialects.chrome).session)
    }

    /// The value, with an unknown member at the start of every object.
    private static func marked(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.map(marked))
        case .object(let object):
            .object(
                JSONObject([(key: "x_unknown", value: ["a": [1.50, nil]])] + object.map { ($0.key, marked($0.value)) }))
        default: value
        }
    }

    @Test("The reader skips a byte order mark")
    func byteOrderMark() throws {
        let file = try HARFile(reading: [0xEF, 0xBB, 0xBF] + Array(Dialects.chrome.utf8))
        #expect(file.session == (try read(Dialects.chrome)).session)
    }
}

/// Small, invented files in the dialects of other programs.
enum Dialects {
    /// Chrome's exporter: HTTP/2 with pseudo-fields, base64 of images, an aborted request, a WebSocket with an error.
    static let chrome = #"""
        {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "pages": [],
          "entries": [
            {"_initiator": {"type": "script"}, "_priority": "High", "_resourceType": "fetch", "cache": {},
             "connection": "443",
             "request": {"method": "GET", "url": "https://api.example.com/api/v1/goals", "httpVersion": "http/2.0",
               "headers": [{"name": ":authority", "value": "api.example.com"}, {"name": "accept", "value": "*/*"}],
               "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
             "response": {"status": 200, "statusText": "", "httpVersion": "http/2.0",
               "headers": [{"name": "content-encoding", "value": "gzip"},
                           {"name": "content-type", "value": "application/json"}],
               "cookies": [], "content": {"size": 2, "mimeType": "application/json", "text": "{}"},
               "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 120, "_error": null},
             "serverIPAddress": "127.0.0.1", "startedDateTime": "2025-01-29T10:30:00.500Z",
             "time": 12.345678901234567,
             "timings": {"blocked": 1.5, "dns": -1, "ssl": -1, "connect": -1, "send": 0.25, "wait": 10.5,
               "receive": 0.1, "_blocked_queueing": 0.3}},
            {"_resourceType": "image", "request": {"method": "GET", "url": "https://api.example.com/logo.png",
               "headers": []},
             "response": {"status": 200, "headers": [],
               "content": {"size": 3, "mimeType": "image/png", "text": "/wCA", "encoding": "base64"}},
             "startedDateTime": "2025-01-29T10:30:01.000Z", "time": 1},
            {"request": {"method": "GET", "url": "https://api.example.com/aborted", "headers": []},
             "response": {"status": 0, "statusText": "", "headers": [], "content": {"size": 0, "mimeType": "x-unknown"},
               "_error": "net::ERR_ABORTED"},
             "startedDateTime": "2025-01-29T10:30:02.000Z", "time": 1},
            {"_resourceType": "websocket", "_webSocketMessages": [
               {"type": "receive", "time": 1738146604.123456, "opcode": 1, "data": "{\"type\":\"connected\"}"},
               {"type": "send", "time": 1738146605.5, "opcode": 2, "data": "AP8="},
               {"type": "error", "time": 1738146606.5, "opcode": -1, "data": "net::ERR_FAILED"}],
             "request": {"method": "GET", "url": "wss://api.example.com/ws", "headers": []},
             "response": {"status": 101, "statusText": "Switching Protocols", "headers": [],
               "content": {"size": 0, "mimeType": "x-unknown"}},
             "startedDateTime": "2025-01-29T10:30:04.000Z", "time": 2500, "timings": {"wait": 2400}},
            {"_resourceType": "websocket",
             "request": {"method": "GET", "url": "wss://api.example.com/refused", "headers": []},
             "response": {"status": 401, "headers": [], "content": {"size": 0}},
             "startedDateTime": "2025-01-29T10:30:05.000Z", "time": 2},
            {"_resourceType": "websocket", "_webSocketMessages": [
               {"type": "send", "time": 1738146607, "opcode": 1, "data": "open while saved"}],
             "request": {"method": "GET", "url": "wss://api.example.com/open", "headers": []},
             "response": {"status": 0, "headers": [], "content": {"size": 0}},
             "startedDateTime": "2025-01-29T10:30:06.000Z", "time": 0}
          ]}}
        """#

    /// mitmproxy: an offset of zero, an https URL for a WebSocket, empty objects without an answer.
    static let mitmproxy = #"""
        {"log": {"version": "1.2", "creator": {"name": "mitmproxy", "version": "11.0.2", "comment": ""}, "pages": [],
          "entries": [
            {"startedDateTime": "2025-01-29T10:30:00.250001+00:00", "time": 3.5, "request": {"method": "POST",
               "url": "https://api.example.com/api/v1/goals", "httpVersion": "HTTP/1.1", "cookies": [],
               "headers": [{"name": "Content-Type", "value": "application/json"}], "queryString": [],
               "headersSize": 80, "bodySize": 2,
               "postData": {"mimeType": "application/json", "text": "{}", "params": []}},
             "response": {"status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
               "content": {}, "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 0,
               "_error": "server disconnected"},
             "cache": {}, "timings": {"connect": -1.0, "ssl": -1.0, "send": 0.5, "receive": 0, "wait": -0.25}},
            {"startedDateTime": "2025-01-29T10:30:01+00:00", "time": 4, "request": {"method": "GET",
               "url": "https://api.example.com/ws", "headers": [{"name": "Upgrade", "value": "websocket"}]},
             "response": {"status": 101, "headers": [], "content": {"size": 0, "mimeType": "", "text": ""}},
             "cache": {}, "timings": {"connect": 1.0, "send": 0.5, "receive": 0.5, "wait": 2.0},
             "_resourceType": "websocket", "_webSocketMessages": [
               {"type": "send", "time": 1738146601.0050001, "opcode": 1, "data": "half a pair: \ud83d"},
               {"type": "receive", "time": 1738146601.25, "opcode": 2, "data": "AQID"}]}
          ]}}
        """#

    /// Firefox: local time, whole milliseconds, no messages, no content beyond a limit.
    static let firefox = #"""
        {"log": {"version": "1.2", "creator": {"name": "Firefox", "version": "140.0"},
          "browser": {"name": "Firefox", "version": "140.0"}, "pages": [],
          "entries": [
            {"startedDateTime": "2025-01-29T11:30:00.120+01:00", "request": {"bodySize": 9, "method": "POST",
               "url": "https://api.example.com/token", "httpVersion": "HTTP/2",
               "headers": [{"name": "Host", "value": "api.example.com"}], "cookies": [], "queryString": [],
               "headersSize": 400, "postData": {"mimeType": "application/x-www-form-urlencoded",
                 "params": [{"name": "a b", "value": "é&="}, {"name": "c", "value": ""}]}},
             "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/2", "headers": [], "cookies": [],
               "content": {"mimeType": "application/json", "size": 2000000, "comment": "Response bodies not included."},
               "redirectURL": "", "headersSize": 300, "bodySize": 2000300},
             "cache": {}, "timings": {"blocked": 1, "dns": 0, "connect": 0, "ssl": 0, "send": 0, "wait": 40,
               "receive": 2}, "_securityState": "secure"},
            {"startedDateTime": "2025-01-29T11:30:01.000+01:00", "request": {"method": "GET",
               "url": "wss://api.example.com/ws", "headers": []},
             "response": {"status": 101, "headers": [], "content": {"size": 0, "text": ""}},
             "cache": {}, "timings": {"wait": 5}, "time": 5}
          ]}}
        """#

    /// Playwright with `content: "attach"`: bodies and messages in separate files, milliseconds, -1 for unknown.
    static let playwright = #"""
        {"log":{"version":"1.2","creator":{"name":"Playwright","version":"1.55.0"},"pages":[],"entries":[
          {"startedDateTime":"2025-01-29T10:30:00.000Z","time":5.99,"request":{"method":"POST",
            "url":"http://127.0.0.1:8080/api/v1/goals","headers":[],"headersSize":1,"bodySize":2,
            "postData":{"mimeType":"application/json","text":"","params":[],"_file":"request.json"}},
           "response":{"status":201,"headers":[],"content":{"size":3,"mimeType":"image/png","_file":"answer.bin"}},
           "cache":{},"timings":{"dns":-1,"connect":-1,"ssl":-1,"send":0,"wait":1.2,"receive":4.7}},
          {"startedDateTime":"2025-01-29T10:30:01.000Z","time":5605.37,"request":{"method":"GET",
            "url":"ws://127.0.0.1:8080/ws","headers":[]},"response":{"status":101,"headers":[],
            "content":{"size":-1,"mimeType":"x-unknown","_file":"messages.jsonl"}},"cache":{},
           "timings":{"send":-1,"wait":-1,"receive":-1},"_resourceType":"websocket"},
          {"startedDateTime":"2025-01-29T10:30:02.000Z","time":-1,"request":{"method":"GET",
            "url":"http://127.0.0.1:8080/failed","headers":[]},"response":{"status":-1,"headers":[],
            "content":{"size":-1,"mimeType":"x-unknown"}},"cache":{},"timings":{"send":-1,"wait":-1,"receive":-1}}
        ]}}
        """#

    static let attachments: [String: [UInt8]] = [
        "request.json": Array("{}".utf8),
        "answer.bin": [0xFF, 0x00, 0x80],
        "messages.jsonl": Array(
            (#"{"type":"receive","time":1738146601500.25,"opcode":1,"data":"one"}"# + "\n"
                + #"{"type":"send","time":-1,"opcode":1,"data":"two"}"# + "\n"
                + #"{"type":"send","time":1738146601501,"opc"#).utf8),
    ]

    static let all = [chrome, ChromeExport.text, mitmproxy, firefox, playwright]
}
