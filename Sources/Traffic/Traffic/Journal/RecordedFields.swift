import HTTPTypes

/// The header fields of a response in the server's own form, converted only when read.
public enum RecordedFields: Sendable {
    /// Complete field lines, each with its CRLF, as `HTTP1.Connection` takes them.
    case encoded([UInt8])
    case fields(HTTPFields)

    public static let none = RecordedFields.encoded([])

    /// The byte count of the lines.
    var byteCount: Int {
        switch self {
        case .encoded(let bytes): bytes.count
        // A colon, a space and a line end for each.
        case .fields(let fields): fields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
        }
    }

    /// Names and values in order.
    public var nameValuePairs: [(name: String, value: String)] {
        switch self {
        case .encoded(let bytes):
            bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
                let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }
                    .prefix { $0 != UInt8(ascii: "\r") }
                return (String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
            }
        case .fields(let fields): fields.map { ($0.name.rawName, $0.value) }
        }
    }
}
