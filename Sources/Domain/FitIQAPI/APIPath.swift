import HTTPTypes
import JSON

/// A path of the API, and the operations on it.
///
/// It is a place in a table, so that a ``Route`` has nothing but its id to copy.
public struct APIPath: Equatable, Sendable {
    private let place: Int

    /// What is fixed about a path; a class, because a search would copy the members of a structure.
    private final class Row: Sendable {
        /// With its parameters in braces.
        let template: String
        /// Nil for a parameter.
        let words: [String?]
        let firstParameter: Int?
        /// In the order of ``methods``.
        let endpoints: [Endpoint]
        /// Those of them that the guides know.
        let guided: [Endpoint]
        /// What GET, which most requests use, stands for; if a guide knows the path, it knows this too.
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
            // From the last: most begin with the same two.
            var index = words.count
            while index > 0 {
                index -= 1
                let segment = segments[index]
                guard let word = words[index] else {
                    if segment.isEmpty { return false }
                    continue
                }
                // Most differ in their length; a word is of letters that have no other form in Unicode.
                guard word.utf8.count == segment.utf8.count, word == segment else { return false }
            }
            return true
        }
    }

    private static let methods: [HTTPRequest.Method] = [.get, .post, .patch, .put, .delete]

    /// Short paths first; of one length, a path whose word stands where another one has a parameter precedes it.
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
        // Swift's sort is stable: the guides' lists, which are asked for often, are near the beginning.
        return operations.map { Row($0.template, $0.endpoints) }.sorted { rank($0) < rank($1) }
    }()

    init(of endpoint: Endpoint) {
        let place = Self.table.firstIndex { $0.endpoints.contains(endpoint) }
        guard let place else { preconditionFailure("The table has the path of every operation.") }
        self.place = place
    }

    /// The path with these percent-decoded segments; nil if the mode knows none.
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

    /// Which of its segments are parameters.
    public var parameterPlaces: [Int] {
        let words = Self.table[place].words
        return words.indices.filter { words[$0] == nil }
    }

    /// The position of its first parameter; nil for a path without parameters.
    var firstParameter: Int? { Self.table[place].firstParameter }

    /// The operations as far as a mode knows them, GET first.
    func endpoints(in mode: GuideMode) -> [Endpoint] {
        mode.servesApps ? Self.table[place].endpoints : Self.table[place].guided
    }

    /// The operation for a method; nil if the mode knows none.
    func endpoint(for method: HTTPRequest.Method, in mode: GuideMode) -> Endpoint? {
        if method == .get { return Self.table[place].read }
        let endpoints = endpoints(in: mode)
        guard method != .head else { return endpoints.first(where: \.answersHead) }
        // What another guide only presupposes is no method of this one's paths.
        return endpoints.first { $0.method == method && (mode.serves($0) || $0.isDocumented) }
    }
}
