import Foundation

extension MockWorld {
    // MARK: Time

    /// The world's time.
    public func now() async throws -> Date { try await clock().now }

    /// Moves a manual clock; when this returns, everything due has happened.
    public func advance(by duration: Duration) async throws {
        _ = try await admin.send("POST", "clock", ["advance": duration.json])
    }

    /// Moves a manual clock from one due event to the next until a journal entry matches.
    ///
    /// - Parameter limit: How far it moves at most.
    /// - Throws: ``MockError`` of the kind `nothingMatched`, with the nearest entries.
    @discardableResult
    public func advance(until condition: Condition, within limit: Duration = .seconds(3600)) async throws -> Entry {
        let moved: Moved = try await admin.read(
            "POST", "clock", ["advance_until": condition.json, "within": limit.json])
        return moved.entry
    }

    private struct Moved: Decodable { var entry: Entry }
    private struct ClockState: Decodable { var now: Date }
    private func clock() async throws -> ClockState { try await admin.read("GET", "clock") }

    // MARK: The world as a whole

    /// Resets the world to its beginning; its tokens stay, its sockets close, and judging starts over.
    public func reset() async throws { _ = try await admin.send("POST", "reset", [:]) }

    /// Resets the world to another scenario; its tokens stay, its sockets close, and judging starts over.
    public func load(scenario: Scenario) async throws {
        _ = try await admin.send("POST", "reset", ["scenario": scenario.json])
    }

    /// Makes a world that continues from the present state of this one, with its own credentials.
    ///
    /// The test ends it with ``end()``.
    public func fork() async throws -> MockWorld {
        MockWorld(try await admin.read("POST", "fork", [:]), server: server, admin: root)
    }

    /// Keeps the present state under a name, for ``rewind(to:)``.
    public func mark(_ name: String) async throws { _ = try await admin.send("POST", "marks", ["name": .string(name)]) }

    /// Restores the state of a mark; sockets end, the journal continues.
    public func rewind(to name: String) async throws {
        _ = try await admin.send("POST", "rewind", ["to": .string(name)])
    }

    // MARK: What goes wrong

    /// A fault rule, in the notation of scenario files.
    ///
    /// docs/faults.md of fitiq-mock lists all members: `["on": "socket", "at": ["chunk": 3], "cut": ["reset": true]]`.
    public struct Fault: Sendable, ExpressibleByDictionaryLiteral {
        let json: JSON

        public init(dictionaryLiteral members: (String, JSON)...) { json = .object(Dictionary(members) { $1 }) }
        public init(_ json: JSON) { self.json = json }

        /// Requests that get a status instead of their answer.
        ///
        /// - Parameters:
        ///   - name: For ``MockWorld/setFault(_:isEnabled:)``.
        ///   - endpoint: A method and a path, `GET /api/v1/goals`; `any` for all.
        ///   - requests: Which of them, `1..3`; all if nil.
        ///   - retryAfter: The seconds of `Retry-After`.
        public static func status(
            _ status: Int, on endpoint: String, requests: String? = nil, retryAfter: Int? = nil, name: String? = nil
        ) -> Fault {
            var members: [String: JSON] = ["on": .string(endpoint), "status": .integer(Int64(status))]
            members["requests"] = requests.map(JSON.string)
            members["retry_after"] = retryAfter.map { .integer(Int64($0)) }
            members["name"] = name.map(JSON.string)
            return Fault(.object(members))
        }
    }

    /// Adds faults, all of them or none, in force from the next request on.
    ///
    /// - Returns: Their names, also those that the server gave.
    @discardableResult
    public func add(faults: Fault...) async throws -> [String] {
        guard let first = faults.first else { return [] }
        // A list is for several.
        if faults.count == 1 { return [try await admin.read(as: Named.self, "POST", "faults", first.json).name] }
        let added: Faults = try await admin.read("POST", "faults", ["faults": .array(faults.map(\.json))])
        return added.faults.map(\.name)
    }

    /// Enables or disables a fault of the scenario or of the test, also for open sockets.
    public func setFault(_ name: String, isEnabled: Bool) async throws {
        _ = try await admin.send("PATCH", "faults/\(name.segment)", ["enabled": .bool(isEnabled)])
    }

    /// Removes a fault.
    public func removeFault(_ name: String) async throws {
        _ = try await admin.send("DELETE", "faults/\(name.segment)")
    }

    /// Removes all faults and breakpoints, those of the scenario too.
    public func removeAllFaults() async throws { _ = try await admin.send("DELETE", "faults") }

    /// The names of the faults, in the order in which they act.
    public func faults() async throws -> [String] {
        try await admin.read(as: Faults.self, "GET", "faults").faults.map(\.name)
    }

    private struct Faults: Decodable { var faults: [Named] }
    private struct Named: Decodable { var name: String }

    /// Puts a network between clients and the world: `edge`, `3g`, `lte`, `wifi-bad`, `train`, `lift`, `satellite`,
    /// `captive-portal` or `offline`, or one that is written out; nil removes it.
    public func setNetwork(_ network: JSON?) async throws {
        _ = try await admin.send("PUT", "network", ["network": network ?? .null])
    }
}
