import FitIQAPI
import MockServer
import Scenarios
import Traffic

/// Where cases are played: an engine, and the carrier of bytes between it and clients.
public protocol Stage {
    /// Runs work on the engine at the system's time; when it returns, output for clients is on its way.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Result
    ) async throws -> Result
}

extension LocalServer: Stage {}

extension VirtualNetwork: Stage {
    /// Runs work on the engine, and carries its output to the clients.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Result
    ) async throws -> Result {
        defer { settle() }
        return try body(engine, now)
    }
}

/// A world on a stage, from creation to deletion.
struct StageWorld {
    let stage: any Stage
    let access: Engine.WorldAccess

    /// Creates a world whose client is judged.
    init(on stage: any Stage, _ scenario: Scenario, guide: GuideMode?, clock: ClockMode) async throws {
        self.stage = stage
        access = try await stage.perform { engine, now in
            try engine.makeWorld(scenario, guide: guide, clock: clock, judged: true, at: now)
        }
    }

    /// What a client learns about it.
    var surroundings: Surroundings {
        Surroundings(
            url: access.url, webSocketURL: access.webSocketURL, token: access.token, freshToken: access.freshToken,
            apiKey: access.apiKey, guide: access.mode, now: access.now)
    }

    /// What must be known before time may advance.
    struct Pulse: Sendable {
        /// Grows with every byte between the world and its clients.
        var activity: UInt64
        /// When the world's next event is due by itself.
        var nextDue: Timestamp?
    }

    /// Runs everything that is due, and returns the pulse.
    func pulse(at time: Timestamp) async throws -> Pulse {
        let id = access.id
        return try await stage.perform { engine, now in
            if let due = engine.nextDue(ofWorld: id, at: now), due <= time {
                engine.advanceWorld(id, to: time, at: now)
            }
            return Pulse(activity: engine.activity(ofWorld: id), nextDue: engine.nextDue(ofWorld: id, at: now))
        }
    }

    /// Moves the world's clock.
    func advance(to time: Timestamp) async throws {
        let id = access.id
        try await stage.perform { engine, now in engine.advanceWorld(id, to: time, at: now) }
    }

    /// What the server has stored of a consultation; empty if it does not know the id.
    func storedMessages(of consultation: String) async throws -> [StoredMessage] {
        let id = access.id
        return try await stage.perform { engine, _ in
            engine.storedMessages(ofConsultation: consultation, inWorld: id)
                .map { StoredMessage(role: $0.role, text: $0.content) }
        }
    }

    /// The findings about the client so far.
    func judgement() async throws -> Judgement? {
        let id = access.id
        return try await stage.perform { engine, now in engine.judgement(ofWorld: id, at: now) }
    }

    /// The journal's last few entries of wire traffic, except pings and pongs.
    func lastEntries() async throws -> [JournalEntry] {
        let id = access.id
        return try await stage.perform { engine, _ in
            engine.journalEntries(ofWorld: id).filter { $0.event.isOnTheWire }.suffix(Self.lastEntryCount)
        }
    }

    private static let lastEntryCount = 4

    func delete() async throws {
        let id = access.id
        try await stage.perform { engine, now in engine.deleteWorld(id, at: now) }
    }
}

extension JournalEvent {
    /// Whether it went between client and server, and is more than a sign of life.
    fileprivate var isOnTheWire: Bool {
        switch self {
        case .frame(let frame): frame.opcode != .ping && frame.opcode != .pong
        case .exchange, .opened, .closed: true
        case .fault, .clock, .note: false
        }
    }
}
