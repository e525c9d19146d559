import FitIQAPI
import Text

/// The path in front of the API's, as a gateway has it: `/prod` for `/prod/api/v1/goals`.
public struct PathPrefix: Sendable, Equatable {
    private let text: String

    /// Nil unless it is an absolute path with a name in it; a slash at its end does not count.
    public init?(_ text: String) {
        guard text.utf8.first == .slash, let end = text.utf8.lastIndex(where: { $0 != .slash }),
            text.utf8.allSatisfy({ $0.isVisible && $0 != .questionMark && $0 != .hash })
        else { return nil }
        self.text = String(text[...end])
    }

    /// The URL or the request target without the prefix, or as it is if its path does not begin with it.
    package func removed(from url: String) -> String {
        let parts = URLParts(url)
        guard parts.path.utf8.starts(with: text.utf8) else { return url }
        let rest = parts.path.utf8.dropFirst(text.utf8.count)
        guard rest.first == nil || rest.first == .slash else { return url }
        return parts.origin + (rest.isEmpty ? "/" : String(Substring(rest))) + (parts.query.map { "?" + $0 } ?? "")
    }

    /// The prefix with which a path would be one of the API.
    static func guess(_ path: [String]) -> String? {
        let places = path.indices.dropFirst().prefix(8)
        let start = places.first { path[$0] == "api" && Route(segments: Array(path[$0...])) != nil }
        return start.map { "/" + path[..<$0].joined(separator: "/") }
    }
}

extension Session {
    package func without(_ prefix: PathPrefix?) -> Session {
        guard let prefix else { return self }
        var session = self
        for index in entries.indices {
            session.entries[index].request.url = prefix.removed(from: entries[index].request.url)
        }
        return session
    }
}
