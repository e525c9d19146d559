import HTTPTypes
import Testing

@testable import Faults

/// The answer to a `GET`: 13 bytes of JSON, byte for byte.
private let plainHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 13\r\n\r\n"
private let plainBody = #"{"a":[1,2,3]}"#

@Suite("Response faults")
struct ResponseFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let faults: [ResponseFault]
        let bytes: String
        let marks: [Transmission.Mark]
        /// What a client reads from the bytes if the stream ends after them.
        let seen: String

        /// Unless the case says otherwise, the client gets the whole plain answer.
        init(
            _ name: String, _ faults: ResponseFault..., bytes: String = plainHead + plainBody,
            marks: [Transmission.Mark] = [], seen: String = "200 \(plainBody)"
        ) { (testDescription, self.faults, self.bytes, self.marks, self.seen) = (name, faults, bytes, marks, seen) }
    }

    private static func head(length: Int, type: String? = "application/json; charset=utf-8") -> String {
        "HTTP/1.1 200 OK\r\n" + (type.map { "Content-Type: \($0)\r\n" } ?? "") + "Content-Length: \(length)\r\n\r\n"
    }

    private static let nothing =
        " error: The stream ended before a response arrived. Send the whole message before closing the connection."
    private static let headCut =
        " error: The stream ended in the middle of a response's head. Send the whole message before closing "
        + "the connection."
    private static let tooShort =
        " error: The stream ended in the middle of a body. Send the whole message before closing the connection."

    private static let badSize =
        #" error: The chunk-size line is "no-number". Expected only the number of bytes in hexadecimal digits."#
    private static let chunkedHead =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let cases: [Case] = [
        Case("nothing"),
        Case("delay", .delay(2 * second), marks: [.init(0, .wait(2 * second))]),
        Case("two delays", .delay(1), .delay(2), marks: [.init(0, .wait(1)), .init(0, .wait(2))]),
        Case("dribble", .dribble(bytes: 40, every: 7), marks: [.init(40, .wait(7)), .init(80, .wait(7))]),
        Case(
            "dribble in pieces of exactly the rest", .dribble(bytes: 33, every: 7),
            marks: [.init(33, .wait(7)), .init(66, .wait(7))]),
        Case("dribble in one piece", .dribble(bytes: 99, every: 7)),
        Case(
            "truncate after nothing", .truncate(after: 0), bytes: plainHead, marks: [.init(86, .finish)],
            seen: "200 " + tooShort),
        Case(
            "truncate", .truncate(after: 5), bytes: plainHead + #"{"a":"#, marks: [.init(91, .finish)],
            seen: #"200 {"a":"# + tooShort),
        Case("truncate beyond the body", .truncate(after: 14), marks: [.init(99, .finish)]),
        Case(
            "too large a length", .contentLength(off: 10), bytes: head(length: 23) + plainBody,
            seen: "200 \(plainBody)" + tooShort),
        Case(
            "too small a length", .contentLength(off: -3), bytes: head(length: 10) + plainBody,
            seen: "200 \(plainBody.prefix(10))"),
        Case("a length below zero", .contentLength(off: -14), bytes: head(length: 0) + plainBody, seen: "200 "),
        Case("malformed JSON", .malformedJSON, bytes: head(length: 12) + #"{"a":[1,2,3]"#, seen: #"200 {"a":[1,2,3]"#),
        Case(
            "malformed JSON, twice, and off", .malformedJSON, .contentLength(off: 1), .malformedJSON,
            bytes: head(length: 12) + #"{"a":[1,2,3"#, seen: #"200 {"a":[1,2,3"# + tooShort),
        Case(
            "malformed chunking", .malformedChunking,
            bytes: chunkedHead + "7\r\n{\"a\":[1\r\nno-number\r\n,2,3]}\r\n0\r\n\r\n", seen: #"200 {"a":[1"# + badSize),
        Case(
            "malformed chunking of an even number of bytes", .malformedJSON, .malformedChunking,
            bytes: chunkedHead + "6\r\n{\"a\":[\r\nno-number\r\n1,2,3]\r\n0\r\n\r\n", seen: #"200 {"a":["# + badSize),
        Case("empty reply", .emptyReply, bytes: "", marks: [.init(0, .finish)], seen: nothing),
        Case("reset at once", .reset(after: 0), bytes: "", marks: [.init(0, .reset)], seen: nothing),
        Case("reset in the head", .reset(after: 8), bytes: "HTTP/1.1", marks: [.init(8, .reset)], seen: headCut),
        Case("reset beyond the end", .reset(after: 1000), marks: [.init(99, .reset)]),
        Case("hang", .hang, bytes: "", marks: [.init(0, .silence)], seen: nothing),
        Case(
            "another Content-Type", .contentType("application/json"),
            bytes: head(length: 13, type: "application/json") + plainBody),
        Case(
            "a Content-Type that would end the line", .contentType("a\r\nb: c"),
            bytes: head(length: 13, type: "a  b: c") + plainBody),
        Case("no Content-Type", .contentType(nil), bytes: head(length: 13, type: nil) + plainBody),
        Case(
            "delay before the end", .reset(after: 0), .delay(5), bytes: "",
            marks: [.init(0, .wait(5)), .init(0, .reset)], seen: nothing),
        Case(
            "the earliest end counts, and waits behind it are gone", .truncate(after: 3), .reset(after: 50),
            .dribble(bytes: 20, every: 1), bytes: String(plainHead.unicodeScalars.prefix(50)),
            marks: [.init(20, .wait(1)), .init(40, .wait(1)), .init(50, .reset)], seen: headCut),
        Case(
            "of two ends at a place the first counts", .hang, .emptyReply, bytes: "", marks: [.init(0, .silence)],
            seen: nothing),
    ]

    @Test("Each fault writes exact bytes and has the expected effect on a client", arguments: cases)
    func apply(example: Case) throws {
        let response = try encode(body: plainBody)
        #expect(response.bytes == bytes(plainHead + plainBody))
        let transmission = response.apply(example.faults, seed: 1)
        #expect(text(transmission.bytes) == example.bytes)
        #expect(transmission.marks == example.marks)
        #expect(readResponse(transmission.bytes) == example.seen)
    }

    static let needingBody: [ResponseFault] = [
        .malformedJSON, .nanosecondTimestamps, .truncate(after: 0), .contentLength(off: 5), .contentLength(off: -5),
        .malformedChunking,
    ]

    @Test("Faults that need a body do not change a response without a body", arguments: needingBody)
    func withoutBody(fault: ResponseFault) throws {
        for response in [
            try encode(body: plainBody, method: .head), try encode(.noContent, body: ""),
            try encode(.notModified, body: ""),
        ] {
            #expect(!response.expectsBody)
            #expect(response.apply([fault], seed: 1) == Transmission(response.bytes))
        }
    }

    @Test("Wire faults also apply to a response without a body")
    func wireWithoutBody() throws {
        let none = try encode(.noContent, body: "", fields: [:])
        #expect(none.apply([.delay(3)], seed: 1) == Transmission(none.bytes, marks: [.init(0, .wait(3))]))
        #expect(none.apply([.reset(after: 4)], seed: 1) == Transmission(bytes("HTTP"), marks: [.init(4, .reset)]))
        // The response has no content whose type could be changed.
        #expect(none.apply([.contentType("text/html")], seed: 1) == Transmission(none.bytes))
        let head = try encode(body: plainBody, method: .head)
        #expect(
            text(head.apply([.contentType("text/html")], seed: 1).bytes)
                == "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n")
    }

    @Test("A content type fault adds the type to a response without a content type")
    func newContentType() {
        let response = EncodedResponse(
            head: bytes("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n"), body: bytes(plainBody))
        #expect(
            text(response.apply([.contentType("text/html")], seed: 1).bytes)
                == "HTTP/1.1 200 OK\r\nContent-Length: 13\r\nContent-Type: text/html\r\n\r\n" + plainBody)
        #expect(response.apply([.contentType(nil)], seed: 1) == Transmission(response.bytes))
    }

    @Test("An empty body cannot be truncated")
    func emptyBody() throws {
        let response = try encode(body: "")
        #expect(response.expectsBody)
        for fault in Self.needingBody where fault != .contentLength(off: 5) {
            #expect(response.apply([fault], seed: 1) == Transmission(response.bytes))
        }
        #expect(text(response.apply([.contentLength(off: 5)], seed: 1).bytes) == Self.head(length: 5))
    }

    private static let ones = [UInt8](repeating: 1, count: 19)
    private static let plain = "Content-Length: 19\r\n"
    private static let gzip = "Content-Encoding: gzip\r\nContent-Length: 19\r\n"

    private static func changed(to byte: UInt8, at place: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 1, count: 19)
        bytes[place] = byte
        return bytes
    }

    static let compressions: [(CompressionFault, fields: String, body: [UInt8])] = [
        (.undeclared, plain, ones), (.declined, gzip, ones),
        (.truncated, "Content-Encoding: gzip\r\nContent-Length: 10\r\n", Array(ones.prefix(10))),
        (.corrupt, gzip, changed(to: 7, at: 10)), (.wrongLength, gzip, changed(to: 0xFE, at: 18)),
    ]

    @Test("Each compression fault damages only compressed responses that are long enough", arguments: compressions)
    func compression(fault: CompressionFault, fields: String, body: [UInt8]) {
        func response(_ fields: String, _ body: [UInt8]) -> EncodedResponse {
            EncodedResponse(head: bytes("HTTP/1.1 200 OK\r\n\(fields)\r\n"), body: body)
        }
        let long = response(Self.gzip, Self.ones)
        #expect(long.apply([.compression(fault)], seed: 1) == Transmission(response(fields, body).bytes))
        let short = response("Content-Encoding: gzip\r\nContent-Length: 18\r\n", Array(Self.ones.prefix(18)))
        for other in [short, response(Self.plain, Self.ones)] {
            #expect(other.apply([.compression(fault)], seed: 1) == Transmission(other.bytes))
        }
    }

    @Test("Each response fault declares whether it changes the text or breaks the framing")
    func kinds() {
        let faults: [ResponseFault] = [
            .malformedJSON, .nanosecondTimestamps, .malformedChunking, .contentLength(off: 1), .contentLength(off: 0),
            .truncate(after: 1), .hang,
        ]
        #expect(faults.filter(\.changesText) == [.malformedJSON, .nanosecondTimestamps])
        #expect(faults.filter(\.breaksFraming) == [.malformedChunking, .contentLength(off: 1)])
    }

    @Test("A response head without a status counts as having a body")
    func shortHead() {
        #expect(EncodedResponse(head: bytes("HTTP/1.1\r\n"), body: []).expectsBody)
        #expect(!EncodedResponse(head: bytes("HTTP/1.1 204"), body: []).expectsBody)
    }

    @Test("The malformed JSON fault also breaks JSON with a trailing newline")
    func trailingNewline() throws {
        let response = try encode(body: "{}\r\n \t")
        #expect(text(response.apply([.malformedJSON], seed: 1).bytes) == Self.head(length: 1) + "{")
    }

    @Test("The malformed chunking fault works on a body of one byte")
    func shortChunks() throws {
        let out = try encode(body: "1").apply([.malformedChunking, .truncate(after: 4)], seed: 1)
        #expect(text(out.bytes).hasSuffix("\r\n\r\n1\r\n1"))
        #expect(out.marks == [.init(out.bytes.count, .finish)])
    }

    @Test("Out-of-range fault values are clamped")
    func extremes() throws {
        let response = try encode(body: plainBody)
        #expect(response.apply([.delay(-5)], seed: 1).marks == [.init(0, .wait(0))])
        #expect(response.apply([.delay(.max)], seed: 1).marks == [.init(0, .wait(FaultLimits.longestWait))])
        #expect(response.apply([.dribble(bytes: .min, every: 0)], seed: 1).marks.count == 98)
        #expect(response.apply([.dribble(bytes: .max, every: 0)], seed: 1).marks == [])
        #expect(response.apply([.truncate(after: .max)], seed: 1).marks == [.init(99, .finish)])
        #expect(response.apply([.truncate(after: .min)], seed: 1).marks == [.init(86, .finish)])
        #expect(response.apply([.reset(after: .min)], seed: 1).marks == [.init(0, .reset)])
        let huge = response.apply([.contentLength(off: .max), .contentLength(off: .max)], seed: 1)
        #expect(text(huge.bytes) == Self.head(length: 13 + FaultLimits.contentLengthError) + plainBody)
        #expect(
            text(response.apply([.contentLength(off: .min), .contentLength(off: .min)], seed: 1).bytes)
                == Self.head(length: 0) + plainBody)
    }

    @Test("A dribble sends the rest in one piece after the maximum number of pieces")
    func pieces() throws {
        let response = EncodedResponse(
            head: bytes("HTTP/1.1 200 OK\r\n\r\n"), body: [UInt8](repeating: 0x61, count: FaultLimits.pieces))
        let out = response.apply([.dribble(bytes: 1, every: 1)], seed: 1)
        #expect(out.marks.count == FaultLimits.pieces - 1)
        #expect((out.marks.last, out.bytes) == (.init(FaultLimits.pieces - 1, .wait(1)), response.bytes))
        let edge = EncodedResponse(head: response.head, body: Array(response.body.dropLast(response.head.count)))
        #expect(edge.apply([.dribble(bytes: 1, every: 1)], seed: 1).marks.count == FaultLimits.pieces - 1)
        let below = EncodedResponse(head: response.head, body: Array(edge.body.dropLast()))
        #expect(below.apply([.dribble(bytes: 1, every: 1)], seed: 1).marks.count == FaultLimits.pieces - 2)
    }

    @Test("A header field is found at any position, regardless of case")
    func fields() {
        var response = EncodedResponse(
            bytes(
                "HTTP/1.1 200 content-type: x\r\nCONTENT-TYPE:a\r\nX-Content-Type: b\r\ncontent-type:  c  \r\nZ: d\r\n\r\nrest"
            ))
        #expect(text(response.body) == "rest" && response.expectsBody)
        #expect(response.value(of: "Content-Type") == "a")
        #expect(response.value(of: "HTTP/1.1 200 content-type") == nil, "The status line is no field.")
        response.setValue("n", of: "Content-Type")
        #expect(
            text(response.head)
                == "HTTP/1.1 200 content-type: x\r\nContent-Type: n\r\nX-Content-Type: b\r\nZ: d\r\n\r\n")
        response.setValue("new", of: "New")
        response.setValue(nil, of: "z")
        response.setValue(nil, of: "none")
        #expect(
            text(response.head)
                == "HTTP/1.1 200 content-type: x\r\nContent-Type: n\r\nX-Content-Type: b\r\nNew: new\r\n\r\n")
        response.setValue(" \t a b\t ", of: "New")
        #expect(response.value(of: "New") == "a b")
    }

    @Test("A response head without a blank line traps")
    func misuse() async {
        await #expect(processExitsWith: .failure) { _ = EncodedResponse(Array("HTTP/1.1 200 OK\r\n".utf8)) }
    }
}
