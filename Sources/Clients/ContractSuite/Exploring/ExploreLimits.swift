import Faults

/// The limits of an exploration.
///
/// Ranges are those of settings; values outside are refused. Anything beyond another limit is left out and counted.
public enum ExploreLimits {
    public static let runs = 1...10_000_000
    public static let budget = Duration.seconds(1)...Duration.seconds(7 * 86_400)
    public static let jobs = 1...16
    /// The longest run by the system's clock, unless the settings say otherwise.
    public static let run = Duration.seconds(60)
    /// How often a finding is tried to be confirmed.
    public static let tries = 20
    /// Faults of a schedule that an agenda deals.
    public static let faults = 2
    /// The rules that a story's scenario may have in each of its lists, so that those of a schedule have room: 996.
    public static let rulesOfScenario = FaultLimits.rules - 2 * faults
    /// Entries of a run that are read, and points that are learnt from them.
    public static let entries = 5000
    public static let points = 2000
    /// New points of a run at which to try another fault.
    public static let newPoints = 200
    /// Points that wait for a second fault; beyond that the oldest are dropped.
    public static let leads = 100_000
    /// Findings of one exploration.
    public static let findings = 50
    /// Smaller schedules that are tried for a finding, in memory and on a real clock.
    public static let candidates = 200
    public static let candidatesOnRealClock = 60
    /// Faults of a recorded session that are translated, the coach's answers included.
    public static let recordedFaults = 200
    /// The bytes of a recorded error's body that a fault has; a longer one is replaced by the fake's.
    public static let recordedBody = 16 * 1024
}
