import Faults
import FitIQAPI
import FitIQBackend

/// What a developer has written down: what a world starts from, and what happens in it.
public struct Scenario: Sendable, Equatable {
    /// What it is called.
    public var name: String
    /// What happens, in one line.
    public var summary: String
    /// Whose answers are given; nil leaves it to the server.
    public var guide: GuideMode?
    /// What decides ids and paces; nil leaves it to the server.
    public var seed: UInt64?
    /// Whose clock it is; nil leaves it to the server.
    public var clock: ClockMode?
    /// How long tokens that the server prints are good for, in nanoseconds; nil for always.
    public var tokenLifetime: Int64?
    /// Who and what exists when the world begins.
    public var data: WorldData
    /// What coaches say, and what becomes of meals.
    public var script: Script
    /// What goes wrong.
    public var faults: [FaultRule]
    /// The session that is played back, in place of data and script; nil where the fake backend answers.
    public var replay: SessionReplay?

    /// What the scenario is called in which nothing is scripted.
    public static let defaultName = "default"
    static let defaultSummary =
        "The built-in coach and meal parser; nobody has anything yet, and nothing goes wrong."

    /// Makes a scenario; without arguments `default`, in which nothing is scripted.
    public init(
        name: String = defaultName, summary: String? = nil, guide: GuideMode? = nil, seed: UInt64? = nil,
        clock: ClockMode? = nil, tokenLifetime: Int64? = nil, data: WorldData = WorldData(),
        script: Script = Script(), faults: [FaultRule] = [], replay: SessionReplay? = nil
    ) {
        self.name = name
        self.summary = summary ?? (name == Self.defaultName ? Self.defaultSummary : "")
        self.guide = guide
        self.seed = seed
        self.clock = clock
        self.tokenLifetime = tokenLifetime
        self.data = data
        self.script = script
        self.faults = faults
        self.replay = replay
    }
}

/// Whose clock a world follows.
public enum ClockMode: Sendable, Equatable {
    /// The system's.
    case real
    /// Its own, which stands until it is told to advance.
    case manual(start: Timestamp)

    /// The manual clock as it starts unless told otherwise: 2025-01-29T10:30:00Z (CONTRACT: worlds).
    public static let manual = ClockMode.manual(start: Timestamp(secondsSinceEpoch: 1_738_146_600))
}
