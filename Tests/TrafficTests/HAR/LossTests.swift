import FitIQAPI
import Foundation
import TestSupport
import Testing

@testable import Traffic

@Suite("What a HAR of other programs has is kept or noted")
struct LossTests {
    private static func fixture(_ name: String) throws -> HARFile {
        try HARFile(reading: Array(Data(contentsOf: URL.fixtures.appending(path: "har/\(name).har"))))
    }

    /// A file with one exchange, by another program.
    private static func file(
        _ request: String = #""method":"POST","url":"http://h/a""#, _ response: String = #""status":200"#,
        _ members: String = "", start: String = "2025-01-29T10:30:00Z"
    ) throws -> HARFile {
        let text =
            #"{"log":{"entries":[{"startedDateTime":"\#(start)","request":{\#(request)},"#
            + #""response":{\#(response)}\#(members)}]}}"#
        return try HARFile(reading: Array(text.utf8))
    }

    private static func exchange(_ file: HARFile, _ index: Int = 0) throws -> SessionExchange {
        let exchange = file.session.entries[index]
        guard !exchange.isSocket else { throw Unexpected() }
        return exchange
    }

    private struct Unexpected: Error {}

    private static func text(_ body: RecordedBody?) -> String? {
        body.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    // MARK: The fixtures

    @Test("A sanitised body is missing, and the rest is read")
    func sanitised() throws {
        let file = try Self.fixture("sanitised-image")
        #expect(file.notes == [.lost(.unreadableBody, count: 1, entries: [1])])
        #expect(try Self.exchange(file).response?.body == RecordedBody([], of: 12))
        #expect(try Self.text(Self.exchange(file, 1).response?.body) == #"{"goals":[]}"#)
    }

    @Test("A size without a body tells that one was sent")
    func size() throws {
        let file = try Self.fixture("size-without-body")
        #expect(file.notes == [.lost(.body, count: 1, entries: [1])])
        let request = try Self.exchange(file).request
        #expect(request.body == RecordedBody([], of: 33) && request.hasUnknownBody)
    }

    @Test("A WebSocket over HTTP/2 has its frames, and its handshake is that of HTTP/1.1")
    func overHTTP2() throws {
        let file = try Self.fixture("websocket-over-http2")
        let socket = file.session.entries[0]
        #expect(file.notes == [])
        #expect(socket.frames.map(\.sender) == [.server, .client, .server])
        #expect(socket.isSocket && socket.request.method == "GET" && socket.response?.status == 101)
        let bytes = try Data(contentsOf: URL.fixtures.appending(path: "har/websocket-over-http2.har"))
        let extended = String(decoding: bytes, as: UTF8.self).replacing("\"GET\"", with: "\"CONNECT\"")
        #expect(try HARFile(reading: Array(extended.utf8)).session.entries[0] == socket)
    }

    @Test("A form's file without its content makes the body unknown")
    func formFile() throws {
        let file = try Self.fixture("form-file-without-content")
        #expect(file.notes == [.lost(.formFile, count: 1, entries: [1])])
        #expect(try Self.exchange(file).request.hasUnknownBody)
    }

    @Test("Fields that are joined by line feeds are several")
    func joined() throws {
        let cookies = try Self.exchange(Self.fixture("joined-cookies")).response?.fields.filter {
            $0.name == "Set-Cookie"
        }
        #expect(cookies?.map(\.value) == ["a=1; Path=/", "b=2; Path=/"])
    }

    @Test("Bodies that our recorder left out are noted, and the file is whole nevertheless")
    func unread() throws {
        let file = try Self.fixture("unread-codings")
        #expect(file.notes == [.lost(.cutBody, count: 2, entries: [1, 2])])
        #expect(file.isWhole)
        #expect(try Self.exchange(file).response?.body == RecordedBody([], of: 17))
    }

    // MARK: Requests

    @Test(
        "The body of a request is kept or missing",
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
        let body = try Self.exchange(file).request.body
        #expect(body?.isCut == (loss != nil))
        if let text { #expect(Self.text(body) == text) }
    }

    @Test("What stands beside fields and URL is used where they lack it")
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
        let exchange = try Self.exchange(file)
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
        let told = try Self.exchange(
            Self.file(
                #""method":"GET","url":"http://h/a?x=1","queryString":[{"name":"q","value":"1"}],"#
                    + #""headers":[{"name":"cookie","value":"c=0"}],"cookies":[{"name":"c","value":"1"}]"#))
        #expect(told.request.url == "http://h/a?x=1" && told.request.fields == [SessionField("cookie", "c=0")])
    }

    @Test("A value of line feeds only is one empty field", arguments: ["", "\\n", "\\n\\n"])
    func lineFeeds(_ value: String) throws {
        let headers = "\"headers\":[{\"name\":\"X-A\",\"value\":\"\(value)\"}]"
        let file = try Self.file("\"method\":\"GET\",\"url\":\"http://h/a\",\(headers)")
        #expect(try Self.exchange(file).request.fields == [SessionField("X-A", "")])
    }

    // MARK: Responses

    @Test(
        "The body of a response is kept, missing or shorter than it was",
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
        #expect(try Self.exchange(file).response?.body == body)
        #expect(file.notes == (loss.map { [.lost($0, count: 1, entries: [1])] } ?? []))
    }

    // MARK: Messages

    @Test("Messages that cannot be kept are counted")
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
        "At most five entries are named",
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

    @Test(
        "Offsets may be in the basic forms of ISO 8601",
        arguments: ["+02:00", "+0200", "+02"])
    func offsets(_ offset: String) throws {
        let file = try Self.file(start: "2025-01-29T10:30:00.250\(offset)")
        #expect(file.session.entries[0].started == Timestamp("2025-01-29T08:30:00.250Z"))
    }

    @Test(
        "Other ends of a time are none", arguments: ["+2", "+020", "02", "0200", "+25", "+02000", ".", "+0260", "-"])
    func noOffsets(_ offset: String) {
        #expect(throws: HARError.self) { try Self.file(start: "2025-01-29T10:30:00\(offset)") }
    }
}
