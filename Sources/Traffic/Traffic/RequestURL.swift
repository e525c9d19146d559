import FitIQAPI
import JSON
import Text

/// A parsed URL or request target, with the parts that replays and session comparisons use.
package struct RequestURL: Sendable {
    /// The host and port in lower case, without the scheme's default port; it is empty for a request target.
    package let authority: String
    /// The segment after a leading `w`, which may be a world's name.
    package let world: String?
    /// The percent-decoded path segments without a world's `/w/{id}`.
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

    /// Normalises host and port to lower case, without the scheme's default port.
    static func authority(_ text: some StringProtocol, scheme: some StringProtocol) -> String {
        let (text, scheme) = (text.lowercased(), scheme.lowercased())
        let own = ["http", "ws"].contains(scheme) ? ":80" : ["https", "wss"].contains(scheme) ? ":443" : nil
        return own.map { text.hasSuffix($0) } == true ? String(text.dropLast(own?.count ?? 0)) : text
    }

    package var path: String { "/" + segments.joined(separator: "/") }

    /// The segments, with nil for numbers and for IDs in the API's paths.
    package var route: [String?] {
        let ids = if case .path(let path, _)? = Route(segments: segments) { path.parameterPlaces } else { [Int]() }
        return segments.enumerated().map { index, segment in
            ids.contains(index) || (!segment.isEmpty && segment.utf8.allSatisfy(\.isDigit)) ? nil : segment
        }
    }
}

/// Origins that count as equal: those of a recording and of the servers that are compared with it.
///
/// A client uses its server's origin in place of a recorded origin.
package struct Origins: Sendable {
    /// The hosts with ports, in lower case.
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

/// The path that a gateway adds before the API's paths: `/prod` for `/prod/api/v1/goals`.
public struct PathPrefix: Sendable, Equatable {
    private let text: String

    /// Returns nil unless the text is an absolute path with a name.
    ///
    /// A final slash is ignored.
    public init?(_ text: String) {
        guard text.utf8.first == .slash, let end = text.utf8.lastIndex(where: { $0 != .slash }),
            text.utf8.allSatisfy({ $0.isVisible && $0 != .questionMark && $0 != .hash })
        else { return nil }
        self.text = String(text[...end])
    }

    /// The URL or request target, without the prefix if its path starts with it.
    package func removed(from url: String) -> String {
        let parts = URLParts(url)
        guard parts.path.utf8.starts(with: text.utf8) else { return url }
        let rest = parts.path.utf8.dropFirst(text.utf8.count)
        guard rest.first == nil || rest.first == .slash else { return url }
        return parts.origin + (rest.isEmpty ? "/" : String(Substring(rest))) + (parts.query.map { "?" + $0 } ?? "")
    }

    /// Guesses the prefix to remove so that a path becomes an API path.
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

/// The fields of a form; their order, the boundary and the percent-encoding do not matter.
package struct FormBody {
    package struct Field {
        package var name: String
        /// The media type of a part, and whether the part is a file.
        package var kind = ""
        package var content: [UInt8]
    }

    package let fields: [Field]

    /// Returns nil unless the body is a form and has a form's media type.
    package init?(_ body: [UInt8], of fields: [SessionField]) {
        guard !body.isEmpty, let type = fields.value(of: "content-type") else { return nil }
        switch type.prefix(while: { $0 != ";" && $0 != " " }).lowercased() {
        case "application/x-www-form-urlencoded":
            self.fields = body.withUnsafeBufferPointer { PercentCoding.items($0) }.map {
                Field(name: $0.name, content: Array($0.value.utf8))
            }
        case "multipart/form-data":
            guard let parts = try? FormPart.parts(of: body, contentType: type) else { return nil }
            self.fields = parts.map { part in
                let type = part.type ?? (part.isFile ? "application/octet-stream" : "")
                return Field(
                    name: part.name, kind: part.isFile ? "file \(type)" : type, content: Array(body[part.content]))
            }
        default: return nil
        }
    }

    /// Pairs the fields of two forms by name; repeated names are numbered in order.
    static func pairs(
        _ first: FormBody, _ second: FormBody
    ) -> [(name: String, index: Int?, first: Field?, second: Field?)] {
        let (left, right) = (first.byName, second.byName)
        var seen: Set<ExactString> = []
        let names = (first.fields + second.fields).map { ExactString($0.name) }.filter { seen.insert($0).inserted }
        return names.flatMap { name in
            let (fields, others) = (left[name] ?? [], right[name] ?? [])
            let count = max(fields.count, others.count)
            return (0..<count).map {
                (name.text, count > 1 ? $0 : nil, fields.dropFirst($0).first, others.dropFirst($0).first)
            }
        }
    }

    private var byName: [ExactString: [Field]] { Dictionary(grouping: fields) { ExactString($0.name) } }
}
