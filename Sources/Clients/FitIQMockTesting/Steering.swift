import Foundation

extension MockWorld {
    // MARK: Time

    /// The world's time.
    public func now() async throws -> Date { try await clock().now }

    /// Advances a manual clock.
    ///
    /// When this function returns, all events that were due have happened.
    public func advance(by duration: Duration) async throws {
        _ = try await admin.send("POST", "clock", ["advance": duration.json])
    }

    /// Advances a manual clock from event to event until a journal entry matches.
    ///
    /// - Parameter limit: The maximum time by which the clock may advance.
    /// - Throws: A ``MockError`` of the kind `nothingMatched`, with the nearest entries.
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

    /// Resets the world to its initial state.
    ///
    /// Its tokens stay valid, its sockets close, and judging starts over.
    public func reset() async throws { _ = try await admin.send("POST", "reset", [:]) }

    /// Resets the world to a different scenario.
    ///
    /// Its tokens stay valid, its sockets close, and judging starts over.
    public func load(scenario: Scenario) async throws {
        _ = try await admin.send("POST", "reset", ["scenario": scenario.json])
    }

    /// Creates a world with this world's current state, but with its own credentials.
    ///
    /// The test must end the new world with ``end()``.
    public func fork() async throws -> MockWorld {
        MockWorld(try await admin.read("POST", "fork", [:]), server: server, admin: root)
    }

    /// Saves the current state under a name, for ``rewind(to:)``.
    public func mark(_ name: String) async throws { _ = try await admin.send("POST", "marks", ["name": .string(name)]) }

    /// Restores a saved state.
    ///
    /// Sockets end, and the journal continues.
    public func rewind(to name: String) async throws {
        _ = try await admin.send("POST", "rewind", ["to": .string(name)])
    }

    // MARK: Faults

    /// A fault rule, written as in scenario files.
    ///
    /// docs/faults.md in fitiq-mock lists all members: `["on": "socket", "at": ["chunk": 3], "cut": ["reset": true]]`.
    public struct Fault: Sendable, ExpressibleByDictionaryLiteral {
        let json: JSON

        public init(dictionaryLiteral members: (String, JSON)...) { json = .object(Dictionary(members) { $1 }) }
        public init(_ json: JSON) { self.json = json }

        /// Responds to requests with a status.
        ///
        /// - Parameters:
        ///   - name: The name for ``MockWorld/setFault(_:isEnabled:)``.
        ///   - endpoint: A method and path such as `GET /api/v1/goals`, or `any` for all requests.
        ///   - requests: The affected requests, such as `1..3`, or nil for all.
        ///   - retryAfter: The seconds in `Retry-After`.
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

    /// Adds all of the faults or none of them, starting with the next request.
    ///
    /// - Returns: The faults' names, including names that the server chose.
    @discardableResult
    public func add(faults: Fault...) async throws -> [String] {
        guard let first = faults.first else { return [] }
        // The API accepts a list only for two or more faults.
        if faults.count == 1 { return [try await admin.read(as: Named.self, "POST", "faults", first.json).name] }
        let added: Faults = try await admin.read("POST", "faults", ["faults": .array(faults.map(\.json))])
        return added.faults.map(\.name)
    }

    /// Enables or disables a fault from the scenario or the test, including for open sockets.
    public func setFault(_ name: String, isEnabled: Bool) async throws {
        _ = try await admin.send("PATCH", "faults/\(name.segment)", ["enabled": .bool(isEnabled)])
    }

    /// Removes a fault.
    public func removeFault(_ name: String) async throws {
        _ = try await admin.send("DELETE", "faults/\(name.segment)")
    }

    /// Removes all faults and breakpoints, including the ones in the scenario.
    public func removeAllFaults() async throws { _ = try await admin.send("DELETE", "faults") }

    /// The names of the faults, in the order in which they are applied.
    public func faults() async throws -> [String] {
        try await admin.read(as: Faults.self, "GET", "faults").faults.map(\.name)
    }

    private struct Faults: Decodable { var faults: [Named] }
    private struct Named: Decodable { var name: String }

    /// Simulates a network between clients and the world; nil stops the simulation.
    ///
    /// The network is `edge`, `3g`, `lte`, `wifi-bad`, `train`, `lift`, `satellite`, `captive-portal`, `offline`, or an
    /// object that describes one.
    public func setNetwork(_ network: JSON?) async throws {
        _ = try await admin.send("PUT", "network", ["network": network ?? .null])
    }
}
