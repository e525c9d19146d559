import HTTPTypes
import Text

extension StatusLine {
    /// Appends the status line of a response; those of common statuses are encoded once.
    ///
    /// Always HTTP/1.1: a server sends the highest version it conforms to (RFC 9110 §6.2).
    static func append(_ status: HTTPResponse.Status, to out: inout [UInt8]) {
        let index = status.code - 100
        if index < encoded.count, let line = encoded[index], line.reason == status.reasonPhrase {
            out.append(contentsOf: line.bytes)
        } else {
            out.append(contentsOf: encode(status))
        }
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
        var line: [UInt8] = []
        line.append(literal: "HTTP/1.1 ")
        line.appendDecimal(status.code)
        line.append(.space)
        line.append(contentsOf: status.reasonPhrase.utf8)
        line.appendLineEnd()
        return line
    }
}
