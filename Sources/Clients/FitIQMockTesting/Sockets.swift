import Foundation

extension MockWorld {
    /// The open WebSockets, in the order in which they were opened.
    public func sockets() async throws -> [Socket] {
        struct Sockets: Decodable { var sockets: [Socket.State] }
        return try await admin.read(as: Sockets.self, "GET", "sockets").sockets.map { Socket(state: $0, admin: admin) }
    }

    /// An open WebSocket that a test controls.
    ///
    /// The test's actions on it are not held against the client.
    public struct Socket: Sendable {
        struct State: Decodable {
            var connection: Int
            var path, state: String
            var consultation: String?
        }

        let state: State
        let admin: Admin

        /// The number of the connection in the journal.
        public var connection: Int { state.connection }
        /// The path of the handshake, without the world's prefix.
        public var path: String { state.path }
        /// The socket's consultation.
        public var consultation: String? { state.consultation }
        /// Whether the socket was open when it was listed, and was not held, closing or silent.
        public var isOpen: Bool { state.state == "open" }

        /// Sends a message, bypassing all faults.
        public func send(_ json: JSON) async throws { try await act("send", ["json": json]) }

        /// Sends a text message, which need not be JSON.
        public func send(text: String) async throws { try await act("send", ["text": .string(text)]) }

        /// Holds the frames in both directions until ``release()`` is called, for at most 30 s of the world's time.
        ///
        /// A second call has no effect.
        public func hold() async throws {
            do {
                _ = try await admin.send("PATCH", "breakpoints/\(holdName)", ["enabled": true])
            } catch let error as MockError where error.kind == .notFound {
                let hold: JSON = [
                    "on": "socket", "hold": "both", "name": .string(holdName),
                    "connection": .integer(Int64(connection)),
                ]
                _ = try await admin.send("POST", "breakpoints", hold)
            }
        }

        /// Sends all frames that ``hold()`` is holding.
        public func release() async throws { _ = try await admin.send("DELETE", "breakpoints/\(holdName)") }

        /// Stops sending and reading until ``resume()`` is called; the connection stays open.
        public func silence() async throws { try await act("silence") }

        /// Ends ``silence()``.
        public func resume() async throws { try await act("resume") }

        /// Starts the closing handshake with any code.
        public func close(code: Int = 1000, reason: String = "") async throws {
            try await act("close", ["code": .integer(Int64(code)), "reason": .string(reason)])
        }

        /// Ends the connection with RST and without a close frame, as a broken network would.
        public func reset() async throws { try await act("reset") }

        private var holdName: String { "kit-\(connection)" }

        private func act(_ action: String, _ body: JSON = [:]) async throws {
            _ = try await admin.send("POST", "sockets/\(connection)/\(action)", body)
        }
    }
}
