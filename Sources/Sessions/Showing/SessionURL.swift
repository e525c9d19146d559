/// A URL of a session in its parts, as far as showing and comparing need them.
struct SessionURL {
    /// `https://api.example.com:8443`, empty where the URL is not absolute.
    var origin: Substring
    /// The path, beginning with `/`.
    var path: Substring
    /// The query without its `?`.
    var query: Substring?

    init(_ url: String) {
        let whole = url.prefix { $0 != "#" }
        var rest = whole
        if let colon = whole.firstIndex(of: ":"), whole[colon...].hasPrefix("://") {
            let authority = whole.index(colon, offsetBy: 3)
            let end = whole[authority...].firstIndex { $0 == "/" || $0 == "?" } ?? whole.endIndex
            origin = whole[..<end]
            rest = whole[end...]
        } else {
            origin = ""
        }
        let mark = rest.firstIndex(of: "?")
        path = rest[..<(mark ?? rest.endIndex)]
        if path.isEmpty { path = "/" }
        query = mark.map { rest[rest.index(after: $0)...] }
    }

    /// The path and the query.
    var target: String { String(path) + (query.map { "?" + $0 } ?? "") }

    /// The host and port.
    var authority: Substring {
        guard let slash = origin.lastIndex(of: "/") else { return "" }
        return origin[origin.index(after: slash)...]
    }
}
