import Deflate
import Testing

@testable import Traffic

@Suite("What an entry of a HAR is read as")
struct EntryReadingTests {
    /// A file with one entry, which has the members given after its own.
    private static func file(
        url: String = "http://h/ws", request: String = "", response: String = #""status":101"#, _ members: String = "",
        log: String = ""
    ) throws -> HARFile {
        let text =
            #"{"log":{"entries":[{"startedDateTime":"2025-01-29T10:30:00Z","request":{"method":"GET","#
            + #""url":"\#(url)"\#(request)},"response":{\#(response)}\#(members)}]\#(log)}}"#
        return try HARFile(reading: Array(text.utf8))
    }

    private static func exchange(_ file: HARFile) throws -> SessionExchange {
        guard let exchange = file.session.entries.first, !exchange.isSocket else { throw Unexpected() }
        return exchange
    }

    private struct Unexpected: Error {}

    @Test(
        "A 101 is a WebSocket by any one sign of it, and an exchange without",
        arguments: [
            ("http://h/ws", "", #","_webSocketMessages":[]"#, true), ("wss://h/ws", "", "", true),
            ("http://h/ws", "", #","_resourceType":"websocket""#, true),
            ("http://h/ws", #","headers":[{"name":"Upgrade","value":"WebSocket"}]"#, "", true),
            ("http://h/ws", "", "", false), ("http://h/ws", "", #","_resourceType":"fetch""#, false),
            ("http://h/ws", #","headers":[{"name":"Upgrade","value":"h2c"}]"#, "", false),
        ])
    func sockets(url: String, request: String, members: String, isSocket: Bool) throws {
        let entry = try Self.file(url: url, request: request, members).session.entries.first
        #expect(entry?.isSocket == isSocket)
    }

    @Test("A status is 100 to 999", arguments: [(99, false), (100, true), (999, true), (1000, false)])
    func statuses(status: Int, isRead: Bool) {
        let file = try? Self.file(response: #""status":\#(status)"#)
        #expect((file != nil) == isRead)
    }

    @Test(
        "What gzip saved of an answer tells how long it was on the wire, if that is possible",
        arguments: [(4, 6), (9, 1), (10, nil), (11, nil), (-13, 23)] as [(Int, Int?)])
    func compression(saved: Int, size: Int?) throws {
        let response =
            #""status":200,"headers":[{"name":"Content-Encoding","value":"gzip"}],"#
            + #""content":{"text":"0123456789","compression":\#(saved)}"#
        #expect(try Self.exchange(Self.file(response: response)).response?.coding?.byteCount == size)
    }

    @Test(
        "What a request's body was on the wire is known if it was anything",
        arguments: [(0, nil), (1, 1)] as [(Int, Int?)])
    func decoded(size: Int, codedSize: Int?) throws {
        let file = try Self.file(
            request: #","headers":[{"name":"Content-Encoding","value":"gzip"}],"bodySize":\#(size)"#
                + #","postData":{"text":"a"}"#,
            response: #""status":200"#,
            #","_fitiq":{"decoded":true}"#)
        #expect(try Self.exchange(file).request.coding?.byteCount == codedSize)
    }

    @Test("A body has gzip or deflate if that is its only coding, by any of their names")
    func codings() {
        for (codings, format, isInflated) in [
            (["gzip"], .gzip, true), (["X-GZIP"], .gzip, true), (["identity", "gzip"], .gzip, true),
            (["Deflate"], .zlib, true), (["deflate"], .gzip, false), (["deflate"], .nothing, false),
            (["br"], .gzip, false), (["identity"], .gzip, false), (["gzip", "gzip"], .gzip, false), ([], .gzip, false),
        ] as [([String], ZlibFormat, Bool)] {
            let coded = Gzip.deflate(Array("yes, yes, yes".utf8), as: format)
            var body = RecordedBody(coded)
            var fields = [SessionField("Accept-Encoding", "gzip")]
            fields += codings.map { SessionField("Content-Encoding", $0) }
            let coding = body.inflate(&fields, limit: 100)
            let expected = isInflated ? SessionCoding(name: codings.last ?? "", byteCount: coded.count) : nil
            #expect(coding == expected, "\(codings)")
            #expect(body.bytes == (isInflated ? Array("yes, yes, yes".utf8) : coded), "\(codings)")
        }
    }

    // MARK: Whole files

    private static let creator = #","creator":{"name":"fitiq-mock"}"#
    private static let webSocket = #","_webSocketMessages":[],"_fitiq":{"controlFrames":[]}"#

    @Test(
        "A file is whole if our recorder wrote it, missed nothing, and told control frames",
        arguments: [
            (webSocket, creator, true), (webSocket, #","creator":{"name":"mitmproxy"}"#, false), (webSocket, "", false),
            (#","_webSocketMessages":[]"#, creator, false),
            (webSocket, creator + #","_fitiq":{"notes":["The disk was full."]}"#, false),
            (#"\#(webSocket),"comment":"\ud83d""#, creator, true),
        ])
    func whole(members: String, log: String, isWhole: Bool) throws {
        #expect(try Self.file(members, log: log).isWhole == isWhole)
    }

    @Test("A torn file is whole as far as it goes, be there white space or a name without letters before its log")
    func torn() throws {
        let bytes = HAREncoder.file(Session(entries: [Samples.exchange()]), creatorVersion: "1")
        for start in ["{", "\n {", #"{"":0,"#] {
            let torn: [UInt8] = Array(start.utf8) + bytes.dropFirst().dropLast(4)
            let file = try HARFile(reading: torn)
            #expect(file.notes == [.torn(entries: 1)] && file.session.entries.count == 1, "\(start)")
            #expect(file.isWhole, "\(start)")
        }
    }

    @Test("Only a request's body may lie in a file of its own")
    func attachedRequest() throws {
        let text = Dialects.playwright.replacing(#","_file":"answer.bin""#, with: "")
        let file = try HARFile(reading: Array(text.utf8)) { Dialects.attachments[$0] }
        #expect(try Self.exchange(file).request.body == RecordedBody(Array("{}".utf8)))
    }

    @Test("The smallest limits are one of each")
    func limits() {
        let limits = HARLimits(bytes: 1, values: 1, entries: 1)
        let refusals: [(String, HARError.Problem)] = [("{}", .tooLarge(limit: 1)), (" ", .empty)]
        for (text, problem) in refusals {
            let error = #expect(throws: HARError.self) { try HARFile(reading: Array(text.utf8), limits: limits) }
            #expect(error?.problem == problem)
        }
    }
}
