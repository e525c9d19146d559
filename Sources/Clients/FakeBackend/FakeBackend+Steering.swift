import ContractSuite
import FitIQAPI
import JSON
import MockServer
import Scenarios
import Sockets
import Synchronization
import Text
import Traffic

/// Changing a test's world, and waiting for events.
extension FakeBackend {
    /// The error for a test that uses its backend wrongly, or that the backend refuses.
    ///
    /// The description says how to fix the problem.
    public typealias Refusal = Text.Refusal

    // MARK: Faults

    /// Adds a fault that starts with the next request, handshake or frame.
    ///
    /// - Parameter fault: A fault, written as in a scenario file, in YAML or JSON: `{on: GET /api/v1/goals, status:
    ///   503, requests: 1..2}`.
    /// - Returns: The fault's name, for ``setFault(_:isEnabled:)``.
    /// - Throws: A ``Refusal`` if the fault is invalid or its name is taken.
    @discardableResult
    public func add(fault: String) async throws -> String {
        let lines = fault.split(separator: "\n").joined(separator: "\n    ")
        return try await refusing { engine, access in
            let object = try Scenario.readWithJSON("name: live\nfaults:\n  - \(lines)").json["faults"]?[0]?.object
            return try engine.addFault(object ?? [:], toWorld: access.id)
        }
    }

    /// Enables or disables a fault, including for open sockets.
    ///
    /// - Throws: A ``Refusal`` that lists the existing names if the fault does not exist.
    public func setFault(_ name: String, isEnabled: Bool) async throws {
        try await refusing { engine, access in try engine.setFault(name, isEnabled: isEnabled, ofWorld: access.id) }
    }

    private func refusing<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Engine.WorldAccess) throws -> Result
    ) async throws -> Result {
        do {
            return try await server.perform { [access] engine, _ in try body(engine, access) }
        } catch let error as APIError {
            throw Refusal(error.message)
        } catch let error as ScenarioErrors {
            throw Refusal(error.description)
        }
    }

    // MARK: Requests

    /// A request that the backend answered or the client abandoned.
    public struct Request: Sendable {
        /// The number of the entry in the journal, for ``wait(for:after:within:)``.
        public let number: Int
        public let method: String
        /// The path below the world's prefix and the query, such as `/api/v1/goals?page=1`.
        public let target: String
        /// The status, or nil if no response was started.
        public let status: Int?
        /// The first 64 KiB of the request's and the response's text.
        public let body: String, answer: String
        /// When the backend answered, according to the world's clock.
        public let time: Timestamp
    }

    /// The client's requests so far, oldest first, without WebSocket handshakes.
    public func requests() async throws -> [Request] {
        let prefix = "/w/\(access.id)"
        return try await entries().compactMap { entry in
            guard case .exchange(let exchange) = entry.event else { return nil }
            let target = exchange.head.target.description
            return Request(
                number: entry.number, method: exchange.head.method.rawValue,
                target: target.hasPrefix(prefix) ? String(target.dropFirst(prefix.count)) : target,
                status: exchange.status, body: String(decoding: exchange.body.bytes, as: UTF8.self),
                answer: String(decoding: exchange.responseBody.bytes, as: UTF8.self), time: entry.time)
        }
    }

    // MARK: Waiting

    /// A condition that a test waits for.
    public struct Condition: Sendable {
        fileprivate var query = JournalQuery()
        fileprivate let text: String

        /// The backend answers a request to an endpoint: `.request("POST /api/v1/consultations", status: 201)`.
        ///
        /// - Parameters:
        ///   - endpoint: A method and a path, possibly with names in braces, or a string such as `/goals`, which
        ///     matches any path that contains it.
        ///   - status: The response's status, or nil for any.
        public static func request(_ endpoint: String, status: Int? = nil) -> Condition {
            var condition = Condition(text: endpoint + (status.map { " with \($0)" } ?? ""))
            condition.query.kinds = [.exchange]
            let words = endpoint.split(separator: " ", maxSplits: 1)
            if words.count == 2 { condition.query.method = ExactString(words[0].uppercased()) }
            condition.query.path = words.last.flatMap { PathPattern(String($0)) }
            condition.query.status = status.map { $0...$0 }
            return condition
        }

        /// Either side sends a frame of this type: `.frame("stream_complete")`.
        public static func frame(_ type: String) -> Condition {
            var condition = Condition(text: "a frame \(type)")
            (condition.query.kinds, condition.query.type) = ([.frame], ExactString(type))
            return condition
        }

        /// A WebSocket opens.
        public static let socketOpens = Condition(.opened, "a WebSocket to open")
        public static let socketEnds = Condition(.closed, "a WebSocket to end")

        /// Requires that a member of the frame or response also has this value: `.where("data.status", "completed")`.
        public func `where`(_ path: String, _ value: String) -> Condition {
            var condition = Condition(text: "\(text) where \(path) is \(value)")
            condition.query = query
            guard let member = MemberCondition(path, equals: .string(value), isOfRequest: false) else {
                preconditionFailure("'\(path)' must be a member path, such as data.items[0].name.")
            }
            condition.query.members.append(member)
            return condition
        }

        private init(text: String) { self.text = text }

        private init(_ kind: JournalEvent.Kind, _ text: String) {
            self.init(text: text)
            query.kinds = [kind]
        }
    }

    /// The event that a test waited for.
    public struct Event: Sendable {
        /// The number of the entry in the journal.
        public let number: Int
        public let time: Timestamp
        /// The event on one line.
        public let line: String
        /// The complete entry as JSON.
        public let json: String

        fileprivate init(_ entry: JournalEntry, of access: Engine.WorldAccess) {
            (number, time) = (entry.number, entry.time)
            line = EntryLine(entry, since: access.now).text
            json = String(decoding: JournalEncoder(world: access.id, mode: access.mode).encode(entry), as: UTF8.self)
        }
    }

    /// Waits until a condition is met; returns immediately if it is already met.
    ///
    /// - Parameters:
    ///   - number: Only entries after the one with this number count, which may be an earlier event's number.
    ///   - limit: The time limit on the system's clock; a manual clock does not advance meanwhile.
    /// - Throws: A ``Refusal`` with the nearest entries if no entry matched in time.
    @discardableResult
    public func wait(
        for condition: Condition, after number: Int = 0, within limit: Duration = .seconds(5)
    ) async throws -> Event {
        let (end, search) = (MonotonicInstant.now().advanced(by: limit), Search(condition, after: number))
        while true {
            if let event = try await find(search) { return event }
            guard MonotonicInstant.now() < end else { throw search.refusal("within \(limit)") }
            try await SystemThread.wait(until: .now().advanced(by: .milliseconds(5)))
        }
    }

    /// Advances the world's clock from event to event until a new event matches.
    ///
    /// - Parameter limit: The maximum time by which the clock may advance.
    /// - Throws: A ``Refusal`` if the world follows the system's clock, or, with the nearest entries, if no event
    ///   matched; the clock is then at the limit.
    @discardableResult
    public func advance(until condition: Condition, within limit: Duration = .seconds(3600)) async throws -> Event {
        let search = Search(condition, after: try await entries().last?.number ?? 0)
        let end = try await time().advanced(byNanoseconds: max(0, limit.nanoseconds))
        while true {
            let isOver = try await server.perform { [access] engine, now in
                guard engine.hasManualClock(world: access.id) else { throw Refusal.realClock }
                let time = engine.time(ofWorld: access.id) ?? now
                let next = min(max(engine.nextDue(ofWorld: access.id, at: now) ?? end, time), end)
                engine.advanceWorld(access.id, to: next, at: now, noted: true)
                return time >= end
            }
            if let event = try await find(search) { return event }
            guard !isOver else { throw search.refusal("while the clock moved by \(limit)") }
        }
    }

    private func find(_ search: Search) async throws -> Event? {
        let entry = try await server.perform { [access] engine, _ in search.next(in: access.id, of: engine) }
        return entry.map { Event($0, of: access) }
    }
}

/// A journal search that can continue where it stopped; while it runs, only the engine's thread uses it.
private final class Search: Sendable {
    private let lookout: Mutex<JournalLookout>
    private let text: String

    init(_ condition: FakeBackend.Condition, after number: Int) {
        var query = condition.query
        query.since = number
        lookout = Mutex(JournalLookout(query))
        text = condition.text
    }

    func next(in world: String, of engine: Engine) -> JournalEntry? {
        lookout.withLock { engine.firstEntry(ofWorld: world, for: &$0) }
    }

    func refusal(_ when: String) -> FakeBackend.Refusal {
        FakeBackend.Refusal(Messages.nothingCame(text, when, near: lookout.withLock { $0.nearMisses }))
    }
}
