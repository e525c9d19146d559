import HTTPTypes
import WebSocket

/// An encoded response: the status line and the field lines including the blank line, and the body.
///
/// Faults change its bytes. It is one whole message, with no body or with a body framed by Content-Length (RFC 9112
/// §6.3).
public struct EncodedResponse: Sendable, Equatable {
    public var head: [UInt8]
    public var body: [UInt8]
    /// Whether the client expects a body, even an empty one; false after HEAD, and for 1xx, 204 and 304 (RFC 9112
    /// §6.3).
    public let expectsBody: Bool

    /// Creates a response to HEAD or to another method from its head and body.
    public init(head: [UInt8], body: [UInt8], isAnswerToHead: Bool = false) {
        self.head = head
        self.body = body
        expectsBody = !isAnswerToHead && Self.allowsBody(head)
    }

    /// Parses a response as encoded on the wire.
    ///
    /// - Precondition: The head is complete, including the blank line.
    public init(_ bytes: [UInt8], isAnswerToHead: Bool = false) {
        var end = 3
        while end < bytes.count, !(bytes[end] == 0x0A && bytes[end - 2] == 0x0A) { end += 1 }
        precondition(end < bytes.count, Misuse.noHead)
        self.init(head: Array(bytes[...end]), body: Array(bytes[(end + 1)...]), isAnswerToHead: isAnswerToHead)
    }

    public var bytes: [UInt8] { head + body }

    /// Reads the status line, such as `HTTP/1.1 204 No Content`.
    private static func allowsBody(_ head: [UInt8]) -> Bool {
        guard head.count >= 12 else { return true }
        let code = head[9..<12]
        return head[9] != UInt8(ascii: "1") && !code.elementsEqual("204".utf8) && !code.elementsEqual("304".utf8)
    }
}

extension EncodedResponse {
    /// The value of the first field with this name, in any case, without surrounding white space.
    func value(of name: String) -> String? {
        guard let line = lines(named: name).first else { return nil }
        let value = head[(line.lowerBound + name.utf8.count + 1)..<line.upperBound]
        return String(decoding: value.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
    }

    /// Sets a field in its place or appends it; nil removes it.
    ///
    /// `name` is written as given.
    mutating func setValue(_ value: String?, of name: String) {
        let found = lines(named: name)
        for line in found.dropFirst().reversed() { head.removeSubrange(line) }
        let place = found.first ?? (head.count - 2)..<(head.count - 2)
        head.replaceSubrange(place, with: value.map { Array("\(name): \($0)\r\n".utf8) } ?? [])
    }

    /// The ranges of the field lines with this name, including CRLF.
    private func lines(named name: String) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        for end in head.indices where head[end] == 0x0A {
            if start > 0, isLine(head[start..<end], named: name) { found.append(start..<end + 1) }
            start = end + 1
        }
        return found
    }

    private func isLine(_ line: ArraySlice<UInt8>, named name: String) -> Bool {
        let name = name.utf8
        guard line.count > name.count, line[line.startIndex + name.count] == UInt8(ascii: ":") else { return false }
        return zip(line, name).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension EncodedResponse {
    /// Applies faults to the response.
    ///
    /// Changes of the content come first, then chunking, then changes on the wire, each in the given order.
    /// Content-Length follows the body, and is off by the sum of all errors. Faults that need a body do not change a
    /// response without one. An empty body counts as none, except that Content-Length can announce too much of it.
    /// Replacements and quotas are ignored: they decide which response is encoded.
    ///
    /// `seed` decides the digits of times (``NanosecondTimestamps``).
    public func apply(_ faults: [ResponseFault], seed: UInt64) -> Transmission {
        var response = self
        for fault in faults { response.applyToContent(fault, seed: seed) }
        if expectsBody, response.body.count != body.count { response.setContentLength(response.body.count) }
        response.falsifyLength(faults)
        if faults.contains(.wrongAccept) { response.falsifyAccept() }
        if faults.contains(.malformedChunking) { response.breakChunking() }
        var wire = WireFaults(count: response.head.count + response.body.count)
        for fault in faults { wire.add(fault, headCount: response.head.count) }
        return wire.transmission(of: response.bytes)
    }

    private mutating func applyToContent(_ fault: ResponseFault, seed: UInt64) {
        switch fault {
        case .malformedJSON where expectsBody:
            // A newline at the end is not part of the text: without it alone the text would still be valid JSON.
            while body.last?.isJSONWhitespace == true { body.removeLast() }
            _ = body.popLast()
        case .nanosecondTimestamps where expectsBody: body = NanosecondTimestamps.rewrite(body, seed: seed)
        case .compression(let fault) where value(of: "Content-Encoding") == "gzip" && body.count > 18:
            switch fault {
            case .undeclared: setValue(nil, of: "Content-Encoding")
            case .truncated: body.removeLast(body.count / 2)
            // After the ten bytes of gzip's header.
            case .corrupt: body[10] = 0b111
            case .wrongLength: body[body.count - 1] ^= 0xFF
            default: break
            }
        case .contentType(let value):
            // Responses to HEAD have the fields of GET (RFC 9110 §9.3.2); a 204 has no content to describe.
            guard value == nil || expectsBody || self.value(of: "Content-Type") != nil else { return }
            setValue(value.map { HTTPField(name: .contentType, value: $0).value }, of: "Content-Type")
        default: break
        }
    }

    /// Replaces the accept of a handshake: the client must fail a connection with one that does not belong to its key
    /// (RFC 6455 §4.1).
    private mutating func falsifyAccept() {
        let field = "Sec-WebSocket-Accept"
        guard let right = value(of: field) else { return }
        setValue(Self.otherKeys.lazy.map(ServerHandshake.accept).first { $0 != right }, of: field)
    }

    /// Two keys, because a client might use the first, which is the example of RFC 6455 §1.3.
    private static let otherKeys = ["dGhlIHNhbXBsZSBub25jZQ==", "AAAAAAAAAAAAAAAAAAAAAA=="]

    private mutating func falsifyLength(_ faults: [ResponseFault]) {
        guard expectsBody else { return }
        let limit = FaultLimits.contentLengthError
        var error = 0
        for case .contentLength(let off) in faults {
            error = min(max(error + min(max(off, -limit), limit), -limit), limit)
        }
        if error != 0 { setContentLength(max(body.count + error, 0)) }
    }

    private mutating func setContentLength(_ length: Int) { setValue(String(length), of: "Content-Length") }

    /// Frames the body in two chunks, the second without a size (RFC 9112 §7.1).
    ///
    /// The first holds half of the body; ``badChunkSize`` replaces the size of the second.
    private mutating func breakChunking() {
        guard expectsBody, !body.isEmpty else { return }
        setValue(nil, of: "Content-Length")
        setValue("chunked", of: "Transfer-Encoding")
        let half = (body.count + 1) / 2
        body =
            Array("\(String(half, radix: 16))\r\n".utf8) + body[..<half] + Array("\r\n\(Self.badChunkSize)\r\n".utf8)
            + body[half...] + Array("\r\n0\r\n\r\n".utf8)
    }

    /// Replaces the size of a chunk; does not begin with a hexadecimal digit.
    static let badChunkSize = "no-number"
}
