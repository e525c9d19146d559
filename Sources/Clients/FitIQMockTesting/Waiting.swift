import Foundation

extension MockWorld {
    /// The conditions on a journal entry.
    public struct Condition: Sendable, ExpressibleByDictionaryLiteral {
        private var members: [String: JSON]
        var json: JSON { .object(members) }

        /// The conditions as `POST /__admin/wait` takes them, `["method": "POST", "status": 201]`.
        public init(dictionaryLiteral members: (String, JSON)...) { self.members = Dictionary(members) { $1 } }

        /// A request that was answered.
        ///
        /// - Parameters:
        ///   - endpoint: A method and a path, `POST /api/v1/consultations`, or a path alone; one without
        ///     names in braces also fits a longer path that contains it.
        ///   - status: The status of the answer.
        ///   - json: Members of the answer's body, by their paths: `["data.status": "completed"]`.
        public static func request(_ endpoint: String, status: Int? = nil, json: [String: JSON] = [:]) -> Condition {
            var condition: Condition = ["kind": "exchange"]
            condition.take(endpoint)
            condition.members["status"] = status.map { .integer(Int64($0)) }
            return condition.with(json)
        }

        /// A message on a WebSocket.
        ///
        /// - Parameters:
        ///   - type: The `type` in it, `stream_complete`.
        ///   - isFromClient: Who sent it; either if nil.
        ///   - json: Members of the message, by their paths.
        public static func frame(
            _ type: String? = nil, isFromClient: Bool? = nil, json: [String: JSON] = [:]
        ) -> Condition {
            var condition: Condition = ["kind": "frame"]
            condition.members["type"] = type.map(JSON.string)
            condition.members["direction"] = isFromClient.map { $0 ? "client_to_server" : "server_to_client" }
            return condition.with(json)
        }

        /// A WebSocket that opened; its path if one is given.
        public static func socket(_ path: String? = nil) -> Condition {
            var condition: Condition = ["kind": "opened"]
            condition.members["path"] = path.map(JSON.string)
            return condition
        }

        private mutating func take(_ endpoint: String) {
            let parts = endpoint.split(separator: " ", maxSplits: 1).map(String.init)
            if parts.count == 2 { members["method"] = .string(parts[0]) }
            members["path"] = parts.last.map(JSON.string)
        }

        private func with(_ json: [String: JSON]) -> Condition {
            var condition = self
            if !json.isEmpty { condition.members["json"] = .object(json) }
            return condition
        }
    }

    /// From where in the journal to look.
    public struct Place: Sendable {
        let json: JSON

        /// From the beginning: what has happened counts as well.
        public static let beginning = Place(json: 0)
        /// From now on.
        public static let now = Place(json: "now")
        /// After a known entry.
        public static func after(_ entry: Entry) -> Place { Place(json: .integer(Int64(entry.number))) }
    }

    /// Waits until an entry of the journal matches, by the system's clock.
    ///
    /// - Parameters:
    ///   - limit: How long; at most 10 minutes.
    ///   - place: Where to begin; past entries count by default.
    /// - Throws: ``MockError`` of the kind `nothingMatched`, with the nearest entries and the differences.
    @discardableResult
    public func wait(
        for condition: Condition, within limit: Duration = .seconds(5), since place: Place = .beginning
    ) async throws -> Entry {
        let waited: Waited = try await admin.read(
            "POST", "wait", ["for": condition.json, "within": limit.json, "since": place.json], waiting: limit)
        guard let entry = waited.entry else {
            throw MockError(.nothingMatched, "Nothing matched \(condition.json.text).")
        }
        return entry
    }

    /// The first entry that matches from now on, or nil if a while passes without one.
    ///
    /// It returns at once if something comes: `#expect(try await world.firstEntry(of: .request("/")) == nil)`.
    public func firstEntry(
        of condition: Condition, within limit: Duration = .seconds(5), since place: Place = .now
    ) async throws -> Entry? {
        let body: JSON = [
            "for": condition.json, "within": limit.json, "since": place.json, "optional": true,
        ]
        return try await admin.read(as: Waited.self, "POST", "wait", body, waiting: limit).entry
    }

    private struct Waited: Decodable { var entry: Entry? }
}
