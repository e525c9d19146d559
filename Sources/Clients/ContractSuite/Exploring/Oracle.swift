import FitIQAPI
import JSON
import Judging
import Traffic

/// A client's symptom in a run.
public struct Symptom: Sendable, Hashable {
    /// The ID of an obligation, an internal check or an ``ExploreCheck``.
    public let id: String
    public let level: Obligation.Level
    /// What the client did, as a sentence.
    public let message: String
    /// The client's situation at the time.
    public let situation: Situation
    /// The numbers of the entries that show the symptom, oldest first.
    public let entries: [Int]

    /// All IDs except the IDs of obligations.
    public static let ids = InsideCheck.allCases.map(\.rawValue) + ExploreCheck.allCases.map(\.rawValue)
}

/// A judge's verdicts on a run, from one pass over its entries.
public struct TrialReading: Sendable {
    public let verdicts: [Verdict]
    public let coverage: Coverage
    /// The client's situation before each entry and at the end.
    public let situations: [Situation]

    public init(_ outcome: TrialOutcome) {
        var judge = Judge(mode: outcome.mode)
        var situations = [judge.situation]
        situations.reserveCapacity(outcome.entries.count + 1)
        for entry in outcome.entries {
            judge.observe(entry)
            situations.append(judge.situation)
        }
        (verdicts, coverage, self.situations) = (judge.verdicts(at: outcome.endedAt), judge.coverage, situations)
    }
}

/// Finds a client's symptoms in a run, except for symptoms that the client also shows without faults.
public struct Oracle: Sendable {
    private let stories: [Story]
    /// Whether a command may end with any status.
    private let mayFail: Bool
    /// Each story's symptoms without faults, and its maximum number of requests per minute.
    private var baselines: [Baseline]

    private struct Baseline {
        var ids: Set<String> = []  // Ids of symptoms: constants.
        var peak = 0
        /// The maximum number of problems of each kind that the client shows its user; nil if unknown.
        var problems: [ClientReport.Problem.Kind: Int]?
    }

    /// The allowed requests and handshakes per minute relative to runs without faults: a factor and an amount to add.
    static let floodFactor = 3
    static let floodRoom = 60

    public init(_ stories: [Story], mayFail: Bool = false) {
        (self.stories, self.mayFail) = (stories, mayFail)
        baselines = stories.map { _ in Baseline() }
    }

    /// Measures the client's traffic in a run without faults, and notes the problems that it shows its user.
    ///
    /// In such a run, only endless traffic counts as a flood.
    public mutating func learn(_ outcome: TrialOutcome, story: Int) {
        baselines[story].peak = max(baselines[story].peak, Self.busiestMinute(outcome.entries).count)
        let counts = outcome.problems.mapValues(\.count)
        baselines[story].problems = counts.merging(baselines[story].problems ?? [:], uniquingKeysWith: max)
    }

    /// Ignores a symptom from now on, because the story also shows it without faults.
    public mutating func excuse(_ id: String, story: Int) { baselines[story].ids.insert(id) }

    /// A run's symptoms, each ID once, except for symptoms that the story also shows without faults.
    ///
    /// - Parameters:
    ///   - isHarmed: Whether faults excuse what the client shows its user.
    ///   - isNewer: Whether the only faults are those that the client must ignore. Each unmet expectation of the story
    ///     then means that the client did not ignore them.
    public func symptoms(
        of outcome: TrialOutcome, _ reading: TrialReading, story: Int, isHarmed: Bool = true, isNewer: Bool = false
    ) -> [Symptom] {
        var symptoms: [Symptom] = []
        func add(
            _ id: String, _ message: String, level: Obligation.Level = .must, entries: [Int] = [], at place: Int? = nil
        ) {
            guard !baselines[story].ids.contains(id), !symptoms.contains(where: { $0.id == id }) else { return }
            let situation = reading.situations[min(place ?? Int.max, reading.situations.count - 1)]
            symptoms.append(Symptom(id: id, level: level, message: message, situation: situation, entries: entries))
        }
        for verdict in reading.verdicts where verdict.outcome == .broken {
            let level: Obligation.Level = verdict.failsRun ? .must : .should
            let blamed = verdict.findings.first { $0.level == level && !outcome.isAskedFor($0, verdict.obligation) }
            guard let finding = blamed else { continue }
            let numbers = finding.evidence.map(\.number)
            add(
                verdict.obligation.id, finding.message, level: level, entries: numbers,
                at: numbers.last.map { Self.place(of: $0, in: outcome.entries) })
        }
        for verdict in outcome.made.flatMap(\.judgement.verdicts) where verdict.outcome == .broken {
            let level: Obligation.Level = verdict.failsRun ? .must : .should
            guard let finding = verdict.findings.first(where: { $0.level == level }) else { continue }
            // The verdict's entries are not in this journal.
            add(verdict.obligation.id, finding.message, level: level)
        }
        // A client that does not support an instruction cannot perform the steps.
        for failure in outcome.unsupported.isEmpty ? outcome.failures : [] {
            if let step = failure.step,
                !stories[story].counts(step: step, failure.check, in: outcome.mode, isHarmed: isHarmed)
            {
                continue
            }
            let check = failure.step.flatMap { stories[story].symptoms[$0] }
            guard let own = failure.check?.rawValue ?? check?.rawValue, !baselines[story].ids.contains(own) else {
                continue
            }
            let id = isNewer ? InsideCheck.unknown.rawValue : own
            let time = outcome.startedAt.advanced(by: failure.at)
            if [.transcript, .cutStream].contains(failure.check), outcome.isHistoryWithheld(at: time, reading) {
                continue
            }
            let place = outcome.entries.lastIndex { $0.time <= time }.map { $0 + 1 }
            add(id, failure.message, entries: Self.lastTraffic(outcome.entries.prefix(place ?? 0)), at: place)
        }
        let last = Self.lastTraffic(outcome.entries[...])
        // In another world, the problems in a run without faults say nothing about the story's expectations.
        let isExpecting = stories[story].expects(isHarmed: isHarmed) && outcome.unsupported.isEmpty
        if isExpecting, let usual = baselines[story].problems {
            for kind in ClientReport.Problem.Kind.allCases {
                guard let problems = outcome.problems[kind], problems.count > usual[kind, default: 0] else { continue }
                add(InsideCheck.unknown.rawValue, ExploringMessages.unusual(problems), entries: last)
            }
        }
        if let (check, message) = end(outcome.end) { add(check.rawValue, message, entries: last) }
        let minute = Self.busiestMinute(outcome.entries)
        let limit = baselines[story].peak * Self.floodFactor + Self.floodRoom
        if minute.count > limit || outcome.entries.count > MemoryTrial.entryLimit {
            let numbers = outcome.entries[minute.places].map(\.number)
            let message =
                minute.count > limit
                ? ExploringMessages.flood(minute.count, limit: limit)
                : ExploringMessages.flood(entries: outcome.entries.count)
            add(ExploreCheck.flood.rawValue, message, entries: Array(numbers.prefix(4)), at: minute.places.lowerBound)
        }
        // A client without `disconnect` may continue.
        if !outcome.unsupported.contains("disconnect"), let entry = Self.unasked(outcome) {
            add(
                ExploreCheck.restless.rawValue,
                "The client continued after its user had left: \(EntryLine(entry, since: outcome.startedAt).text)",
                entries: [entry.number], at: Self.place(of: entry.number, in: outcome.entries))
        }
        return symptoms
    }

    private func end(_ end: TrialOutcome.End) -> (ExploreCheck, String)? {
        switch end {
        case .finished: nil
        case .command(.exited(let status)): status == 0 || mayFail ? nil : (.command, ExploringMessages.exited(status))
        case .command(.signalled(let signal)): (.crash, "Signal \(signal) ended the client.")
        case .command(.timedOut(let limit)):
            (.hang, "The client was still running after \(Messages.text(.nanoseconds(limit))).")
        case .restless(let looks): (.flood, Messages.neverQuiet(looks: looks))
        case .undrivable(let reason): (.crash, reason)
        }
    }

    /// The index of the entry with a number; entries can be missing only at the start of a journal.
    private static func place(of number: Int, in entries: [JournalEntry]) -> Int {
        guard let first = entries.first?.number else { return 0 }
        return min(max(0, number - first), entries.count - 1)
    }

    /// The numbers of the last two entries that are not pings or pongs.
    private static func lastTraffic(_ entries: ArraySlice<JournalEntry>) -> [Int] {
        entries.lazy.filter(\.event.isOnTheWire).suffix(2).map(\.number)
    }

    /// The maximum number of requests and handshakes in a minute of world time, and the range of their entries.
    static func busiestMinute(_ entries: [JournalEntry]) -> (count: Int, places: Range<Int>) {
        let places = entries.indices.filter { entries[$0].event.request != nil }
        var most = (count: 0, places: 0..<0)
        var first = 0
        for (last, place) in places.enumerated() {
            let earliest = entries[place].time.advanced(byNanoseconds: -60_000_000_000)
            while entries[places[first]].time < earliest { first += 1 }
            if last - first + 1 > most.count { most = (last - first + 1, places[first]..<place + 1) }
        }
        return most
    }

    /// The first request that the client started after its user left, if any.
    private static func unasked(_ outcome: TrialOutcome) -> JournalEntry? {
        guard let quiet = outcome.quiet, let since = outcome.quietSince else { return nil }
        return outcome.entries.first(where: { entry in
            guard quiet.contains(entry.number) else { return false }
            // The response may arrive long after its request.
            if let request = entry.event.request { return request.requestedAt > since }
            guard case .frame(let frame) = entry.event else { return false }
            return frame.sender == .client && frame.opcode != .close
        })
    }
}

extension TrialOutcome {
    /// Whether the client may not be responsible for a finding.
    ///
    /// A response may have arrived after the client gave up. If the client repeats a request too often or too soon, its
    /// user may have acted in between, or the journal may have recorded a concurrent attempt later.
    fileprivate func isAskedFor(_ finding: Finding, _ obligation: Obligation) -> Bool {
        if finding.evidence.dropLast().contains(where: \.isLate) { return true }
        guard let first = finding.evidence.first, let last = finding.evidence.last else { return false }
        switch obligation.id {
        case "ws/recovers-history":
            // The client may be making an attempt, or may be pausing after failures.
            let rest = first.time.advanced(byNanoseconds: -61_000_000_000)
            return entries.contains { entry in
                guard let request = entry.event.request, request.endpoint == .listMessages else { return false }
                return entry.time > rest && request.requestedAt <= last.time && (entry.isLate || request.isWithheld)
            }
        case "auth/refresh-after-401":
            if finding.evidence.contains(where: { $0.isLate || $0.event.request?.delivery != .complete }) {
                return true
            }
        case "consultation/conflict-continues-existing":
            if let begin = last.event.request?.requestedAt {
                return asked.count { first.time <= $0 && $0 < begin } > 1
            }
        case "meal/no-poll-while-connected":
            // A client that could not read the response for a logged meal finds the result only in the list, so its
            // wait is justified.
            let since = last.time.advanced(byNanoseconds: -61_000_000_000)
            let isUnsure = entries.contains { entry in
                guard let request = entry.event.request, request.endpoint == .createMealLog else { return false }
                return since <= entry.time && request.requestedAt <= last.time
                    && (entry.time > last.time || request.isWithheld)
            }
            if isUnsure { return true }
        default: break
        }
        guard Self.repeats.contains(obligation.id), let begin = last.event.request else { return false }
        var start = first.time
        for entry in attempts(like: begin) {
            guard let request = entry.event.request else { continue }
            if request.requestedAt < begin.requestedAt, entry.time > begin.requestedAt { return true }
            // A series of attempts, as judges count it.
            if entry.time <= start, start <= entry.time.advanced(byNanoseconds: 61_000_000_000) {
                start = request.requestedAt
            }
        }
        // Users cannot restart a series of polls.
        if obligation.id.hasPrefix("meal/") { return false }
        if asked.contains(where: { start < $0 && $0 <= begin.requestedAt }) { return true }
        // The wait is long enough, but shorter than the previous wait because the user ended it.
        guard obligation.id == "ws/reconnect-backoff", let tried = first.event.request,
            let failure = finding.evidence.dropLast().last,
            begin.requestedAt >= failure.time.advanced(byNanoseconds: 950_000_000)
        else { return false }
        let before = attempts(like: tried).compactMap { $0.event.request?.requestedAt }.filter {
            $0 < tried.requestedAt
        }
        return asked.contains { (before.max() ?? startedAt) < $0 && $0 <= tried.requestedAt }
    }

    /// The obligations that a client breaks by sending requests too often or too early.
    private static let repeats: Set = [
        "retry/backoff-on-5xx", "ws/reconnect-backoff", "ws/reconnect-limit", "meal/no-poll-while-connected",
        "meal/polling-cadence",
    ]

    /// The entries for equal requests, newest first.
    private func attempts(like other: RecordedExchange) -> [JournalEntry] {
        entries.reversed().filter { entry in
            guard let request = entry.event.request, request.endpoint == other.endpoint else { return false }
            return ExactString(request.head.target.description) == ExactString(other.head.target.description)
        }
    }

    /// Whether the missing content is only in the history, which the client has not received yet.
    ///
    /// This happens after a lost, repeated or changed frame, or if a socket ends during an answer, because chunks have
    /// no numbers.
    fileprivate func isHistoryWithheld(at time: Timestamp, _ reading: TrialReading) -> Bool {
        var isTouched = false
        var isRefused = false
        // Without a token, the client cannot request the history.
        var lacksToken = false
        for (entry, situation) in zip(entries, reading.situations) {
            switch entry.event {
            case .exchange(let exchange) where entry.time <= time:
                lacksToken = exchange.status == 401 || lacksToken && exchange.isWithheld
                if exchange.endpoint == .listMessages { isRefused = exchange.isWithheld }
            case .exchange(let exchange) where exchange.endpoint == .listMessages && exchange.requestedAt <= time:
                isRefused = true
            case .frame(let frame) where entry.time <= time && frame.sender == .server:
                if !frame.faults.isEmpty || frame.delivery != .complete { isTouched = true }
            case .closed where entry.time <= time && situation.socket != .idle: isTouched = true
            case .fault where entry.time <= time: isTouched = true
            default: break
            }
        }
        return isTouched && (isRefused || lacksToken)
    }
}

extension RecordedExchange {
    /// Whether the client may not have received the backend's response.
    fileprivate var isWithheld: Bool { !((200..<300).contains(status ?? 0) && delivery == .complete && faults.isEmpty) }
}

extension JournalEntry {
    /// Whether a fault delayed a response by 10 s, in which case the client may have given up.
    fileprivate var isLate: Bool {
        guard let request = event.request, !request.faults.isEmpty else { return false }
        return time >= request.requestedAt.advanced(byNanoseconds: 10_000_000_000)
    }
}
