import Foundation

extension MockWorld {
    /// An event in the world.
    public struct Entry: Sendable, Hashable, Decodable {
        /// The number in the journal, from 1.
        public let number: Int
        /// When the event happened, according to the world's clock.
        public let time: Date
        /// The kind: `exchange`, `opened`, `frame`, `closed`, `fault`, `clock`, `note`, `held` or `released`.
        public let kind: String
        /// The number of the connection, for ``MockWorld/sockets()``.
        public let connection: Int?
        /// The requested operation, such as `createGoal`, if the API has an operation for the request.
        public let endpoint: String?
        /// The client's request, if the entry is a request or a WebSocket handshake.
        public let request: Message?
        /// The server's response, or nil if the client got no response.
        public let response: Message?
        /// The names of the applied faults.
        public let faults: [String]?
        /// The direction of a frame: `client_to_server` or `server_to_client`.
        public let direction: String?
        /// The opcode of a frame: `text`, `binary`, `ping`, `pong`, `close` or `continuation`.
        public let opcode: String?
        /// The text of a frame.
        public let payload: String?
        /// The code of a close frame.
        public let code: Int?
        /// The text of a note.
        public let text: String?

        /// A request or a response.
        public struct Message: Sendable, Hashable, Decodable {
            public let method: String?
            public let target: String?
            public let status: Int?
            public let fields: [Field]
            /// The body, or nil if it is not text.
            public let body: String?

            /// The first value of a header field; the name is case-insensitive.
            public func field(_ name: String) -> String? {
                fields.first { $0.name.lowercased() == name.lowercased() }?.value
            }
        }

        /// A header field.
        public struct Field: Sendable, Hashable, Decodable {
            public let name: String
            public let value: String
        }
    }

    /// A client's request and its response.
    public struct Request: Sendable, Hashable {
        public let entry: Entry
        public let method: String
        /// The path, without the world's prefix or the query, such as `/api/v1/goals`.
        public let path: String
        public let query: String?
        /// The text of the body.
        public let body: String
        /// The response's status: nil if there was no response, and 101 for a WebSocket.
        public let status: Int?
        /// The text of the response's body.
        public let responseBody: String?

        /// The first value of a header field; the name is case-insensitive.
        public func field(_ name: String) -> String? { entry.request?.field(name) }
        /// Parses the body as JSON.
        public func json() throws -> JSON { try JSON(text: body) }
    }

    /// A frame on a WebSocket.
    public struct Frame: Sendable, Hashable {
        public let entry: Entry
        public let isFromClient: Bool
        public let opcode: String
        /// The text, or empty for a binary frame.
        public let text: String
        /// The `type` of a message, if it is JSON with a `type`.
        public var type: String? { (try? JSON(text: text))?["type"]?.string }
    }

    /// The clients' requests and handshakes, oldest first.
    ///
    /// Only the newest 1,000 requests and handshakes are returned.
    public func requests() async throws -> [Request] {
        try await entries("requests").compactMap { entry in
            guard let request = entry.request, let method = request.method, let target = request.target else {
                return nil
            }
            let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
            let path = parts.first ?? ""
            let prefix = url.path
            return Request(
                entry: entry, method: method,
                path: path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path,
                query: parts.count == 2 ? parts[1] : nil, body: request.body ?? "", status: entry.response?.status,
                responseBody: entry.response?.body)
        }
    }

    /// The frames on the world's WebSockets, oldest first.
    ///
    /// Only the newest 1,000 frames are returned.
    public func frames() async throws -> [Frame] {
        try await entries("frames", kind: "frame").map { entry in
            Frame(
                entry: entry, isFromClient: entry.direction == "client_to_server", opcode: entry.opcode ?? "",
                text: entry.payload ?? "")
        }
    }

    private func entries(_ path: String, kind: String? = nil) async throws -> [Entry] {
        struct Entries: Decodable { var entries: [Entry] }
        var query = ["limit": "1000"]
        query["kind"] = kind
        return try await admin.read(as: Entries.self, "GET", path, query: query).entries.reversed()
    }

    /// The whole journal, one JSON object per line.
    ///
    /// `fitiq-mock judge` and `show` read it.
    public func journal() async throws -> Data { try await admin.send("GET", "journal") }

    /// The traffic as HAR, for browsers, proxies and `fitiq-mock replay`.
    public func har() async throws -> Data { try await admin.send("GET", "har") }

    /// The server's page with this world's journal and verdicts; the page works without a server.
    public func htmlReport() async throws -> Data {
        let page = String(decoding: try await root.send("GET", "ui"), as: UTF8.self)
        let (journal, verdicts) = try await (journal(), admin.send("GET", "verdicts"))
        let lines = String(decoding: journal, as: UTF8.self).split(separator: "\n").joined(separator: ",")
        let title = JSON.string(label ?? scenario).text
        let run =
            "{\"title\":\(title),\"id\":\"0\",\"name\":\(title),\"journal\":[\(lines)],\"verdicts\":"
            + String(decoding: verdicts, as: UTF8.self) + "}"
        // Escape each `<`, so that text from a client cannot close the element.
        let element =
            "<script type=\"application/json\" class=\"run\">" + run.replacingOccurrences(of: "<", with: "\\u003c")
            + "</script>\n"
        return Data(page.replacingOccurrences(of: "<!-- runs -->", with: element).utf8)
    }
}
