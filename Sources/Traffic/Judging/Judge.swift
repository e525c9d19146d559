import FitIQAPI
import Traffic

/// Judges a client from a world's growing journal.
///
/// The judge is a pure state machine that turns entries into verdicts. The judge's memory is bounded, regardless of the
/// journal's length.
public struct Judge: Sendable {
    private var scene: Scene
    private var places: [Place]
    private var exposureCounter = ExposureCounter()
    private var situationCounter = SituationCounter()
    /// The number of the last judged entry; 0 before the first.
    public private(set) var lastNumber = 0
    /// The number of entries that the journal dropped before they were judged.
    public private(set) var missedCount = 0
    private var end = Timestamp(nanosecondsSinceEpoch: 0)
    /// Whether a real server has answered; the journal shows only part of a real server's state.
    private var isBeforeRealServer = false
    /// Whether the client is written in Swift; nil until a request identifies it.
    private var isAboutSwift: Bool?

    private struct Place: Sendable {
        var judge: any ObligationJudge
        /// Whether the recording contains the evidence that this judge needs.
        var isHeard: Bool
        var findings: Findings

        mutating func observe(_ fact: Fact, in scene: Scene) {
            if isHeard { judge.observe(fact, in: scene, &findings) }
        }
    }

    /// Creates a judge for a mode.
    ///
    /// Obligations that need evidence other than `evidence` count as not exercised.
    public init(mode: GuideMode, evidence: Evidence = .all) {
        scene = Scene(mode: mode)
        places = Self.judges.filter { $0.obligation.applies(in: mode) }.map { judge in
            Place(
                judge: judge.init(), isHeard: judge.needs.isSubset(of: evidence),
                findings: Findings(of: judge.obligation))
        }
    }

    /// Observes the next journal entry; skipped numbers count as missed.
    public mutating func observe(_ entry: JournalEntry) {
        missedCount += max(0, entry.number - lastNumber - 1)
        lastNumber = entry.number
        if scene.clock.observe(entry, after: end) {
            for index in places.indices { places[index].findings.clock = scene.clock }
        }
        let entry = scene.clock.shift == 0 ? entry : entry.moved(byNanoseconds: 0 &- scene.clock.shift)
        end = max(end, entry.time)
        if isAboutSwift == nil { isAboutSwift = entry.event.request?.head.fields[.userAgent].map(Self.isSwift) }
        if !isBeforeRealServer, entry.event.request?.answeredBy == .real { dismissWhatNeedsBackend() }
        let fact = Fact(entry)
        scene.observe(fact)
        exposureCounter.observe(fact, in: scene)
        situationCounter.observe(fact, in: scene, exposureCounter.met)
        for index in places.indices { places[index].observe(fact, in: scene) }
    }

    /// Stops judging obligations that depend on the fake's state, and drops their findings.
    private mutating func dismissWhatNeedsBackend() {
        isBeforeRealServer = true
        for index in places.indices where type(of: places[index].judge).needs.contains(.backend) {
            places[index].isHeard = false
            places[index].findings = Findings(of: type(of: places[index].judge).obligation)
        }
    }

    private func factTime(_ date: Timestamp) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: date.nanosecondsSinceEpoch &- scene.clock.shift)
    }

    /// Returns the verdicts so far, in the order of ``obligations``.
    ///
    /// - Parameter time: The end of the judged period, if later than the last entry.
    public func verdicts(at time: Timestamp? = nil) -> [Verdict] {
        let end = max(self.end, time.map(factTime) ?? self.end)
        return places.map { place in
            var findings = place.findings
            if place.isHeard { place.judge.conclude(at: end, in: scene, &findings) }
            var verdict = findings.verdict
            verdict.isAboutSwift = isAboutSwift ?? false
            verdict.isLeftToServer = isBeforeRealServer && type(of: place.judge).needs.contains(.backend)
            return verdict
        }
    }

    /// Whether the User-Agent is one that URLSession sends: `App/1 CFNetwork/1490.0.4 Darwin/23.2.0` on Apple systems,
    /// `App (unknown version) curl/8.5.0` elsewhere.
    private static func isSwift(_ userAgent: String) -> Bool {
        userAgent.contains("CFNetwork/") || userAgent.contains("(unknown version) curl/")
    }

    public var exposures: [Exposure] { exposures() }

    /// The situation of the last active client.
    public var situation: Situation { situationCounter.situation }

    /// The situations of all clients so far.
    public var coverage: Coverage { situationCounter.coverage }

    /// Returns how often the client encountered each failure path, including paths that it never encountered.
    ///
    /// - Parameter time: The end of the observed period, if later than the last entry.
    public func exposures(at time: Timestamp? = nil) -> [Exposure] {
        exposureCounter.exposures(at: max(end, time.map(factTime) ?? end), in: scene)
    }

    /// All obligations that can be judged from outside the client, in the contract's order.
    public static let obligations: [Obligation] = judges.map { $0.obligation }

    /// The judges, in the order of the contract's table.
    static let judges: [any ObligationJudge.Type] = [
        CredentialsOnEveryRequest.self, WebSocketCredentials.self, RefreshAfter401.self, RefreshTokenOnce.self,
        NoExpiredBearer.self, LowercaseIDs.self, BackendGoalIDs.self, GoneNotReused.self, RequestShape.self,
        ConflictContinuesExisting.self,
        LimitStopsCreating.self, HistoryBeforeConnect.self, SocketEndpoint.self, SingleConnection.self,
        MealSocketSingle.self, WaitsForConnected.self, RefusedHandshake.self, MessageShape.self,
        NoSendWhileStreaming.self, KeepAlive.self,
        ReconnectBackoff.self, ReconnectLimit.self, ReconnectsAfterDrop.self, NoReconnectAfterOwnClose.self,
        RecoversHistory.self,
        CloseHandshake.self, RetryBackoff.self, CreatesOnce.self, ReusesConversation.self, LinksCreatedGoal.self,
        NoFetchAfterCompleted.self, NoPollWhileConnected.self, PollingCadence.self,
    ]
}

/// Judges one obligation, as a state machine over a journal's facts in order.
///
/// A judge's state is bounded: values per user, token or ID are stored in a ``Recent``.
protocol ObligationJudge: Sendable {
    static var obligation: Obligation { get }

    /// The evidence that this judge needs in addition to requests, responses and messages.
    static var needs: Evidence { get }

    init()

    /// Observes the next fact; the scene already includes it.
    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings)

    /// Reports actions that are overdue when the journal ends; the client may still act later.
    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings)
}

extension ObligationJudge {
    static var needs: Evidence { [] }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {}
}

/// A dictionary that drops its oldest values, so that a judge's memory is bounded.
struct Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The maximum number of values.
    let capacity: Int
    private var current: [Key: Value] = [:]
    private var previous: [Key: Value] = [:]

    /// Creates an empty dictionary that keeps the newest values, at least half its capacity.
    init(capacity: Int = RecentLimits.usual) {
        precondition(capacity > 1, "the capacity must be greater than 1")
        self.capacity = capacity
    }

    /// The value for a key; setting a value makes it the newest, and setting nil removes it.
    subscript(key: Key) -> Value? {
        get { current[key] ?? (previous.isEmpty ? nil : previous[key]) }
        set {
            if !previous.isEmpty { previous[key] = nil }
            current[key] = newValue
            if current.count * 2 > capacity { (previous, current) = (current, [:]) }
        }
    }

    /// Changes the existing value of a key in place and makes it the newest.
    ///
    /// This is cheaper than getting and setting the value.
    mutating func change(_ key: Key, _ body: (inout Value) -> Void) {
        if let place = current.index(forKey: key) {
            body(&current.values[place])
        } else if var value = previous[key] {
            body(&value)
            self[key] = value
        }
    }

    /// All values in unspecified order; sort them before showing them.
    var values: [Value] { Array(current.values) + previous.values }
}

/// The number of users, sockets or IDs that a judge stores.
enum RecentLimits {
    static let usual = 10_000
    /// The capacity for large values.
    static let fewest = 2000
}
