import Deflate
import FitIQAPI
import JSON
import Testing
import Text
import Traffic
import WebSocket

@testable import Traffic

@Suite("HAR round trips")
struct RoundTripTests {
    @Test("A session survives writing and reading")
    func session() throws {
        let bytes = HAREncoder.file(Samples.all, creatorVersion: "1.0")
        let file = try HARFile(reading: bytes)
        #expect(file.session.entries.count == Samples.all.entries.count)
        for (read, written) in zip(file.session.entries, Samples.all.entries) { #expect(read == written) }
        #expect(
            file.notes == [.lost(.cutBody, count: 3, entries: [5, 9]), .lost(.cutMessage, count: 2, entries: [10])])
        #expect(file.creator == "fitiq-mock" && file.isWhole)
        #expect(HAREncoder.file(file.session, creatorVersion: "1.0") == bytes)
    }

    @Test("An empty session's file contains its notes")
    func empty() throws {
        let bytes = HAREncoder.file(Session(), creatorVersion: "1.0", notes: ["The disk was full."])
        let file = try HARFile(reading: bytes)
        #expect((file.session, file.notes) == (Session(), [.recorded("The disk was full.")]))
    }

    @Test("The encoder writes an entry in the form that HAR tools expect")
    func golden() {
        var exchange = Samples.exchange("POST", "/api/v1/goals?q=a%20b", at: 1, body: "{}", answer: "{}")
        exchange.response?.isComplete = false
        #expect(
            String(decoding: HAREncoder.entry(exchange), as: UTF8.self)
                == #"{"startedDateTime":"2025-01-29T10:30:00.000001Z","time":2.250,"request":{"method":"POST","#
                + #""url":"https://api.example.com/api/v1/goals?q=a%20b","httpVersion":"HTTP/1.1","cookies":[],"#
                + #""headers":[{"name":"Host","value":"api.example.com"}],"#
                + #""queryString":[{"name":"q","value":"a b"}],"postData":{"mimeType":"x-unknown","text":"{}"},"#
                + #""headersSize":-1,"bodySize":2},"response":{"status":200,"statusText":"OK","#
                + #""httpVersion":"HTTP/1.1","cookies":[],"#
                + #""headers":[{"name":"Content-Type","value":"application/json"}],"#
                + #""content":{"size":2,"mimeType":"application/json","text":"{}"},"redirectURL":"","#
                + #""headersSize":-1,"bodySize":2},"cache":{},"timings":{"send":0,"wait":1.500,"receive":0.750},"#
                + #""_fitiq":{"incomplete":true}}"#)
    }

    @Test("The encoder also lists cookies separately")
    func cookies() {
        var exchange = Samples.exchange("GET", "/", at: 1)
        exchange.request.fields = [SessionField("cookie", "sid=a=b; theme = dark;; odd; ")]
        exchange.response?.fields = [
            SessionField("Set-Cookie", "sid=abc; Path=/a; path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT; HttpOnly"),
            SessionField("set-cookie", "lang=\"en\"; Domain=example.com;Secure"), SessionField("Set-Cookie", ""),
        ]
        let text = String(decoding: HAREncoder.entry(exchange), as: UTF8.self)
        #expect(
            text.contains(
                #""cookies":[{"name":"sid","value":"a=b"},{"name":"theme","value":"dark"},{"name":"odd","value":""}],"#)
        )
        #expect(
            text.contains(
                #""cookies":[{"name":"sid","value":"abc","path":"/","httpOnly":true,"secure":false},"#
                    + #"{"name":"lang","value":"\"en\"","domain":"example.com","httpOnly":false,"secure":true}],"#))
    }

    @Test("The encoder writes messages in Chrome's form")
    func messages() {
        let text = String(decoding: HAREncoder.message(Samples.frame(.client, .text, "hi", at: 5)), as: UTF8.self)
        #expect(text == #"{"type":"send","time":1738146600.000005,"opcode":1,"data":"hi"}"#)
        let binary = HAREncoder.message(Samples.frame(.server, .binary, bytes: [0xFF], at: 0))
        #expect(
            String(decoding: binary, as: UTF8.self)
                == #"{"type":"receive","time":1738146600.000000,"opcode":2,"data":"/w=="}"#)
    }

    @Test("The encoder keeps the microseconds of a time before 1970")
    func beforeTheEpoch() {
        let frame = SessionFrame(
            sender: .client, time: Timestamp(nanosecondsSinceEpoch: -1), opcode: .text, payload: RecordedBody())
        #expect(String(decoding: HAREncoder.message(frame), as: UTF8.self).contains(#""time":-0.000001,"#))
    }
}

@Suite("Reading a HAR entry")
struct EntryReadingTests {
    /// A file with one entry, plus the given members.
    private static func file(
        url: String = "http://h/ws", request: String = "", response: String = #""status":101"#, _ members: String = "",
        log: String = ""
    ) throws -> HARFile {
        let text =
            #"{"log":{"entries":[{"startedDateTime":"2025-01-29T10:30:00Z","request":{"method":"GET","#
            + #""url":"\#(url)"\#(request)},"response":{\#(response)}\#(members)}]\#(log)}}"#
        return try HARFile(reading: Array(text.utf8))
    }

    @Test(
        "The reader treats a 101 with any sign of a WebSocket as a WebSocket",
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

    @Test(
        "The reader accepts statuses from 100 to 999",
        arguments: [(99, false), (100, true), (999, true), (1000, false)])
    func statuses(status: Int, isRead: Bool) {
        let file = try? Self.file(response: #""status":\#(status)"#)
        #expect((file != nil) == isRead)
    }

    @Test(
        "The reader computes an answer's size on the wire from a plausible gzip saving",
        arguments: [(4, 6), (9, 1), (10, nil), (11, nil), (-13, 23)] as [(Int, Int?)])
    func compression(saved: Int, size: Int?) throws {
        let response =
            #""status":200,"headers":[{"name":"Content-Encoding","value":"gzip"}],"#
            + #""content":{"text":"0123456789","compression":\#(saved)}"#
        #expect(try Self.file(response: response).exchange().response?.coding?.byteCount == size)
    }

    @Test(
        "The reader accepts a request body's size on the wire only if it is positive",
        arguments: [(0, nil), (1, 1)] as [(Int, Int?)])
    func decoded(size: Int, codedSize: Int?) throws {
        let file = try Self.file(
            request: #","headers":[{"name":"Content-Encoding","value":"gzip"}],"bodySize":\#(size)"#
                + #","postData":{"text":"a"}"#,
            response: #""status":200"#, #","_fitiq":{"decoded":true}"#)
        #expect(try file.exchange().request.coding?.byteCount == codedSize)
    }

    @Test("The reader recognizes gzip and deflate by any name if they are a body's only coding")
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
        "A file counts as complete only if our recorder wrote it without losses",
        arguments: [
            (webSocket, creator, true), (webSocket, #","creator":{"name":"mitmproxy"}"#, false), (webSocket, "", false),
            (#","_webSocketMessages":[]"#, creator, false),
            (webSocket, creator + #","_fitiq":{"notes":["The disk was full."]}"#, false),
            (#"\#(webSocket),"comment":"\ud83d""#, creator, true),
        ])
    func whole(members: String, log: String, isWhole: Bool) throws {
        #expect(try Self.file(members, log: log).isWhole == isWhole)
    }

    @Test("A torn file is readable up to the tear")
    func torn() throws {
        let bytes = HAREncoder.file(Session(entries: [Samples.exchange()]), creatorVersion: "1")
        for start in ["{", "\n {", #"{"":0,"#] {
            let torn: [UInt8] = Array(start.utf8) + bytes.dropFirst().dropLast(4)
            let file = try HARFile(reading: torn)
            #expect(file.notes == [.torn(entries: 1)] && file.session.entries.count == 1, "\(start)")
            #expect(file.isWhole, "\(start)")
        }
    }

    @Test("A separate file may contain only the request's body")
    func attachedRequest() throws {
        let text = Dialects.playwright.replacing(#","_file":"answer.bin""#, with: "")
        let file = try HARFile(reading: Array(text.utf8)) { Dialects.attachments[$0] }
        #expect(try file.exchange().request.body == RecordedBody(Array("{}".utf8)))
    }

    @Test("The reader supports limits of one")
    func limits() {
        let limits = HARLimits(bytes: 1, values: 1, entries: 1)
        for (text, message) in [("{}", Messages.tooLarge(limit: 1)), (" ", Messages.empty)] {
            let error = #expect(throws: Refusal.self) { try HARFile(reading: Array(text.utf8), limits: limits) }
            #expect(error == Refusal(message))
        }
    }
}

@Suite("Hostile HAR")
struct HostileTests {
    /// The values that replace values in a file.
    private static let odd: [JSONValue] = [
        nil, true, -1, .number(JSONNumber("1e308")!), .number(JSONNumber("9223372036854775807")!),
        .number(JSONNumber("-0.5")!), "", "\u{0}", [], [[]], ["a": nil], .string(String(repeating: "9", count: 400)),
    ]

    @Test("Reading a HAR with any member replaced yields a session or an error")
    func values() throws {
        let sources =
            Dialects.all + [String(decoding: HAREncoder.file(Samples.all, creatorVersion: "1"), as: UTF8.self)]
        var (read, refused) = (0, 0)
        for text in sources {
            let root = try JSON.parse(text.replacing(#"\ud83d"#, with: "x"))
            // Each place gets one value, and each value is put in many places; all combinations would take half a
            // minute.
            for (index, path) in Self.paths(of: root).enumerated() {
                for value in [Self.odd[index % Self.odd.count]] {
                    let bytes = Self.replacing(root, path[...], with: value).encoded()
                    guard let file = try? HARFile(reading: bytes, attachment: { Dialects.attachments[$0] }) else {
                        refused += 1
                        continue
                    }
                    read += 1
                    // A session must be writable and readable again.
                    let written = HAREncoder.file(file.session, creatorVersion: "1")
                    let again = try HARFile(reading: written)
                    #expect(again.session.entries.count == file.session.entries.count)
                }
            }
        }
        #expect(read > 300 && refused > 50, "\(read), \(refused)")
    }

    private static func paths(of value: JSONValue) -> [[Int]] {
        let children: [JSONValue]
        switch value {
        case .array(let elements): children = elements
        case .object(let object): children = object.map(\.value)
        default: return [[]]
        }
        return [[]] + children.enumerated().flatMap { index, child in paths(of: child).map { [index] + $0 } }
    }

    private static func replacing(_ value: JSONValue, _ path: ArraySlice<Int>, with other: JSONValue) -> JSONValue {
        guard let index = path.first else { return other }
        switch value {
        case .array(var elements):
            elements[index] = replacing(elements[index], path.dropFirst(), with: other)
            return .array(elements)
        case .object(let object):
            return .object(
                JSONObject(
                    object.enumerated().map { position, member in
                        (
                            member.key,
                            position == index ? replacing(member.value, path.dropFirst(), with: other) : member.value
                        )
                    }))
        default: return other
        }
    }

    @Test("Reading randomly changed bytes yields a session or an error", arguments: [1, 2, 3, 4] as [UInt64])
    func bytes(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        let source = HAREncoder.file(Samples.all, creatorVersion: "1")
        for _ in 0..<100 {
            var bytes = source
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            _ = try? HARFile(reading: bytes)
        }
    }

    private func number(_ text: String) throws -> JSONNumber {
        let number: JSONNumber? = JSONNumber(text)
        return try #require(number)
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        init(seed: UInt64) { state = seed }
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    @Test(
        "The reader replaces lone surrogates but not pairs or escaped backslashes",
        arguments: [
            (#"\ud83d"#, #"\ufffd"#, 1), (#"\uD83D\uDCAA"#, #"\uD83D\uDCAA"#, 0), (#"\udcff"#, #"\ufffd"#, 1),
            (#"\\ud83d"#, #"\\ud83d"#, 0), (#"\\\ud83d"#, #"\\\ufffd"#, 1),
            (#"\ud83d\ud83d\udcaa"#, #"\ufffd\ud83d\udcaa"#, 1), (#"\ud83dx"#, #"\ufffdx"#, 1),
            (#"\ud83d\n"#, #"\ufffd\n"#, 1), (#"\u00e9\ud83d"#, #"\u00e9\ufffd"#, 1), (#"x\ud83d"#, #"x\ufffd"#, 1),
            (#"\udc00\udc00"#, #"\ufffd\ufffd"#, 2), (#"\uD83D\uDCAA\ud83d"#, #"\uD83D\uDCAA\ufffd"#, 1),
            (#"\ud8"#, #"\ud8"#, 0), (#"\"#, #"\"#, 0), (#"\ud83d\u"#, #"\ufffd\u"#, 1),
        ])
    func surrogates(_ text: String, _ expected: String, _ count: Int) {
        var bytes = Array(text.utf8)
        #expect(LoneSurrogates.replace(in: &bytes) == count)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test(
        "The reader scales numbers decimally",
        arguments: [
            ("1738146600.123456", 9, 1_738_146_600_123_456_000), ("0.1234567899", 9, 123_456_789), ("-1.5", 3, -1500),
            ("1738146600123.4569", 6, 1_738_146_600_123_456_900), ("12", 6, 12_000_000), ("1.5e3", 6, 1_500_000_000),
            ("9223372036.854775807", 9, Int64.max), ("9223372036.854775808", 9, nil), ("99999999999999999999", 0, nil),
            ("1e400", 0, nil), ("0.00000000000000000000000001", 3, 0),
        ] as [(String, Int, Int64?)])
    func scaled(_ text: String, _ power: Int, _ expected: Int64?) throws {
        #expect(try number(text).scaled(tenTo: power) == expected)
    }

    @Test(
        "The reader reads message times as seconds or milliseconds by their value",
        arguments: [
            ("1738146600.5", 1_738_146_600_500_000_000), ("1738146600500", 1_738_146_600_500_000_000),
            ("1738146600500.25", 1_738_146_600_500_250_000), ("0", 0), ("7258118399", 7_258_118_399_000_000_000),
            ("7258118400", nil), ("7258118399999", 7_258_118_399_999_000_000), ("7258118400000", nil), ("-1", nil),
            ("1e300", nil),
            // Read as seconds, this is too late; read as milliseconds, it is in 1973.
            ("100000000000", nil), ("100000000001", 100_000_000_001_000_000),
        ] as [(String, Int64?)])
    func messageTimes(_ text: String, _ expected: Int64?) throws {
        #expect(HARTime.message(try number(text))?.nanosecondsSinceEpoch == expected)
    }

    @Test(
        "The reader reads dates with fractions of any length and optional offsets",
        arguments: [
            ("2025-01-29T10:30:00Z", 0), ("2025-01-29T10:30:00.5Z", 500_000_000),
            ("2025-01-29T10:30:00.123456789123Z", 123_456_789), ("2025-01-29T11:30:00.25+01:00", 250_000_000),
            ("2025-01-29T10:30:00.000001", 1000), ("2025-01-29 10:30:00Z", nil), ("2025-01-29", nil), ("", nil),
            ("2200-01-01T00:00:00Z", nil),
        ] as [(String, Int64?)])
    func dates(_ text: String, _ expected: Int64?) {
        let nanoseconds = HARTime.date(text).map { $0.nanosecondsSinceEpoch - Samples.time().nanosecondsSinceEpoch }
        #expect(nanoseconds == expected)
    }

    @Test(
        "An attachment's name must be visible and within the folder",
        arguments: [
            ("a", true), (".a", false), ("a.b", true), (String(repeating: "a", count: 255), true),
            (String(repeating: "a", count: 256), false), ("a b", false), ("!", true), ("a\u{7F}", false), ("é", true),
        ])
    func names(_ name: String, _ isPlain: Bool) { #expect(HARAttachments.isPlain(name) == isPlain) }

    @Test(
        "The reader reads spans in milliseconds and clamps negative and absurd values",
        arguments: [
            ("1.5", 1_500_000), ("-1", 0), ("0", 0), ("1e300", HARTime.longest), ("999999999999", HARTime.longest),
            ("315359999999", 315_359_999_999_000_000),
        ] as [(String, Int64)])
    func spans(_ text: String, _ expected: Int64) throws { #expect(HARTime.span(try number(text)) == expected) }
}
