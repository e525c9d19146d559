import FitIQAPI
import Recording

/// Judges a client by what the journal of a world shows, as it grows.
///
/// A pure state machine: entries in, verdicts out. Its memory is bounded, however long the journal.
public struct Judge: Sendable {
    private var scene: Scene
    private var places: [Place]
    private var exposureCounter = ExposureCounter()
    /// The number of the last entry that was judged; 0 before the first.
    public private(set) var lastNumber = 0
    /// How many entries there were that nobody judged, because the journal had lost them.
    public private(set) var missedCount = 0
    private var end = Timestamp(nanosecondsSinceEpoch: 0)

    /// A judge and what it found.
    private struct Place: Sendable {
        var judge: any ObligationJudge
        /// Whether the entries tell all that it has to know.
        let isHeard: Bool
        var findings: Findings

        mutating func observe(_ fact: Fact, in scene: Scene) {
            if isHeard { judge.observe(fact, in: scene, &findings) }
        }
    }

    /// Makes a judge of the obligations that clients have in a mode.
    ///
    /// What cannot be judged without more than the entries tell is not exercised; a journal tells all.
    public init(mode: GuideMode, evidence: Evidence = .all) {
        scene = Scene(mode: mode)
        places = Self.judges.filter { $0.obligation.applies(in: mode) }.map { judge in
            Place(
                judge: judge.init(), isHeard: judge.needs.isSubset(of: evidence),
                findings: Findings(of: judge.obligation))
        }
    }

    /// Takes the next entry of the journal.
    ///
    /// Entries come in order; numbers that are left out count as missed.
    public mutating func observe(_ entry: JournalEntry) {
        missedCount += max(0, entry.number - lastNumber - 1)
        lastNumber = entry.number
        end = max(end, entry.time)
        let fact = Fact(entry)
        scene.observe(fact)
        exposureCounter.observe(fact, in: scene)
        for index in places.indices { places[index].observe(fact, in: scene) }
    }

    /// The verdicts so far, in the order of ``obligations``.
    ///
    /// - Parameter time: the end of the time that is judged, where it is later than the last entry.
    public func verdicts(at time: Timestamp? = nil) -> [Verdict] {
        let end = max(self.end, time ?? self.end)
        return places.map { place in
            var findings = place.findings
            if place.isHeard { place.judge.conclude(at: end, in: scene, &findings) }
            return findings.verdict
        }
    }

    /// What went wrong so far without being the client's doing.
    public var exposures: [Exposure] { exposures() }

    /// What went wrong until a time without being the client's doing: every way, in order, also those never met.
    ///
    /// - Parameter time: the end of the time that is looked at, where it is later than the last entry.
    public func exposures(at time: Timestamp? = nil) -> [Exposure] {
        exposureCounter.exposures(at: max(end, time ?? end), in: scene)
    }

    /// Everything that is judged from outside the client, in the order of the contract.
    public static let obligations: [Obligation] = judges.map { $0.obligation }
}

extension Judge {
    /// The judges, in the order of the contract's table.
    static let judges: [any ObligationJudge.Type] = judgesBeforeSockets + socketJudges + judgesAfterSockets

    /// What comes before a socket is open: credentials, ids, requests, consultations.
    static let judgesBeforeSockets: [any ObligationJudge.Type] = [
        CredentialsOnEveryRequest.self, WebSocketCredentials.self, RefreshAfter401.self,
        LowercaseIDs.self, BackendGoalIDs.self, GoneNotReused.self,
        RequestShape.self,
        ConflictContinuesExisting.self, LimitStopsCreating.self, HistoryBeforeConnect.self,
    ]

    /// What the table has after the sockets: repeats, goals, meal logs.
    static let judgesAfterSockets: [any ObligationJudge.Type] = [
        RetryBackoff.self,
        ReusesConversation.self, LinksCreatedGoal.self,
        NoFetchAfterCompleted.self, NoPollWhileConnected.self, PollingCadence.self,
    ]
}

extension Judge {
    /// The judges of sockets, in the order of the contract's table.
    static let socketJudges: [any ObligationJudge.Type] = [
        SocketEndpoint.self, SingleConnection.self, WaitsForConnected.self, RefusedHandshake.self,
        MessageShape.self, NoSendWhileStreaming.self, KeepAlive.self, ReconnectBackoff.self, ReconnectLimit.self,
        NoReconnectAfterOwnClose.self, RecoversHistory.self, CloseHandshake.self,
    ]
}

/// Judges one obligation: a state machine over the facts of a journal, in order.
///
/// Its state is bounded, whatever the journal holds: what is kept per user, token or id lives in a ``Recent``.
protocol ObligationJudge: Sendable {
    /// What it judges.
    static var obligation: Obligation { get }

    /// What a record has to tell beside requests, answers and messages, or the client is not judged by it.
    static var needs: Evidence { get }

    init()

    /// Takes the next fact; the scene already knows of it.
    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings)

    /// Says what is still owed at the end of the journal: what is overdue at that time is a breach.
    ///
    /// What was not due yet is none: the client may have kept it later.
    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings)
}

extension ObligationJudge {
    static var needs: Evidence { [] }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {}
}

/// A dictionary that forgets the values written longest ago, so that a judge's memory is bounded.
struct Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The most values, after which older ones go.
    let capacity: Int
    private var current: [Key: Value] = [:]
    private var previous: [Key: Value] = [:]

    /// Makes an empty one; between half its capacity and all of it is remembered for certain.
    init(capacity: Int = RecentLimits.usual) {
        precondition(capacity > 1, "there is room for something")
        self.capacity = capacity
    }

    /// The value of a key; setting it makes it the newest, nil forgets it.
    subscript(key: Key) -> Value? {
        get { current[key] ?? previous[key] }
        set {
            previous[key] = nil
            current[key] = newValue
            if current.count * 2 > capacity { (previous, current) = (current, [:]) }
        }
    }

    /// What is remembered, in no order: sort before anything is shown.
    var values: [Value] { Array(current.values) + previous.values }
    /// The keys of what is remembered, in no order.
    var keys: [Key] { Array(current.keys) + previous.keys }
}

/// How many users, sockets or ids a judge remembers.
enum RecentLimits {
    static let usual = 10_000
    /// Of kinds whose values are large.
    static let fewest = 2000
}
