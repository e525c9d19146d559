import FitIQAPI
import JSON
import Text

/// A parsed URL or request target, with the parts that are compared: by a replay with a client's request, and by a
/// comparison of sessions.
package struct RequestURL: Sendable {
    /// Host and port in lower case, without the scheme's own port; empty in a request target.
    package let authority: String
    /// The segment after a first one `w`, which names a world where there are worlds.
    package let world: String?
    /// The percent-decoded path segments, without `/w/{id}` of a world.
    package let segments: [String]
    /// The decoded query items, in order.
    package let items: [(name: String, value: String)]

    package init(_ text: String) {
        let url = URLParts(text)
        authority = Self.authority(url.authority ?? "", scheme: url.scheme ?? "")
        var parts = url.path.utf8.split(separator: .slash, omittingEmptySubsequences: false)[...]
        if parts.first?.isEmpty == true { parts.removeFirst() }
        let isInWorld = parts.count >= 2 && parts.first?.elementsEqual("w".utf8) == true
        world = isInWorld ? PercentCoding.string(parts[parts.startIndex + 1], plusIsSpace: false) : nil
        if isInWorld, parts.count >= 3 { parts = parts.dropFirst(2) }
        segments = parts.map { PercentCoding.string($0, plusIsSpace: false) }
        items = url.items
    }

    /// Host and port in one spelling: in lower case, without the port that the scheme has anyway.
    static func authority(_ text: some StringProtocol, scheme: some StringProtocol) -> String {
        let (text, scheme) = (text.lowercased(), scheme.lowercased())
        let own = ["http", "ws"].contains(scheme) ? ":80" : ["https", "wss"].contains(scheme) ? ":443" : nil
        return own.map { text.hasSuffix($0) } == true ? String(text.dropLast(own?.count ?? 0)) : text
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
