import FitIQAPI
import Foundation
import JSON
import TestSupport
import Testing
import Text
import Traffic

@testable import Traffic

@Suite("Mistakes in a HAR")
struct HARErrorTests {
    private static let good = #"""
        {"log":{"entries":[{"startedDateTime":"2025-01-29T10:30:00Z","time":1,"request":{"method":"GET",
        "url":"http://h/"},"response":{"status":200,"headers":[{"name":"a","value":"b"}],
        "content":{"size":1,"text":"x"}}},
        {"startedDateTime":"2025-01-29T10:30:01Z","time":1,"request":{"method":"GET","url":"ws://h/","postData":{}},
        "response":{"status":101},"_webSocketMessages":[{"type":"send","time":1738146601,"opcode":1,"data":"d"}],
        "_fitiq":{"socket":1,"controlFrames":[{"type":"send","time":1738146602,"opcode":9,"data":"","after":1}],
        "ending":{"time":1738146603,"by":"client","cause":"finish"}}}]}}
        """#

    struct Row: Sendable, CustomTestStringConvertible {
        let old, new, message: String
        var testDescription: String { "\(old) → \(new)" }
        init(_ old: String, _ new: String, _ message: String) {
            (self.old, self.new, self.message) = (old, new, message)
        }
    }

    static let date = "a date and time such as \"2025-01-29T10:30:00.000Z\", from 1970 to 2199"
    static let seconds = "a time in seconds or milliseconds since 1970, up to 2199"

    static let status = "a status from 100 to 999, or 0 if there was no answer"

    static let rows = [
        Row(#"{"log":{"#, #"{"logs":{"#, "log: expected an object, found nothing"),
        Row(#"{"log":{"#, #"{"log":1,"x":{"#, "log: expected an object, found a number: 1"),
        Row(#""entries":["#, #""items":["#, "log.entries: expected an array, found nothing"),
        Row(#"[{"startedDateTime""#, #"[7,{"startedDateTime""#, "entry 1: expected an object, found a number: 7"),
        Row(
            "\"2025-01-29T10:30:00Z\"", "\"yesterday\"",
            "entry 1, startedDateTime: expected \(date), found a string: \"yesterday\""),
        Row(
            "\"2025-01-29T10:30:00Z\"", "\"1969-12-31T23:59:59Z\"",
            "entry 1, startedDateTime: expected \(date), found a string: \"1969-12-31T23:59:59Z\""),
        Row(
            "\"2025-01-29T10:30:00Z\"", "\"2025-02-30T10:30:00\"",
            "entry 1, startedDateTime: expected \(date), found a string: \"2025-02-30T10:30:00\". Month 2 of "
                + "2025 has 28 days, so there is no day 30."),
        Row(
            "\"2025-01-29T10:30:00Z\"", "\"0001-01-01T00:00:00\"",
            "entry 1, startedDateTime: expected \(date), found a string: \"0001-01-01T00:00:00\""),
        Row(
            "2025-01-29T10:30:01Z", "\\u001b[31m",
            "entry 2, startedDateTime: expected \(date), found a string: \"\\u001b[31m\""),
        Row(
            "2025-01-29T10:30:01Z", "\u{202E}x",
            "entry 2, startedDateTime: expected \(date), found a string: \"\\u{202E}x\""),
        Row(#""method":"GET","#, "", "entry 1, request.method: expected a string, found nothing"),
        Row(
            #""url":"http://h/""#, #""url":{"a":[1,true,null]}"#,
            #"entry 1, request.url: expected a string, found an object: {"a":[1,true,null]}"#),
        Row(
            #""status":200"#, #""status":"200""#,
            "entry 1, response.status: expected \(status), found a string: \"200\""),
        Row(#""status":200"#, #""status":99"#, "entry 1, response.status: expected \(status), found a number: 99"),
        Row(#""status":200"#, #""state":1000"#, "entry 1, response.status: expected \(status), found nothing"),
        Row(#""value":"b""#, #""value":null"#, "entry 1, response.headers[0].value: expected a string, found null"),
        Row(#""text":"x""#, #""text":[]"#, "entry 1, response.content.text: expected a string, found an array: []"),
        Row(
            #""postData":{}"#, #""postData":{"text":1}"#,
            "entry 2, request.postData.text: expected a string, found a number: 1"),
        Row(
            #""type":"send","time":1738146601"#, #""type":"sent","time":1738146601"#,
            "entry 2, _webSocketMessages[0].type: expected \"send\" or \"receive\", found a string: \"sent\""),
        Row(
            "1738146601", "99999999999",
            "entry 2, _webSocketMessages[0].time: expected \(seconds), found a number: 99999999999"),
        Row("1738146601", "1e400", "entry 2, _webSocketMessages[0].time: expected \(seconds), found a number: 1e400"),
        Row("1738146601", "-5", "entry 2, _webSocketMessages[0].time: expected \(seconds), found a number: -5"),
        Row(
            #""opcode":1,"data":"d""#, #""opcode":1"#,
            "entry 2, _webSocketMessages[0].data: expected a string, found nothing"),
        Row(#""socket":1"#, #""socket":-1"#, "entry 2, _fitiq.socket: expected a number from 0, found a number: -1"),
        Row(#""socket":1"#, #""bodyBase64":"!""#, "entry 2, _fitiq.bodyBase64: expected base64, found a string: \"!\""),
        Row(
            #""opcode":9"#, #""opcode":1"#,
            "entry 2, _fitiq.controlFrames[0].opcode: expected 8 (close), 9 (ping) or 10 (pong), found a number: 1"),
        Row(
            #""after":1"#, #""before":1"#,
            "entry 2, _fitiq.controlFrames[0].after: expected a number from 0, found nothing"),
        Row(
            #""by":"client""#, #""by":"me""#,
            "entry 2, _fitiq.ending.by: expected \"client\" or \"server\", found a string: \"me\""),
        Row(
            #""cause":"finish""#, #""cause":"end""#,
            "entry 2, _fitiq.ending.cause: expected \"close_frame\", \"finish\" or \"reset\", found a string: \"end\""),
        Row(#""time":1738146603"#, #""time":null"#, "entry 2, _fitiq.ending.time: expected \(seconds), found null"),
    ]

    private func message(_ bytes: [UInt8], limits: HARLimits = HARLimits()) -> String {
        do throws(Refusal) {
            _ = try HARFile(reading: bytes, limits: limits)
            return "read"
        } catch { return error.description }
    }

    @Test("A HAR error states the location and what was expected", arguments: rows)
    func place(_ row: Row) throws {
        #expect(message(Array(Self.good.utf8)) == "read")
        let range = try #require(Self.good.range(of: row.old))
        #expect(message(Array(Self.good.replacingCharacters(in: range, with: row.new).utf8)) == row.message)
    }

    @Test("The HAR error for a different kind of file names that kind")
    func whole() {
        let empty = "the file is empty; expected a HAR from a browser, a proxy or 'fitiq-mock record'"
        #expect(message([]) == empty)
        #expect(message(Array("\u{FEFF} \n".utf8)) == empty)
        let unpack = "not JSON; unpack it and pass the HAR inside"
        #expect(message(Array("PK\u{3}\u{4}…".utf8)) == "this is a zip archive, \(unpack)")
        #expect(message([0x78, 0xDA, 0x01]) == "this is compressed by zlib, \(unpack)")
        #expect(message([0x1F, 0x8B, 0x08]) == "this is compressed by gzip, \(unpack)")
        let utf16 =
            "this is UTF-16, but JSON must be UTF-8; save it as UTF-8, or convert it with 'iconv -f UTF-16 -t UTF-8'"
        for start in [[0xFF, 0xFE], [0xFE, 0xFF], []] as [[UInt8]] {
            let isBig = start == [0xFE, 0xFF]
            let units = "{}".utf16.flatMap {
                isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
            }
            #expect(message(start + units) == utf16)
        }
        #expect(message(Array("<html>".utf8)).hasPrefix("this is not valid JSON: line 1, column 1: "))
        #expect(message(Array("[]".utf8)) == "expected an object, found an array: []")
    }

    @Test("A HAR error names the exceeded limit")
    func limits() {
        let bytes = Array(Self.good.utf8)
        #expect(
            message(bytes, limits: HARLimits(bytes: bytes.count - 1))
                == "more than \(bytes.count - 1) bytes, which is the limit; record a shorter session")
        #expect(message(bytes, limits: HARLimits(bytes: bytes.count)) == "read")
        #expect(message(bytes, limits: HARLimits(entries: 2)) == "read")
        #expect(message(bytes, limits: HARLimits(entries: 1)) == "more than 1 entry, which is the limit")
        #expect(message(bytes, limits: HARLimits(values: 10)).contains("10 values"))
        #expect(HARLimits().bytes == 256 << 20 && HARLimits().values == 10_000_000 && HARLimits().entries == 100_000)
    }

    @Test("Attached files count against the byte limit")
    func attachments() {
        let bytes = Array(Dialects.playwright.utf8)
        func read(_ limit: Int) -> String {
            do throws(Refusal) {
                _ = try HARFile(reading: bytes, limits: HARLimits(bytes: limit)) { Dialects.attachments[$0] }
                return "read"
            } catch { return error.description }
        }
        let sum = bytes.count + Dialects.attachments.values.reduce(0) { $0 + $1.count }
        #expect(read(sum) == "read")
        #expect(read(sum - 1).hasPrefix("entry 2: more than \(sum - 1) bytes"))
    }

    @Test("The error for a message line that is not JSON states the line number")
    func messageLine() {
        let message = #"{"type":"send","time":1738146601500,"opcode":1,"data":"a"}"#
        let files = ["messages.jsonl": Array("\(message)\nx\n\(message)\n".utf8)]
        let error = #expect(throws: Refusal.self) {
            try HARFile(reading: Array(Dialects.playwright.utf8)) { files[$0] ?? Dialects.attachments[$0] }
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("entry 2, messages.jsonl: this is not valid JSON: line 2, column 1: "), "\(text)")
    }

    @Test(
        "Notes have the expected wording",
        arguments: [
            HARNote.torn(entries: 1):
                "the file is truncated, perhaps because its recorder was killed; 1 entry is complete",
            .torn(entries: 2): "the file is truncated, perhaps because its recorder was killed; 2 entries are complete",
            .loneSurrogates(3): "3 characters that are not Unicode (half a surrogate pair) were replaced with U+FFFD",
            .missingAttachment(name: "a.jsonl", entry: 4):
                "entry 4: the file 'a.jsonl', which contains the data that was sent, is not next to the HAR",
            .loneSurrogates(1): "1 character that is not Unicode (half a surrogate pair) was replaced with U+FFFD",
            .lost(.body, count: 1, entries: [3]): "1 body was not recorded (entry 3); save the HAR with its content",
            .lost(.body, count: 6, entries: [1, 2, 3, 4, 5, 6]):
                "6 bodies were not recorded (entries 1, 2, 3, 4, 5, …); save the HAR with its content",
            .lost(.body, count: 5, entries: [1, 2, 3, 4, 5]):
                "5 bodies were not recorded (entries 1, 2, 3, 4 and 5); save the HAR with its content",
            .lost(.unreadableBody, count: 1, entries: [1]):
                "1 body is not in the encoding that the file names, perhaps because the file was sanitized (entry 1): "
                + "treated as not recorded",
            .lost(.unreadableBody, count: 2, entries: [1, 4]):
                "2 bodies are not in the encoding that the file names, perhaps because the file was sanitized (entries "
                + "1 and 4): treated as not recorded",
            .lost(.cutBody, count: 1, entries: [2]): "1 body was truncated or omitted by the recorder (entry 2)",
            .lost(.cutBody, count: 2, entries: [2]): "2 bodies were truncated or omitted by the recorder (entry 2)",
            .lost(.shortBody, count: 1, entries: [2]): "1 body is shorter than its declared size (entry 2)",
            .lost(.shortBody, count: 2, entries: [2, 3]):
                "2 bodies are shorter than their declared sizes (entries 2 and 3)",
            .lost(.formFile, count: 1, entries: [9]):
                "the files in 1 form were not recorded (entry 9); save the HAR with its content",
            .lost(.message, count: 1, entries: [3]):
                "1 WebSocket message that is neither text nor binary was left out (entry 3)",
            .lost(.message, count: 6, entries: [3, 4]):
                "6 WebSocket messages that are neither text nor binary were left out (entries 3 and 4)",
            .lost(.unreadableMessage, count: 1, entries: [3]):
                "1 WebSocket message that should be base64 but is not was left out (entry 3)",
            .lost(.cutMessage, count: 2, entries: [3]): "2 WebSocket messages were truncated by the recorder (entry 3)",
            .lost(.strayMessage, count: 1, entries: [3]):
                "1 WebSocket message in an entry that is not an open WebSocket was left out (entry 3)",
            .lost(.strayMessage, count: 2, entries: [3, 5]):
                "2 WebSocket messages in entries that are not open WebSockets were left out (entries 3 and 5)",
            .lost(.messages, count: 2, entries: [3, 5]):
                "the messages on 2 WebSockets were not recorded (entries 3 and 5)",
            .recorded("The disk was full."): "The disk was full.",
        ] as KeyValuePairs<HARNote, String>)
    func notes(_ note: HARNote, _ text: String) { #expect(note.description == text) }
}

@Suite("Data from other programs is kept or noted")
struct LossTests {
    /// A file from another program with one exchange.
    private static func file(
        _ request: String = #""method":"POST","url":"http://h/a""#, _ response: String = #""status":200"#,
        _ members: String = "", start: String = "2025-01-29T10:30:00Z"
    ) throws -> HARFile {
        let text =
            #"{"log":{"entries":[{"startedDateTime":"\#(start)","request":{\#(request)},"#
            + #""response":{\#(response)}\#(members)}]}}"#
        return try HARFile(reading: Array(text.utf8))
    }

    private static func text(_ body: RecordedBody?) -> String? {
        body.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    // MARK: The fixtures

    @Test("The reader treats a sanitized body as missing and reads the rest")
    func sanitised() throws {
        let file = try HARFile.fixture("sanitised-image")
        #expect(file.notes == [.lost(.unreadableBody, count: 1, entries: [1])])
        #expect(try file.exchange().response?.body == RecordedBody([], of: 12))
        #expect(try Self.text(file.exchange(1).response?.body) == #"{"goals":[]}"#)
    }

    @Test("The reader treats a size without a body as an unknown body")
    func size() throws {
        let file = try HARFile.fixture("size-without-body")
        #expect(file.notes == [.lost(.body, count: 1, entries: [1])])
        let request = try file.exchange().request
        #expect(request.body == RecordedBody([], of: 33) && request.hasUnknownBody)
    }

    @Test("The reader keeps the frames of a WebSocket over HTTP/2")
    func overHTTP2() throws {
        let file = try HARFile.fixture("websocket-over-http2")
        let socket = file.session.entries[0]
        #expect(file.notes == [])
        #expect(socket.frames.map(\.sender) == [.server, .client, .server])
        #expect(socket.isSocket && socket.request.method == "GET" && socket.response?.status == 101)
        let bytes = try Data(contentsOf: URL.fixtures.appending(path: "har/websocket-over-http2.har"))
        let extended = String(decoding: bytes, as: UTF8.self).replacing("\"GET\"", with: "\"CONNECT\"")
        #expect(try HARFile(reading: Array(extended.utf8)).session.entries[0] == socket)
    }

    @Test("A form file without its content makes the body unknown")
    func formFile() throws {
        let file = try HARFile.fixture("form-file-without-content")
        #expect(file.notes == [.lost(.formFile, count: 1, entries: [1])])
        #expect(try file.exchange().request.hasUnknownBody)
    }

    @Test("The reader splits fields that are joined by line feeds")
    func joined() throws {
        let cookies = try HARFile.fixture("joined-cookies").exchange().response?.fields.filter {
            $0.name == "Set-Cookie"
        }
        #expect(cookies?.map(\.value) == ["a=1; Path=/", "b=2; Path=/"])
    }

    @Test("The reader notes bodies that our recorder omitted and keeps the file complete")
    func unread() throws {
        let file = try HARFile.fixture("unread-codings")
        #expect((file.notes, file.isWhole) == ([.lost(.cutBody, count: 2, entries: [1, 2])], true))
        #expect(try file.exchange().response?.body == RecordedBody([], of: 17))
    }

    // MARK: Requests

    @Test(
        "The reader keeps a request's body or notes that it is missing",
        arguments: [
            (#""postData":{"mimeType":"a/b","text":"x"}"#, "x", nil),
            (#""postData":{"mimeType":"a/b","text":"eA\n==","encoding":"base64"}"#, "x", nil),
            (#""postData":{"mimeType":"a/b","text":"?","encoding":"base64"}"#, nil, .unreadableBody),
            (#""postData":{"mimeType":"a/b","text":"x","encoding":"rot13"}"#, nil, .unreadableBody),
            (#""_content":{"text":"/w==","encoding":"base64"}"#, "\u{FFFD}", nil),
            (#""bodySize":1"#, nil, .body), (#""headers":[{"name":"Content-Length","value":"9"}]"#, nil, .body),
            (
                #""postData":{"mimeType":"multipart/form-data; boundary=b","params":[{"name":"n","value":"v"},"#
                    + #"{"name":"f","fileName":"g","contentType":"a/b","value":"w"}]}"#,
                "--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nv\r\n"
                    + "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\nContent-Type: a/b\r\n\r\nw\r\n"
                    + "--b--\r\n", nil
            ),
            (#""postData":{"mimeType":"multipart/form-data","params":[{"name":"n","value":"v"}]}"#, nil, .formFile),
            (#""postData":{"mimeType":"multipart/form-data; boundary=b","params":[{"name":"n"}]}"#, nil, .formFile),
        ] as [(String, String?, HARLoss?)])
    func bodies(members: String, text: String?, loss: HARLoss?) throws {
        let file = try Self.file(#""method":"POST","url":"http://h/a",\#(members)"#)
        #expect(file.notes == (loss.map { [.lost($0, count: 1, entries: [1])] } ?? []))
        let body = try file.exchange().request.body
        #expect(body?.isCut == (loss != nil))
        if let text { #expect(Self.text(body) == text) }
    }

    @Test("The reader completes fields and the URL from separate members")
    func besides() throws {
        let file = try Self.file(
            #""method":"POST","url":"http://h/a","queryString":[{"name":"q","value":"a b"}],"#
                + #""cookies":[{"name":"c","value":"1"},{"name":"d","value":"2"}],"postData":{"mimeType":"a/b","text":"x"}"#,
            #""status":302,"redirectURL":"http://h/c","content":{"mimeType":"c/d","text":"y"},"#
                + #""cookies":[{"name":"e","value":"3","path":"/","httpOnly":true,"secure":false,"sameSite":"Lax"},"#
                + #"{"name":"f","value":"","expires":"2025-01-29T10:30:00.250+01:00","domain":""},"#
                + #"{"name":"g","value":"","expires":"9999-12-31T23:59:59Z"},"#
                + #"{"name":"h","value":"","expires":"Wed, 29 Jan 2025 09:30:00 GMT"}]"#
        )
        let exchange = try file.exchange()
        #expect(file.notes == [] && exchange.request.url == "http://h/a?q=a+b")
        #expect(exchange.request.fields == [SessionField("Cookie", "c=1; d=2"), SessionField("Content-Type", "a/b")])
        #expect(
            exchange.response?.fields == [
                SessionField("Set-Cookie", "e=3; Path=/; SameSite=Lax; HttpOnly"),
                SessionField("Set-Cookie", "f=; Expires=Wed, 29 Jan 2025 09:30:00 GMT"),
                SessionField("Set-Cookie", "g=; Expires=Fri, 31 Dec 9999 23:59:59 GMT"),
                SessionField("Set-Cookie", "h=; Expires=Wed, 29 Jan 2025 09:30:00 GMT"),
                SessionField("Content-Type", "c/d"), SessionField("Location", "http://h/c"),
            ])
        let told = try Self.file(
            #""method":"GET","url":"http://h/a?x=1","queryString":[{"name":"q","value":"1"}],"#
                + #""headers":[{"name":"cookie","value":"c=0"}],"cookies":[{"name":"c","value":"1"}]"#
        ).exchange()
        #expect(told.request.url == "http://h/a?x=1" && told.request.fields == [SessionField("cookie", "c=0")])
    }

    @Test("The reader reads a value made up only of line feeds as one empty field", arguments: ["", "\\n", "\\n\\n"])
    func lineFeeds(_ value: String) throws {
        let headers = "\"headers\":[{\"name\":\"X-A\",\"value\":\"\(value)\"}]"
        let file = try Self.file("\"method\":\"GET\",\"url\":\"http://h/a\",\(headers)")
        #expect(try file.exchange().request.fields == [SessionField("X-A", "")])
    }

    // MARK: Responses

    @Test(
        "The reader keeps a response's body or notes that it is missing or shorter",
        arguments: [
            (#""size":3,"text":"xyz""#, RecordedBody(Array("xyz".utf8)), nil),
            (#""size":3,"text":"""#, RecordedBody([], of: 3), .body), (#""size":3"#, RecordedBody([], of: 3), .body),
            (#""size":0,"text":"""#, RecordedBody(), nil),
            (#""size":3,"text":"[redacted]","encoding":"base64""#, RecordedBody([], of: 3), .unreadableBody),
            (#""size":3,"text":"x","encoding":"gzip""#, RecordedBody([], of: 3), .unreadableBody),
            (#""size":4,"text":"x""#, RecordedBody(Array("x".utf8)), nil),
            (#""size":5,"text":"x""#, RecordedBody(Array("x".utf8)), .shortBody),
        ] as [(String, RecordedBody, HARLoss?)])
    func contents(content: String, body: RecordedBody, loss: HARLoss?) throws {
        let file = try Self.file(#""method":"GET","url":"http://h/a""#, #""status":200,"content":{\#(content)}"#)
        #expect(try file.exchange().response?.body == body)
        #expect(file.notes == (loss.map { [.lost($0, count: 1, entries: [1])] } ?? []))
    }

    // MARK: Messages

    @Test("The reader counts messages that it cannot keep")
    func messages() throws {
        let socket = #""method":"GET","url":"ws://h/ws""#
        let bad = #"{"type":"send","time":1738146601,"opcode":2,"data":"[redacted]"}"#
        let good = #"{"type":"send","time":1738146601,"opcode":1,"data":"x"}"#
        let list = #","_webSocketMessages":[\#(bad),\#(good)]"#
        #expect(
            try Self.file(socket, #""status":101"#, list).notes == [.lost(.unreadableMessage, count: 1, entries: [1])])
        #expect(try Self.file(socket, #""status":403"#, list).notes == [.lost(.strayMessage, count: 2, entries: [1])])
        #expect(try Self.file(socket, #""status":101"#).notes == [.lost(.messages, count: 1, entries: [1])])
        #expect(try Self.file(socket, #""status":200"#, #","_webSocketMessages":[]"#).notes == [])
    }

    @Test(
        "A note names at most five entries",
        arguments: [
            (1, "entry 1"), (5, "entries 1, 2, 3, 4 and 5"), (6, "entries 1, 2, 3, 4, 5, …"),
            (7, "entries 1, 2, 3, 4, 5, …"),
        ])
    func counting(_ entries: Int, _ names: String) {
        var losses = HARLosses()
        for entry in 1...entries {
            losses.entry = entry
            losses.add(.body, count: 2)
        }
        losses.add(.formFile, count: 0)
        #expect(
            losses.notes.map(\.description) == [
                "\(2 * entries) bodies were not recorded (\(names)); save the HAR with its content"
            ])
    }

    @Test("The reader accepts time offsets in ISO 8601's basic forms", arguments: ["+02:00", "+0200", "+02"])
    func offsets(_ offset: String) throws {
        let file = try Self.file(start: "2025-01-29T10:30:00.250\(offset)")
        #expect(file.session.entries[0].started == Timestamp("2025-01-29T08:30:00.250Z"))
    }

    @Test(
        "The reader rejects a time with any other ending",
        arguments: ["+2", "+020", "02", "0200", "+25", "+02000", ".", "+0260", "-"])
    func noOffsets(_ offset: String) {
        #expect(throws: Refusal.self) { try Self.file(start: "2025-01-29T10:30:00\(offset)") }
    }
}
