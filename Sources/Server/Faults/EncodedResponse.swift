import HTTPTypes

/// A response as it was encoded: status line and field lines up to and with the blank line, and the body.
///
/// Faults change its bytes. It is one whole message whose body is framed by Content-Length, or has none (RFC 9112 §6.3).
public struct EncodedResponse: Sendable, Equatable {
    /// The status line, the field lines and the blank line.
    public var head: [UInt8]
    /// What follows.
    public var body: [UInt8]
    /// Whether the client expects a body, if only an empty one.
    ///
    /// Not after HEAD, nor with 1xx, 204 and 304 (RFC 9112 §6.3).
    public let expectsBody: Bool

    /// Takes the head and the body of the answer to HEAD, or to another method.
    public init(head: [UInt8], body: [UInt8], isAnswerToHead: Bool = false) {
        self.head = head
        self.body = body
        expectsBody = !isAnswerToHead && Self.allowsBody(head)
    }

    /// Takes a response as it stands on the wire.
    ///
    /// - Precondition: there is a blank line; its head is whole.
    public init(_ bytes: [UInt8], isAnswerToHead: Bool = false) {
        var end = 3
        while end < bytes.count, !(bytes[end] == 0x0A && bytes[end - 2] == 0x0A) { end += 1 }
        precondition(end < bytes.count, Misuse.noHead)
        self.init(
            head: Array(bytes[...end]), body: Array(bytes[(end + 1)...]), isAnswerToHead: isAnswerToHead)
    }

    /// Head and body.
    public var bytes: [UInt8] { head + body }

    /// Judges the status line, `HTTP/1.1 204 No Content`.
    private static func allowsBody(_ head: [UInt8]) -> Bool {
        guard head.count >= 12 else { return true }
        let code = head[9..<12]
        return head[9] != UInt8(ascii: "1") && !code.elementsEqual("204".utf8) && !code.elementsEqual("304".utf8)
    }
}

extension EncodedResponse {
    /// What follows the first field line of this name, without space around it; the name in any case.
    func value(of name: String) -> String? {
        guard let line = lines(named: name).first else { return nil }
        let value = head[(line.lowerBound + name.utf8.count + 1)..<line.upperBound]
        return String(
            decoding: value.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
    }

    /// Gives the field another value, at the place where it stands, or at the end; nil takes it out.
    ///
    /// `name` is written as given.
    mutating func setValue(_ value: String?, of name: String) {
        let found = lines(named: name)
        for line in found.dropFirst().reversed() { head.removeSubrange(line) }
        let place = found.first ?? (head.count - 2)..<(head.count - 2)
        head.replaceSubrange(place, with: value.map { Array("\(name): \($0)\r\n".utf8) } ?? [])
    }

    /// Where the field lines of this name stand, CRLF included.
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
    /// What becomes of the response.
    ///
    /// What changes the content comes first, then chunking, then what changes the wire; within each the order is the
    /// given one. Content-Length follows the body, and is off by the sum of all errors. Faults that need a body leave a
    /// response without one as it is; an empty body is none, save that Content-Length can announce too much of it.
    /// Replacements and quotas are not looked at: they decide which response is encoded.
    ///
    /// `seed` decides the digits of times (``NanosecondTimestamps``).
    public func apply(_ faults: [ResponseFault], seed: UInt64) -> Transmission {
        var response = self
        for fault in faults { response.applyToContent(fault, seed: seed) }
        if expectsBody, response.body.count != body.count { response.setContentLength(response.body.count) }
        response.falsifyLength(faults)
        if faults.contains(.malformedChunking) { response.breakChunking() }
        var wire = WireFaults(count: response.head.count + response.body.count)
        for fault in faults { wire.add(fault, headCount: response.head.count) }
        return wire.transmission(of: response.bytes)
    }

    private mutating func applyToContent(_ fault: ResponseFault, seed: UInt64) {
        switch fault {
        case .malformedJSON where expectsBody:
            // A newline at the end is no part of the text: without it alone the text would still be JSON.
            while body.last?.isJSONWhitespace == true { body.removeLast() }
            _ = body.popLast()
        case .nanosecondTimestamps where expectsBody:
            body = NanosecondTimestamps.rewrite(body, seed: seed)
        case .contentType(let value):
            // Answers to HEAD have the fields that GET would have (RFC 9110 §9.3.2); a 204 has no content to tell of.
            guard value == nil || expectsBody || self.value(of: "Content-Type") != nil else { return }
            setValue(value.map { HTTPField(name: .contentType, value: $0).value }, of: "Content-Type")
        default:
            break
        }
    }

    private mutating func falsifyLength(_ faults: [ResponseFault]) {
        guard expectsBody else { return }
        let limit = FaultLimits.contentLengthError
        var error = 0
        for case .contentLength(let off) in faults {
            error = min(max(error + min(max(off, -limit), limit), -limit), limit)
        }
        if error != 0 { setContentLength(max(body.count + error, 0)) }
    }

    private mutating func setContentLength(_ length: Int) {
        setValue(String(length), of: "Content-Length")
    }

    /// Frames the body in chunks of which the second has no size (RFC 9112 §7.1).
    ///
    /// The first holds one half of the body; what stands where the second's size should be is ``badChunkSize``.
    private mutating func breakChunking() {
        guard expectsBody, !body.isEmpty else { return }
        setValue(nil, of: "Content-Length")
        setValue("chunked", of: "Transfer-Encoding")
        let half = (body.count + 1) / 2
        body =
            Array("\(String(half, radix: 16))\r\n".utf8) + body[..<half]
            + Array("\r\n\(Self.badChunkSize)\r\n".utf8) + body[half...] + Array("\r\n0\r\n\r\n".utf8)
    }

    /// Stands where the size of a chunk should be, and begins with no hexadecimal digit.
    static let badChunkSize = "no-number"
}
