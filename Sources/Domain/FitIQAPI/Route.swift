import HTTPTypes
import JSON
import Text

/// An API path with its ids as strings; the backend checks whether an id exists.
public enum Route: Equatable, Sendable {
    /// `/avatars/{persona}.svg`: the URL in `persona.avatar`.
    case avatar(Persona)
    /// A path with operations, and its first id, if any.
    case path(APIPath, id: String?)

    /// Parses a path from percent-decoded segments; nil if the mode has no such route.
    ///
    /// A path with an extra slash or a missing id has no route, because suggesting the nearest endpoint is more helpful
    /// than "unknown id".
    public init?(segments: [String], in mode: GuideMode = .union) {
        if segments.count == 2, segments[0] == "avatars", segments[1].hasSuffix(".svg") {
            guard let persona = Persona(rawValue: String(segments[1].dropLast(4))) else { return nil }
            self = .avatar(persona)
            return
        }
        guard let path = APIPath(segments, in: mode) else { return nil }
        self = .path(path, id: path.firstParameter.map { segments[$0] })
    }

    /// The consultation, goal or meal log with this undecoded path; nil for other paths and paths with escapes.
    ///
    /// A fast path for the most common reads: it creates one string instead of one per segment.
    public init?(entityPath path: UnsafeBufferPointer<UInt8>) {
        // Ids have a fixed length, so the path's length determines the candidate.
        for (prefix, entity) in Self.entities where path.count == prefix.utf8CodeUnitCount + 36 {
            let start = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
            // Compares eight bytes at a time.
            guard UnsafeBufferPointer(rebasing: path[..<start.count]).equalsInConstantTime(start) else { return nil }
            let id = UnsafeBufferPointer(rebasing: path[start.count...])
            guard id.hasNone({ $0.equal(to: .slash) | $0.equal(to: .percent) }) else { return nil }
            self = .path(entity, id: String(decoding: id, as: UTF8.self))
            return
        }
        return nil
    }

    /// The paths that end with an id, up to that id.
    private static let entities: [(prefix: StaticString, path: APIPath)] = [
        ("/api/v1/consultations/", APIPath(of: .showConsultation)), ("/api/v1/goals/", APIPath(of: .showGoal)),
        ("/api/v1/meal-logs/", APIPath(of: .showMealLog)),
    ]

    /// The path's endpoints in a mode, including endpoints that only return an error with the guide's name.
    public func endpoints(in mode: GuideMode) -> [Endpoint] {
        if case .path(let path, _) = self { path.endpoints(in: mode) } else { [] }
    }

    /// The endpoint for a method; nil if the mode has none.
    public func endpoint(for method: HTTPRequest.Method, in mode: GuideMode = .union) -> Endpoint? {
        if case .path(let path, _) = self { path.endpoint(for: method, in: mode) } else { nil }
    }

    /// The methods that the path supports in a mode, without OPTIONS; GET implies HEAD.
    public func methods(in mode: GuideMode) -> [HTTPRequest.Method] {
        if case .avatar = self { return [.get, .head] }
        return endpoints(in: mode).filter(mode.serves).flatMap { $0.answersHead ? [$0.method, .head] : [$0.method] }
    }

    /// The first id in the path, if any.
    public var id: String? { if case .path(_, let id) = self { id } else { nil } }

    static func templates(in mode: GuideMode) -> [String] {
        Endpoint.allCases.filter(mode.serves).map(\.template) + [
            "/health", "/ready", "/openapi.yaml", "/asyncapi.yaml", "/docs", "/docs/deviations", "/llms.txt",
            "/__admin/health", "/__admin/echo",
        ]
    }

    /// The error for an unknown path, with the nearest endpoint.
    public static func refusal(ofUnknownPath path: String, in mode: GuideMode) -> APIError {
        if path == "/ws" || path == "/api/v1/ws" || path.hasPrefix("/ws/")
            || mode.servesApps && path == "/api/v1" + Endpoint.mealSocket.template
        {
            return .bareWebSocketPath(path, in: mode)
        }
        return .unknownPath(path, nearest: nearestTemplate(to: path, in: mode))
    }

    /// The path that the client probably meant.
    ///
    /// The result is the same path below `/api/v1`, which the guides' diagrams omit, a path with the same ending, or
    /// the path with the fewest edits.
    private static func nearestTemplate(to path: String, in mode: GuideMode) -> String? {
        let known = outlines[mode] ?? []
        let wanted = shape(of: path)
        if let same = known.first(where: { $0.shape == "/api/v1" + wanted }) { return same.template }
        let end = wanted.split(separator: "/").last
        if end != "{id}", let alike = known.first(where: { $0.end == end }) { return alike.template }
        let near = NearestWord.find(wanted, among: known.map(\.shape))
        return known.first { $0.shape == near }?.template
    }

    /// The path with each id or id parameter replaced by `{id}`.
    private static func shape(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("{") || ResourceID.read(String($0)) != .malformed ? "{id}" : String($0) }
            .joined(separator: "/")
    }

    /// What a search compares in each mode; splitting all templates takes longer than the search.
    private static let outlines = Dictionary(
        uniqueKeysWithValues: GuideMode.allCases.map { mode in
            (mode, templates(in: mode).map { (template: $0, shape: shape(of: $0), end: $0.split(separator: "/").last) })
        })
}

/// An API path and its operations.
///
/// The value is an index into a table, so that copying a ``Route`` copies only its id.
public struct APIPath: Equatable, Sendable {
    private let place: Int

    /// The constant part of a path; a class, because searching would copy a struct's members.
    private final class Row: Sendable {
        /// The path with its parameters in braces.
        let template: String
        /// The segments; nil for a parameter.
        let words: [String?]
        let firstParameter: Int?
        /// The endpoints in the order of ``methods``.
        let endpoints: [Endpoint]
        /// The endpoints in the guides.
        let guided: [Endpoint]
        /// The GET endpoint, which most requests use; a guide with this path also has this endpoint.
        let read: Endpoint?

        init(_ template: String, _ operations: [Endpoint]) {
            self.template = template
            words = template.split(separator: "/").map { $0.hasPrefix("{") ? nil : String($0) }
            firstParameter = words.firstIndex { $0 == nil }
            endpoints = APIPath.methods.flatMap { method in operations.filter { $0.method == method } }
            guided = endpoints.filter(\.isOfGuides)
            read = endpoints.first { $0.method == .get }
        }

        func matches(_ segments: [String]) -> Bool {
            // Start from the last segment, because most paths begin with the same two.
            var index = words.count
            while index > 0 {
                index -= 1
                let segment = segments[index]
                guard let word = words[index] else {
                    if segment.isEmpty { return false }
                    continue
                }
                // Compare lengths first, because most differ; the API's words have only one Unicode form.
                guard word.utf8.count == segment.utf8.count, word == segment else { return false }
            }
            return true
        }
    }

    private static let methods: [HTTPRequest.Method] = [.get, .post, .patch, .put, .delete]

    /// Short paths come first; among paths of equal length, a word precedes a parameter in the same position.
    private static let table: [Row] = {
        var operations: [(template: String, endpoints: [Endpoint])] = []
        for endpoint in Endpoint.allCases {
            let template = endpoint.template
            if let index = operations.firstIndex(where: { $0.template.isExactly(template) }) {
                operations[index].endpoints.append(endpoint)
            } else {
                operations.append((template, [endpoint]))
            }
        }
        func rank(_ row: Row) -> (Int, Int) { (row.words.count, row.words.count { $0 == nil }) }
        // Swift's sort is stable, so the guides' lists, which clients request most, are near the start.
        return operations.map { Row($0.template, $0.endpoints) }.sorted { rank($0) < rank($1) }
    }()

    init(of endpoint: Endpoint) {
        let place = Self.table.firstIndex { $0.endpoints.contains(endpoint) }
        guard let place else { preconditionFailure("The table must contain every operation's path.") }
        self.place = place
    }

    /// The path with these percent-decoded segments; nil if the mode has no such path.
    init?(_ segments: [String], in mode: GuideMode) {
        let (table, isForApps) = (Self.table, mode.servesApps)
        for place in table.indices {
            let row = table[place]
            guard row.words.count <= segments.count else { break }
            if row.words.count == segments.count, isForApps || !row.guided.isEmpty, row.matches(segments) {
                self.place = place
                return
            }
        }
        return nil
    }

    /// The positions of the path's parameters among the segments.
    public var parameterPlaces: [Int] {
        let words = Self.table[place].words
        return words.indices.filter { words[$0] == nil }
    }

    /// The position of the path's first parameter; nil if the path has no parameters.
    var firstParameter: Int? { Self.table[place].firstParameter }

    /// The operations in a mode, GET first.
    func endpoints(in mode: GuideMode) -> [Endpoint] {
        mode.servesApps ? Self.table[place].endpoints : Self.table[place].guided
    }

    /// The operation for a method; nil if the mode has none.
    func endpoint(for method: HTTPRequest.Method, in mode: GuideMode) -> Endpoint? {
        if method == .get { return Self.table[place].read }
        let endpoints = endpoints(in: mode)
        guard method != .head else { return endpoints.first(where: \.answersHead) }
        // Methods that only other guides presuppose are not part of this guide's paths.
        return endpoints.first { $0.method == method && (mode.serves($0) || $0.isDocumented) }
    }
}
