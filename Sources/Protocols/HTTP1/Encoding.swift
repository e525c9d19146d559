import HTTPTypes
import Text

extension StatusLine {
    /// Appends the status line of a response; the lines of common statuses are encoded once.
    ///
    /// The version is always HTTP/1.1: a server sends the highest version it conforms to (RFC 9110 §6.2).
    static func append(_ status: HTTPResponse.Status, to out: inout [UInt8]) {
        let index = status.code - 100
        guard index < encoded.count, let line = encoded[index], line.reason == status.reasonPhrase else {
            return out.append(contentsOf: encode(status))
        }
        out.append(contentsOf: line.bytes)
    }

    private static let encoded: [(reason: String, bytes: [UInt8])?] = {
        var lines: [(reason: String, bytes: [UInt8])?] = Array(repeating: nil, count: 412)
        for status in common { lines[status.code - 100] = (status.reasonPhrase, encode(status)) }
        return lines
    }()

    private static let common: [HTTPResponse.Status] = [
        .continue, .switchingProtocols, .ok, .created, .accepted, .noContent, .notModified, .badRequest, .unauthorized,
        .forbidden, .notFound, .methodNotAllowed, .requestTimeout, .conflict, .contentTooLarge, .uriTooLong,
        .unsupportedMediaType, .upgradeRequired, .tooManyRequests, .requestHeaderFieldsTooLarge, .internalServerError,
        .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout, .httpVersionNotSupported,
    ]

    private static func encode(_ status: HTTPResponse.Status) -> [UInt8] {
        Array("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n".utf8)
    }
}

/// The properties of outgoing fields that control the connection.
struct FieldFacts {
    private(set) var hasHost = false
    private(set) var hasUpgrade = false
    private(set) var closes = false
    private(set) var namesUpgrade = false

    init(_ fields: HTTPFields) {
        for field in fields {
            switch field.name.canonicalName {
            case "host": hasHost = true
            case "upgrade": hasUpgrade = true
            case "connection":
                let value = Array(field.value.utf8)
                value.withUnsafeBufferPointer { bytes in
                    for element in ListElements(bytes, ByteRange(0, bytes.count)) {
                        if bytes.equalsIgnoringCase(element, "close") { closes = true }
                        if bytes.equalsIgnoringCase(element, "upgrade") { namesUpgrade = true }
                    }
                }
            default: break
            }
        }
    }
}

extension [UInt8] {
    mutating func append(literal: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    mutating func appendLineEnd() { append(literal: "\r\n") }

    /// Appends field lines, except lines that the connection writes itself.
    mutating func append(_ fields: HTTPFields, _ facts: FieldFacts, includingConnection: Bool = false) {
        for field in fields {
            switch field.name.canonicalName {
            case "content-length", "transfer-encoding": continue
            case "connection" where !includingConnection: continue
            default: break
            }
            append(contentsOf: field.name.rawName.utf8)
            append(literal: ": ")
            field.withUnsafeBytesOfValue { append(contentsOf: $0) }
            appendLineEnd()
        }
    }

    mutating func appendContentLength(_ length: Int) {
        append(literal: "Content-Length: ")
        appendDecimal(length)
        appendLineEnd()
    }

    /// Appends the decimal digits of a non-negative number.
    mutating func appendDecimal(_ value: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, start) = (UInt(value), digits.count)
            repeat {
                start -= 1
                digits[start] = UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0")
                rest /= 10
            } while rest > 0
            append(contentsOf: digits[start...])
        }
    }

    /// Appends the hexadecimal digits of a non-negative number.
    mutating func appendHexadecimal(_ value: Int) {
        var shift = 0
        while value >> shift >= 16 { shift += 4 }
        while shift >= 0 {
            append(UInt8(truncatingIfNeeded: value >> shift & 15).uppercaseHexDigit)
            shift -= 4
        }
    }
}
