import JSON

/// A URL or request target taken apart: what is compared of it.
struct RequestURL: Sendable, Equatable {
    /// `http`, `https`, `ws` or `wss` in lower case; empty in a request target.
    private(set) var scheme = ""
    /// Host and port in lower case; empty in a request target.
    private(set) var authority = ""
    /// `/w/{id}` where the path begins with it; else empty.
    private(set) var world = ""
    /// The path's segments, percent-decoded, without the world's.
    private(set) var segments: [String] = []
    /// The query's items, decoded, in order.
    private(set) var items: [(name: String, value: String)] = []

    init(_ text: String) {
        var rest = Substring(text)
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), rest[colon...].hasPrefix("://"),
            !rest[..<colon].utf8.contains(UInt8(ascii: "/"))
        {
            scheme = rest[..<colon].lowercased()
            rest = rest[colon...].dropFirst(3)
            let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            authority = rest[..<end].lowercased()
            rest = rest[end...]
        }
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        let question = rest.utf8.firstIndex(of: UInt8(ascii: "?"))
        let path = rest[..<(question ?? rest.endIndex)]
        var parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        if parts.count >= 3, let first = parts.first, first.elementsEqual("w".utf8) {
            world = "/w/" + String(Substring(parts[parts.startIndex + 1]))
            parts = parts.dropFirst(2)
        }
        segments = parts.map { PercentDecoding.decode($0, plusIsSpace: false) }
        guard let question else { return }
        let query = rest[question...].utf8.dropFirst()
        for item in query.split(separator: UInt8(ascii: "&")) {
            let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            items.append(
                (
                    PercentDecoding.decode(item[..<equals], plusIsSpace: true),
                    PercentDecoding.decode(item[equals...].dropFirst(), plusIsSpace: true)
                ))
        }
    }

    static func == (left: RequestURL, right: RequestURL) -> Bool {
        left.scheme == right.scheme && left.authority.isExactly(right.authority) && left.world.isExactly(right.world)
            && left.segments.elementsEqual(right.segments) { $0.isExactly($1) }
            && left.items.elementsEqual(right.items) { $0.name.isExactly($1.name) && $0.value.isExactly($1.value) }
    }

    /// The path with its ids, as a message shows it.
    var path: String { "/" + segments.joined(separator: "/") }
}

/// Percent-decoding (RFC 3986 §2.1) that takes anything: what is no escape stays as it is.
enum PercentDecoding {
    static func decode(_ text: Substring.UTF8View, plusIsSpace: Bool) -> String {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(Substring(text))
        }
        let bytes = Array(text)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "+"), plusIsSpace {
                decoded.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), index + 2 <= bytes.count, bytes[index].isHexDigit,
                bytes[index + 1].isHexDigit
            {
                decoded.append(hex(bytes[index]) << 4 | hex(bytes[index + 1]))
                index += 2
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func hex(_ digit: UInt8) -> UInt8 {
        digit.isDecimalDigit ? digit - UInt8(ascii: "0") : (digit | 0x20) - UInt8(ascii: "a") + 10
    }
}
