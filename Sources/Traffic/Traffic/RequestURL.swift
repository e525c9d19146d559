import FitIQAPI
import JSON
import Text

/// A parsed URL or request target, with the parts that are compared: by a replay with a client's request, and by a
/// comparison of sessions.
package struct RequestURL: Sendable {
    /// Host and port in lower case; empty in a request target.
    package let authority: String
    /// The percent-decoded path segments, without `/w/{id}` of a world.
    package let segments: [String]
    /// The decoded query items, in order.
    package let items: [(name: String, value: String)]

    package init(_ text: String) {
        let url = URLParts(text)
        authority = url.authority?.lowercased() ?? ""
        var parts = url.path.utf8.split(separator: .slash, omittingEmptySubsequences: false)[...]
        if parts.first?.isEmpty == true { parts.removeFirst() }
        if parts.count >= 3, parts.first?.elementsEqual("w".utf8) == true { parts = parts.dropFirst(2) }
        segments = parts.map { PercentCoding.string($0, plusIsSpace: false) }
        items = url.items
    }

    /// The path with its IDs, for messages.
    package var path: String { "/" + segments.joined(separator: "/") }

    /// The segments with nil for any number, and for anything where a path of the API has an ID.
    package var route: [String?] {
        let ids = if case .path(let path, _)? = Route(segments: segments) { path.parameterPlaces } else { [Int]() }
        return segments.enumerated().map { index, segment in
            ids.contains(index) || (!segment.isEmpty && segment.utf8.allSatisfy(\.isDigit)) ? nil : segment
        }
    }
}

/// The servers whose origins stand for each other: those of a recording, and those of what is compared with it.
///
/// Where a recorded text names its server, a client names the server that it talks to.
package struct Origins: Sendable {
    /// Hosts with ports in lower case.
    private var recorded: Set<ExactString>
    private var own: Set<ExactString> = []

    package init(_ recorded: [RequestURL] = []) { self.recorded = Self.authorities(recorded) }

    package func adding(_ own: [RequestURL]) -> Origins {
        var origins = self
        origins.own = Self.authorities(own).subtracting(recorded)
        return origins
    }

    private static func authorities(_ urls: [RequestURL]) -> Set<ExactString> {
        Set(urls.lazy.filter { !$0.authority.isEmpty }.map { ExactString($0.authority) })
    }

    package var isEmpty: Bool { recorded.isEmpty && own.isEmpty }
    package var count: Int { recorded.count + own.count }
    package func contains(_ authority: ExactString) -> Bool { recorded.contains(authority) || own.contains(authority) }
}
