import JSON
import Text

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
        let url = URLParts(text)
        scheme = url.scheme?.lowercased() ?? ""
        authority = url.authority?.lowercased() ?? ""
        var parts = url.path.utf8.split(separator: .slash, omittingEmptySubsequences: false).dropFirst()
        if parts.count >= 3, let first = parts.first, first.elementsEqual("w".utf8) {
            world = "/w/" + String(Substring(parts[parts.startIndex + 1]))
            parts = parts.dropFirst(2)
        }
        segments = parts.map { PercentCoding.string($0, plusIsSpace: false) }
        for item in (url.query ?? "").utf8.split(separator: .ampersand) {
            let equals = item.firstIndex(of: .equals) ?? item.endIndex
            items.append(
                (
                    PercentCoding.string(item[..<equals], plusIsSpace: true),
                    PercentCoding.string(item[equals...].dropFirst(), plusIsSpace: true)
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
