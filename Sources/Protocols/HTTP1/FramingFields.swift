import Text

/// The values of the fields that control the connection, collected during parsing.
struct FramingFields: Sendable {
    private(set) var hostCount = 0
    private(set) var contentLength: Int?
    private(set) var hasTransferEncoding = false
    private(set) var closes = false
    private(set) var keepsAlive = false
    private(set) var namesUpgrade = false
    private(set) var hasUpgrade = false
    private(set) var expectsContinue = false
    private var unknownExpectation: ByteRange?
    private var codings = 0
    private var chunkedCodings = 0
    private var lastCodingIsChunked = false
    private var unknownCoding: ByteRange?
    var wantsUpgrade: Bool { namesUpgrade && hasUpgrade }

    /// Evaluates a field line.
    ///
    /// The name's length rules out nearly all lines before any comparison.
    @inline(__always)
    mutating func note(_ line: FieldLine, _ bytes: Bytes) throws(RemoteError) {
        switch line.name.count {
        case 4 where bytes.equalsIgnoringCase(line.name, "host"): try noteHost(line.value, bytes)
        case 6 where bytes.equalsIgnoringCase(line.name, "expect"): noteExpect(line.value, bytes)
        case 7 where bytes.equalsIgnoringCase(line.name, "upgrade"): hasUpgrade = hasUpgrade || !line.value.isEmpty
        case 10 where bytes.equalsIgnoringCase(line.name, "connection"): noteConnection(line.value, bytes)
        case 14 where bytes.equalsIgnoringCase(line.name, "content-length"): try noteLength(line.value, bytes)
        case 17 where bytes.equalsIgnoringCase(line.name, "transfer-encoding"): noteCoding(line.value, bytes)
        default: break
        }
    }

    /// Host = uri-host [ ":" port ] (RFC 9110 §7.2).
    ///
    /// An empty value is allowed, because a target URI may have no authority.
    private mutating func noteHost(_ value: ByteRange, _ bytes: Bytes) throws(RemoteError) {
        hostCount += 1
        guard hostCount == 1 else { throw .severalHosts(Excerpt(target: value, in: bytes)) }
        guard Authority.isValid(bytes, value, needsHost: false, needsPort: false) else {
            throw .badHost(Excerpt(target: value, in: bytes))
        }
    }

    /// Expect = #expectation; the only defined expectation is 100-continue (RFC 9110 §10.1.1).
    private mutating func noteExpect(_ value: ByteRange, _ bytes: Bytes) {
        for element in ListElements(bytes, value) where !element.isEmpty {
            let isKnown = bytes.equalsIgnoringCase(element, "100-continue")
            if isKnown { expectsContinue = true } else if unknownExpectation == nil { unknownExpectation = element }
        }
    }

    /// Connection = #connection-option, case-insensitive (RFC 9110 §7.6.1).
    private mutating func noteConnection(_ value: ByteRange, _ bytes: Bytes) {
        for element in ListElements(bytes, value) {
            if bytes.equalsIgnoringCase(element, "close") { closes = true }
            if bytes.equalsIgnoringCase(element, "keep-alive") { keepsAlive = true }
            if bytes.equalsIgnoringCase(element, "upgrade") { namesUpgrade = true }
        }
    }

    /// Content-Length = 1*DIGIT; a list of identical values may count as one (RFC 9110 §8.6).
    private mutating func noteLength(_ value: ByteRange, _ bytes: Bytes) throws(RemoteError) {
        for element in ListElements(bytes, value) {
            guard let length = Self.decimal(bytes, element) else { throw .badContentLength(Excerpt(bytes, value)) }
            if let earlier = contentLength, earlier != length {
                throw .differingContentLengths(earlier, Excerpt(bytes, value))
            }
            contentLength = length
        }
    }

    /// The value of 1*DIGIT; `Int.max` if it does not fit, which exceeds every limit.
    private static func decimal(_ bytes: Bytes, _ range: ByteRange) -> Int? {
        guard !range.isEmpty else { return nil }
        var value = 0
        for index in range.lower..<range.upper {
            guard bytes[index].isDigit else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(bytes[index] &- 0x30))
            value = overflow || carry ? .max : sum
        }
        return value
    }

    /// Transfer-Encoding = #transfer-coding (RFC 9112 §6.1); checked once the head is complete.
    private mutating func noteCoding(_ value: ByteRange, _ bytes: Bytes) {
        hasTransferEncoding = true
        for element in ListElements(bytes, value) where !element.isEmpty {
            codings += 1
            lastCodingIsChunked = bytes.equalsIgnoringCase(element, "chunked")
            if lastCodingIsChunked { chunkedCodings += 1 } else if unknownCoding == nil { unknownCoding = element }
        }
    }

    /// Whether the body is chunked, after validating Transfer-Encoding.
    func checkTransferEncoding(_ version: Version, _ bytes: Bytes) throws(RemoteError) -> Bool {
        guard hasTransferEncoding else { return false }
        // "A server MAY reject a request that contains both Content-Length and Transfer-Encoding" (RFC 9112 §6.3).
        if contentLength != nil { throw .lengthWithTransferEncoding }
        // "MUST treat the message as if the framing is faulty" (RFC 9112 §6.1).
        if version == .http10 { throw .transferEncodingInHTTP10 }
        // "A sender MUST NOT apply the chunked transfer coding more than once"; without a final chunked coding the
        // request's length is unknown: "the server MUST respond with the 400 status code" (RFC 9112 §6.1, §6.3).
        if codings == 0 { throw .emptyTransferEncoding }
        if chunkedCodings > 1 { throw .chunkedTwice }
        if chunkedCodings == 1 && !lastCodingIsChunked { throw .chunkedNotLast }
        // "A server that receives a request message with a transfer coding it does not understand SHOULD respond with
        // 501" (RFC 9112 §6.1).
        if let unknownCoding { throw .unknownTransferCoding(Excerpt(bytes, unknownCoding)) }
        return true
    }

    /// "A server that receives an Expect field value containing a member other than 100-continue MAY respond with a
    /// 417" (RFC 9110 §10.1.1).
    func checkExpectation(_ bytes: Bytes) throws(RemoteError) {
        if let unknownExpectation { throw .unknownExpectation(Excerpt(bytes, unknownExpectation)) }
    }

    /// Whether the sender of this message allows the connection to persist after it (RFC 9112 §9.3).
    func persists(_ version: Version) -> Bool { !closes && (version == .http11 || keepsAlive) }
}

/// The positions of the name and the value of one field line.
///
/// field-line = field-name ":" OWS field-value OWS (RFC 9112 §5)
struct FieldLine: Sendable, Equatable {
    var name: ByteRange
    var value: ByteRange

    /// Parses a non-empty line without its CRLF.
    static func parse(_ bytes: Bytes, _ line: ByteRange) throws(RemoteError) -> FieldLine {
        let start = line.lower
        let end = line.upper
        // obs-fold = OWS CRLF RWS; "a server that receives an obs-fold … MUST either reject the message … or replace"
        // it (RFC 9112 §5.2). Reject it: requests can be smuggled if only one of two recipients unfolds.
        if bytes[start].isWhitespace { throw .foldedLine(Excerpt(bytes, line)) }

        var index = start
        while index < end, bytes[index].isTokenCharacter { index += 1 }
        guard index < end, bytes[index] == .colon, index > start else { throw nameError(bytes, line, index) }
        let name = ByteRange(start, index)
        let value = bytes.trimmingWhitespace(ByteRange(index + 1, end))
        if !bytes[value].hasNone({ $0.less(than: 0x20) | $0.equal(to: 0x7f) }) { try checkValue(bytes, line, value) }
        return FieldLine(name: name, value: value)
    }

    /// "No whitespace is allowed between the field name and colon … A server MUST reject" (RFC 9112 §5.1).
    private static func nameError(_ bytes: Bytes, _ line: ByteRange, _ stop: Int) -> RemoteError {
        let excerpt = Excerpt(bytes, line)
        var index = stop
        while index < line.upper, bytes[index].isWhitespace { index += 1 }
        if index < line.upper, bytes[index] == .colon {
            return index > stop ? .whitespaceBeforeColon(excerpt) : .emptyFieldName(excerpt)
        }
        for position in line.lower..<line.upper where bytes[position] == .colon {
            return .badFieldName(bytes[stop], excerpt)
        }
        return .fieldWithoutColon(excerpt)
    }

    /// Rejects control characters other than tabs.
    private static func checkValue(_ bytes: Bytes, _ line: ByteRange, _ value: ByteRange) throws(RemoteError) {
        for position in value.lower..<value.upper where !bytes[position].isFieldValueCharacter {
            // "A recipient of such a bare CR MUST consider that element to be invalid" (RFC 9112 §2.2).
            if bytes[position] == .carriageReturn { throw .bareCarriageReturn(Excerpt(bytes, line)) }
            throw .controlCharacterInValue(bytes[position], Excerpt(bytes, line))
        }
    }
}
