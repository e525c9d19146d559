import HTTPTypes

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
