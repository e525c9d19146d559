import HTTPTypes
import Testing

@testable import HTTP1

@Suite("Heads")
struct HeadTests {
    private func head(_ text: String) throws -> RequestHead {
        var connection = Connection(role: .server)
        connection.receive(Array(text.utf8))
        guard case .request(let head) = try connection.nextEvent() else {
            Issue.record("no request")
            throw CancellationError()
        }
        return head
    }

    @Test("Field lookup ignores case and keeps the order of duplicates")
    func fields() throws {
        let fields = try head("GET / HTTP/1.1\r\nhost: a\r\nX-A: 1\r\nAccept:  b \r\nx-a: 2\r\nX-A:\r\n\r\n").fields
        let name = try #require(HTTPField.Name("X-a"))
        #expect(fields.count == 5)
        #expect(fields.values(name).count == 3)
        #expect(fields.values(name) == ["1", "2", ""])
        #expect(fields[name] == "1, 2, ")
        #expect(fields[.accept] == "b")
        #expect(fields[.cookie] == nil)
        #expect(fields.contains(.accept) && !fields.contains(.cookie))
        #expect(fields.withFirstValue(of: name) { Array($0) } == Array("1".utf8))
        #expect(fields.withFirstValue(of: .cookie) { $0.count } == nil)
        #expect(fields.firstValue(of: name, is: Array("1".utf8)) == true)
        #expect(fields.firstValue(of: name, is: Array("2".utf8)) == false)
        #expect(fields.firstValue(of: .cookie, is: []) == nil)
        #expect(fields.onlyValue(of: .accept, is: Array("b".utf8)) && !fields.onlyValue(of: .accept, is: [0x63]))
        #expect(!fields.onlyValue(of: name, is: Array("1".utf8)) && !fields.onlyValue(of: name, is: []))
        #expect(!fields.onlyValue(of: .cookie, is: []))
        let names = fields.httpFields.map { "\($0.name.rawName)=\($0.value)" }
        #expect(names == ["host=a", "X-A=1", "Accept=b", "x-a=2", "X-A="])
    }

    @Test("A field block that is made from fields behaves like a parsed block")
    func fieldBlock() {
        let fields = FieldBlock([.accept: "a", .connection: "x, Close"])
        #expect(fields.count == 2 && FieldBlock().count == 0)
        #expect(fields[.accept] == "a")
        #expect(fields.hasToken("close", in: .connection))
        #expect(!FieldBlock([.connection: "x,"]).hasToken("close", in: .connection))
    }

    @Test(
        "Token lookup covers lists and several fields and ignores case",
        arguments: [
            ("Upgrade", true), ("KEEP-ALIVE", true), ("close", true), ("keep", false), ("", false), ("closed", false),
        ])
    func tokens(token: String, found: Bool) throws {
        let text = "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive ,,\tUpgrade\r\nconnection: Close\r\n\r\n"
        #expect(try head(text).fields.hasToken(token, in: .connection) == found)
        #expect(try !head(text).fields.hasToken(token, in: .via))
    }

    @Test(
        "gzip is accepted if gzip or * has a nonzero weight",
        arguments: [
            (nil, false), ("", false), ("br, identity", false), ("gzip", true), ("deflate,\tGZIP ; q=1", true),
            ("x-gzip;q=0.5", true), ("gzip;q=0", false), ("gzip ; q=0.000", false), ("*", true), ("br, *;q=0.1", true),
            ("*;q=0", false), ("*, gzip;q=0.0", false), ("*;q=0, gzip", true),
        ] as [(String?, Bool)])
    func gzip(value: String?, isAccepted: Bool) {
        let fields = value.map { FieldBlock([.acceptEncoding: $0]) } ?? FieldBlock()
        #expect(fields.acceptsGzip == isAccepted)
    }

    @Test("A recorded head equals the parsed head")
    func recorded() throws {
        let text = "POST /a?b HTTP/1.1\r\nHost: a\r\nX-A:1\r\nContent-Length: 3\r\n"
        let (recorded, arrived) = (try RequestHead(recorded: Array(text.utf8)), try head(text + "\r\n"))
        #expect(recorded.method == .post && recorded.target.description == "/a?b" && recorded.version == .http11)
        let lines = recorded.fields.nameValuePairs.map { "\($0.name)=\($0.value)" }
        #expect(lines == ["Host=a", "X-A=1", "Content-Length=3"])
        #expect(recorded.fields.httpFields == arrived.fields.httpFields)
        #expect(recorded.contentLength == 3 && !recorded.isChunked && recorded.hasBody)
        let bare = try RequestHead(recorded: Array("OPTIONS * HTTP/1.0\r\n".utf8))
        #expect(bare.fields.count == 0 && bare.version == .http10)
        #expect(throws: RemoteError.self) { try RequestHead(recorded: Array((text + "\r\n").utf8)) }
    }

    @Test("A field value that is not UTF-8 keeps its bytes")
    func obsText() throws {
        var connection = Connection(role: .server)
        connection.receive(Array("GET / HTTP/1.1\r\nHost: a\r\nServer: caf".utf8) + [0xe9, 0x0d, 0x0a, 0x0d, 0x0a])
        guard case .request(let head) = try connection.nextEvent() else {
            Issue.record("no request")
            return
        }
        #expect(head.fields.withFirstValue(of: .server) { $0.last } == 0xe9)
        #expect(head.fields[.server] == "caf\u{fffd}")
    }

    @Test("A head provides the body's framing and the authority")
    func facts() throws {
        let plain = try head("GET / HTTP/1.1\r\nHost: a:1\r\n\r\n")
        #expect(!plain.hasBody && plain.contentLength == nil && !plain.isChunked && plain.authority == "a:1")
        let length = try head("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(length.hasBody && length.contentLength == 3 && length.expectsContinue)
        let chunked = try head("POST http://b/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(chunked.hasBody && chunked.isChunked && !chunked.expectsContinue && chunked.authority == "b")
        let upgrade = try head("GET / HTTP/1.1\r\nHost: a\r\nconnection: UPGRADE\r\nUPGRADE: websocket\r\n\r\n")
        #expect(upgrade.wantsUpgrade && upgrade.version == .http11)
        let nowhere = "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n"
        #expect(try !head(nowhere + "\r\n").wantsUpgrade)
        #expect(try !head(nowhere + "Upgrade:\r\n\r\n").wantsUpgrade)
        #expect(try head("GET / HTTP/1.0\r\n\r\n").version == .http10)
    }
}

@Suite("Request targets")
struct RequestTargetTests {
    @Test(
        "A path is split before it is decoded",
        arguments: [
            ("/", [""]), ("/a", ["a"]), ("/a//b/", ["a", "", "b", ""]), ("/a%2Fb/c", ["a/b", "c"]),
            ("/%E2%82%AC?x=/y/", ["€"]), ("/%41+%2b", ["A++"]), ("/../.", ["..", "."]), ("http://h", [""]),
            ("http://h?q", [""]), ("http://h/a/b", ["a", "b"]),
        ])
    func segments(text: String, segments: [String]) throws {
        #expect(try RequestTarget(parsing: text).segments == segments)
    }

    @Test(
        "A query is parsed into pairs",
        arguments: [
            ("/", []), ("/?", []), ("/?a", ["a="]), ("/?a=1&b=2&a=3", ["a=1", "b=2", "a=3"]),
            ("/?a+b=c%2Bd+e", ["a b=c+d e"]), ("/?a=b=c", ["a=b=c"]), ("/?&&a=1&", ["a=1"]), ("/?=x", ["=x"]),
            ("/?a=%zz&b=%4", ["a=%zz", "b=%4"]), ("/?a=?/", ["a=?/"]), ("/?a=%E2%82%AC", ["a=€"]),
        ])
    func query(text: String, items: [String]) throws {
        #expect(try RequestTarget(parsing: text).queryItems().map { "\($0.name)=\($0.value)" } == items)
    }

    @Test("Each part of a target keeps its spelling")
    func parts() throws {
        let absolute = try RequestTarget(parsing: "HTTPS://h:1/a%20b?c=%20")
        #expect(absolute.form == .absolute && absolute.authority == "h:1")
        #expect(absolute.path == "/a%20b" && absolute.query == "c=%20")
        #expect(absolute.withPath { $0.count } == 6 && absolute.withQuery { $0.count } == 5)
        let bare = try RequestTarget(parsing: "http://h")
        #expect(bare.path == "/" && bare.query == nil && bare.withQuery { $0.count } == nil)
        #expect(bare.withPath { Array($0) } == [0x2f])
        let asterisk = try RequestTarget(parsing: "*", method: .options)
        #expect(asterisk.form == .asterisk && asterisk.path == "*" && asterisk.segments == [])
        let authority = try RequestTarget(parsing: "h:443", method: .connect)
        #expect(authority.form == .authority && authority.path == "" && authority.authority == "h:443")
    }

    @Test(
        "An invalid target is rejected",
        arguments: ["", "a", "*", "/%", "/%4", "/%41%zz", "/a b", "/é", "http://", "http:///a"])
    func refused(text: String) {
        #expect(throws: RemoteError.self) { try RequestTarget(parsing: text) }
    }

    @Test("The error for an invalid target quotes only the invalid part")
    func quotes() {
        func excerpt(_ text: String) -> Excerpt { Array(text.utf8).withUnsafeBufferPointer { Excerpt($0) } }
        #expect(throws: RemoteError.badTargetForm(excerpt("http://"))) { try RequestTarget(parsing: "http://") }
        #expect(throws: RemoteError.badTargetAuthority(excerpt(""))) { try RequestTarget(parsing: "http:///a") }
        // Passwords must not appear in answers, logs or journals.
        for userInfo in ["ann:pw", "ann", "a@b:c", String(repeating: "long", count: 20)] {
            #expect(throws: RemoteError.badTargetAuthority(excerpt("***@h:1"))) {
                try RequestTarget(parsing: "http://\(userInfo)@h:1/a")
            }
            #expect(throws: RemoteError.badTargetForm(excerpt("ws://***@h/a"))) {
                try RequestTarget(parsing: "ws://\(userInfo)@h/a")
            }
            #expect(throws: RemoteError.badTargetForm(excerpt("***@h"))) {
                try RequestTarget(parsing: "\(userInfo)@h")
            }
        }
        #expect(throws: RemoteError.badTargetForm(excerpt("a/b@c"))) { try RequestTarget(parsing: "a/b@c") }
        #expect(throws: RemoteError.badEscape(excerpt("%zz"))) { try RequestTarget(parsing: "/a%zzb?c") }
        #expect(throws: RemoteError.badEscape(excerpt("%4"))) { try RequestTarget(parsing: "/%4?1") }
    }
}
