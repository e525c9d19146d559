import Text

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
                segments.append(PercentCoding.string(path[ByteRange(start, end)], plusIsSpace: false))
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
                while end < query.count, query[end] != .ampersand { end += 1 }
                if end > start {
                    var equals = start
                    while equals < end, query[equals] != .equals { equals += 1 }
                    let name = query[ByteRange(start, equals)]
                    let value = query[ByteRange(min(equals + 1, end), end)]
                    items.append(
                        (
                            PercentCoding.string(name, plusIsSpace: true),
                            PercentCoding.string(value, plusIsSpace: true)
                        ))
                }
                start = end + 1
            }
            return items
        } ?? []
    }
}
