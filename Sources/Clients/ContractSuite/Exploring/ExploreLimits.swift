import Faults

/// An exploration's limits.
///
/// Settings outside their range are refused; items beyond other limits are omitted but counted.
public enum ExploreLimits {
    public static let runs = 1...10_000_000
    public static let budget = Duration.seconds(1)...Duration.seconds(7 * 86_400)
    public static let jobs = 1...16
    /// The default time limit of a run on the system's clock.
    public static let run = Duration.seconds(60)
    /// The maximum number of runs to confirm a finding.
    public static let tries = 20
    /// The maximum number of faults in a schedule that an agenda deals out.
    public static let faults = 2
    /// The maximum number of rules in each list of a story's scenario: 996, which leaves room for a schedule's rules.
    public static let rulesOfScenario = FaultLimits.rules - 2 * faults
    /// The maximum number of a run's entries to read, and of points in these entries.
    public static let entries = 5000
    public static let points = 2000
    /// The maximum number of new points in a run at which another fault is tried.
    public static let newPoints = 200
    /// The maximum number of points that are waiting for a second fault.
    ///
    /// Beyond the limit, the oldest points are dropped.
    public static let leads = 100_000
    /// The maximum number of findings in one exploration.
    public static let findings = 50
    /// The maximum number of smaller schedules to try for a finding.
    public static let candidates = 200
    public static let candidatesOnRealClock = 60
    /// The maximum number of faults to translate from a recorded session, including the coach's answers.
    public static let recordedFaults = 200
    /// The maximum size of a recorded error's body in a fault, in bytes.
    ///
    /// A longer body is replaced with the fake's body.
    public static let recordedBody = 16 * 1024
}
