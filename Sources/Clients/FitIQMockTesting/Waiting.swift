import Foundation

extension MockWorld {
    /// Conditions on a journal entry.
    public struct Condition: Sendable, ExpressibleByDictionaryLiteral {
        private var members: [String: JSON]
        var json: JSON { .object(members) }

        /// Conditions in the format of `POST /__admin/wait`, such as `["method": "POST", "status": 201]`.
        public init(dictionaryLiteral members: (String, JSON)...) { self.members = Dictionary(members) { $1 } }

        /// A request that the server answered.
        ///
        /// - Parameters:
        ///   - endpoint: A method and a path, such as `POST /api/v1/consultations`, or only a path. A path without
        ///     names in braces also matches longer paths that contain it.
        ///   - status: The status of the response.
        ///   - json: Members of the response's body by their paths, such as `["data.status": "completed"]`.
        public static func request(_ endpoint: String, status: Int? = nil, json: [String: JSON] = [:]) -> Condition {
            var condition: Condition = ["kind": "exchange"]
            condition.take(endpoint)
            condition.members["status"] = status.map { .integer(Int64($0)) }
            return condition.with(json)
        }

        /// A message on a WebSocket.
        ///
        /// - Parameters:
        ///   - type: The message's `type`, such as `stream_complete`.
        ///   - isFromClient: Whether the client sent it, or nil for either side.
        ///   - json: Members of the message by their paths.
        public static func frame(
            _ type: String? = nil, isFromClient: Bool? = nil, json: [String: JSON] = [:]
        ) -> Condition {
            var condition: Condition = ["kind": "frame"]
            condition.members["type"] = type.map(JSON.string)
            condition.members["direction"] = isFromClient.map { $0 ? "client_to_server" : "server_to_client" }
            return condition.with(json)
        }

        /// An opened WebSocket, with this path if a path is given.
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

    /// The journal position at which the search starts.
    public struct Place: Sendable {
        let json: JSON

        /// From the start, which means that past entries count.
        public static let beginning = Place(json: 0)
        /// From now on.
        public static let now = Place(json: "now")
        /// After a known entry.
        public static func after(_ entry: Entry) -> Place { Place(json: .integer(Int64(entry.number))) }
    }

    /// Waits on the system's clock until a journal entry matches.
    ///
    /// - Parameters:
    ///   - limit: The time limit, at most 10 minutes.
    ///   - place: Where to start; by default, past entries count
    /// - Throws: A ``MockError`` of the kind `nothingMatched`, with the nearest entries and their differences.
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

    /// The first future entry that matches, or nil if no entry matches within the limit.
    ///
    /// The call returns as soon as an entry matches: `#expect(try await world.firstEntry(of: .request("/")) == nil)`.
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
