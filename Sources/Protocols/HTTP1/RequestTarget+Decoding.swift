extension RequestTarget {
    /// The path split at `/` and then percent-decoded, so that a decoded `/` stays inside its segment.
    ///
    /// `/` is one empty segment, `/a//b/` is `a`, empty, `b`, empty; `*` and the authority form have none. Linear in
    /// the length of the path. Dot segments are kept as they are (RFC 3986 §3.3).
    public var segments: [String] {
        guard form == .origin || form == .absolute else { return [] }
        return withPath { path in
            var segments: [String] = []
            var start = 1
            while start <= path.count {
                var end = start
                while end < path.count, path[end] != .slash { end += 1 }
                segments.append(PercentDecoding.string(path[ByteRange(start, end)], plusIsSpace: false))
                start = end + 1
            }
            return segments
        }
    }

    /// The query as `application/x-www-form-urlencoded` pairs in order, with duplicates.
    ///
    /// `+` is a space; a `%` that begins no escape is kept as it is; a name without `=` has an empty value; empty
    /// pieces are left out (WHATWG URL §5.1). Empty without a query.
    public func queryItems() -> [(name: String, value: String)] {
        withQuery { query in
            var items: [(name: String, value: String)] = []
            var start = 0
            while start <= query.count {
                var end = start
                while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
                if end > start {
                    var equals = start
                    while equals < end, query[equals] != UInt8(ascii: "=") { equals += 1 }
                    let name = query[ByteRange(start, equals)]
                    let value = query[ByteRange(min(equals + 1, end), end)]
                    items.append(
                        (
                            PercentDecoding.string(name, plusIsSpace: true),
                            PercentDecoding.string(value, plusIsSpace: true)
                        ))
                }
                start = end + 1
            }
            return items
        } ?? []
    }
}

/// Percent-decoding of bytes (RFC 3986 §2.1).
enum PercentDecoding {
    static func string(_ bytes: Bytes, plusIsSpace: Bool) -> String {
        var plain = true
        for byte in bytes where byte == .percent || (plusIsSpace && byte == UInt8(ascii: "+")) { plain = false }
        if plain { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: decoded(bytes, plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    /// The bytes with their escapes resolved; a `%` that begins no escape is kept.
    static func decoded(_ bytes: Bytes, plusIsSpace: Bool) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == .percent, index + 2 < bytes.count, let high = bytes[index + 1].hexValue,
                let low = bytes[index + 2].hexValue
            {
                decoded.append(high << 4 | low)
                index += 3
                continue
            }
            decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? .space : byte)
            index += 1
        }
        return decoded
    }
}
