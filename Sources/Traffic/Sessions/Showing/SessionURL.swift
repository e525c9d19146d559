/// A URL of a session in its parts, as far as showing and comparing need them.
struct SessionURL {
    /// `https://api.example.com:8443`, empty where the URL is not absolute.
    var origin: Substring
    /// The path, beginning with `/`.
    var path: Substring
    /// The query without its `?`.
    var query: Substring?

    init(_ url: String) {
        // By bytes: a combining mark behind a slash makes one character with it.
        let whole = Substring(url.utf8.prefix { $0 != UInt8(ascii: "#") })
        var rest = whole
        if let colon = whole.utf8.firstIndex(of: UInt8(ascii: ":")), whole.utf8[colon...].starts(with: "://".utf8) {
            let authority = whole.utf8.index(colon, offsetBy: 3)
            let end =
                whole.utf8[authority...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
                ?? whole.endIndex
            origin = whole[..<end]
            rest = whole[end...]
        } else {
            origin = ""
        }
        let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?"))
        path = rest[..<(mark ?? rest.endIndex)]
        if path.isEmpty { path = "/" }
        query = mark.map { rest[rest.utf8.index(after: $0)...] }
    }

    /// The path and the query.
    var target: String { String(path) + (query.map { "?" + $0 } ?? "") }

    /// The host and port.
    var authority: Substring {
        guard let slash = origin.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return origin[origin.utf8.index(after: slash)...]
    }
}
