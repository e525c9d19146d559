import FitIQAPI
import Judging
import Sockets

/// Plays one case: takes a world and its client through the steps.
struct CasePlay {
    let world: StageWorld
    let client: any ClientUnderTest
    private(set) var result: CaseResult
    let stepLimit: Int
    let grace: Duration
    /// The time on the suite's clock; for clients on the system's clock, the total time of the steps so far.
    var now: Timestamp
    var stepCount = 0
    /// The expectations being watched, each with its story step.
    private var watched: [(expectation: ClientExpectation, step: Int?)] = []
    private var broken: Set<ClientExpectation> = []
    /// The client's latest report.
    private var shown = ClientReport()
    /// The problems of each kind that the client showed its user, taken from the report that had the most of them.
    private var problems: [ClientReport.Problem.Kind: [ClientReport.Problem]] = [:]
    /// The index of the story's current step, or nil in a case.
    private var place: Int?
    /// The times of user actions other than messages, and the number of problems that the user had seen by the last
    /// such action.
    private var asked: [Timestamp] = []
    private var oldProblemCount = 0
    /// The instruction that the client does not support.
    private var missing: ClientInstruction?
    /// The state of the client and the world at the last check during this wait, or nil if the client does not report a
    /// revision.
    private var looked: Look?
    /// Why the expectation was not met at the last check.
    private var lastFailure: (() -> CaseFailure)?
    /// The world's activity when it was last idle.
    private var lastActivity: UInt64?

    private struct Look: Equatable {
        var revision: UInt64
        var activity: UInt64
    }

    enum Stop: Error {
        /// The client did not meet an expectation.
        case failed(CaseFailure)
        /// The suite cannot drive the client, so the traffic does not show the reason.
        case undrivable(any Error)
        /// The client and its world were still busy after this many checks.
        case restless(looks: Int)
        /// The client does not support this instruction.
        case unsupported(String)

        static func failed(_ message: String) -> Stop { .failed(CaseFailure(message: message)) }
    }

    init(world: StageWorld, client: any ClientUnderTest, result: CaseResult, stepLimit: Int, grace: Duration) {
        (self.world, self.client, self.result) = (world, client, result)
        (self.stepLimit, self.grace) = (stepLimit, grace)
        now = world.access.now
    }

    /// Plays the steps and then judges the client.
    ///
    /// Only harness errors are thrown.
    ///
    /// Judge the client before ending it, because it is not responsible for being ended.
    mutating func run() async throws {
        var isDrivable = true
        do {
            for step in result.contractCase.steps { try await play(step) }
        } catch let stop as Stop {
            switch stop {
            case .failed(let failure): result.failures.append(failure)
            case .undrivable(let error):
                isDrivable = false
                result.failures.append(CaseFailure(message: Messages.cannotBeDriven(error)))
            case .restless(let looks): result.failures.append(CaseFailure(message: Messages.neverQuiet(looks: looks)))
            case .unsupported(let instruction):
                result.skipped = "The client does not support \(instruction), which the case needs."
                result.missing = missing
                // An unsupported instruction skips the case, so the results so far do not count.
                result.failures = []
            }
        }
        result.isAboutSwift = client.language?.lowercased() == "swift"
        if let judgement = try await world.judgement() {
            result.verdicts = judgement.verdicts
            if !isDrivable { result.excuseOwnEnd() }
            result.exposures = judgement.exposures
            result.coverage = judgement.coverage
            result.hasConnected = judgement.hasConnected
            result.missedCount = judgement.missedCount
        }
        if !result.failures.isEmpty {
            let entries = try await world.entries()
            result.lastEntries = entries.filter(\.event.isOnTheWire).suffix(4)
            // Judge in the union mode, because every server refuses upper-case IDs, even if its guide has no clause
            // about them.
            var judge = Judge(mode: .union)
            for entry in entries { judge.observe(entry) }
            result.hasUpperCaseIDs = judge.verdicts(at: now).contains {
                $0.obligation.id == "ids/lowercase" && $0.outcome == .broken
            }
            if isDrivable { result.advice = Advice(entries, isAboutSwift: result.isAboutSwift).sentence }
        }
        result.contractTime = elapsed
    }

    /// Plays all steps regardless of their results, and adds the client's behaviour to an outcome.
    ///
    /// Unmet expectations are recorded. Unsupported instructions are skipped, and so are expectations about what the
    /// client does not report. The story ends early only if the client cannot be driven or never becomes idle.
    mutating func play(into outcome: inout TrialOutcome) async throws {
        for (index, step) in result.contractCase.steps.enumerated() {
            place = index
            do {
                if case .quiet(let duration) = step {
                    try await passQuietly(duration, &outcome)
                } else {
                    try await play(step)
                }
            } catch let stop as Stop {
                switch stop {
                case .failed(let failure): note(failure, at: index)
                case .unsupported(let name): if step.expectation == nil { outcome.unsupported.insert(name) }
                case .restless(let looks): outcome.end = .restless(looks: looks)
                case .undrivable(let error): outcome.end = .undrivable(Messages.cannotBeDriven(error))
                }
            }
            guard outcome.end == .finished else { break }
        }
        (outcome.failures, outcome.problems) = (result.failures, problems)
        outcome.entries = try await world.entries()
        outcome.endedAt = now
        outcome.asked = asked
    }

    /// Lets time pass, and records the entries written in the meantime.
    private mutating func passQuietly(_ duration: Duration, _ outcome: inout TrialOutcome) async throws {
        try await settle()
        let start = try await world.entries().last?.number ?? 0
        outcome.quietSince = now
        try await pass(duration)
        outcome.quiet = start + 1..<max(start, try await world.entries().last?.number ?? 0) + 1
    }

    /// Records a failure of a step.
    private mutating func note(_ failure: CaseFailure, at step: Int?) {
        var failure = failure
        failure.step = step
        result.failures.append(failure)
    }

    private mutating func play(_ step: Step) async throws {
        result.looked.formUnion(step.expectation?.checks ?? [])
        switch step {
        case .perform(let instruction):
            // Old adapters do not support this instruction.
            if instruction == .loadQuickActions { _ = try await observe([.quickActions]) }
            try await perform(instruction)
        case .chatAboutGoal(let title):
            let report = try await asking { try await $0.report() }
            guard let goal = report.goals.last(where: { $0.title == title }) else {
                throw Stop.failed(
                    "There is no goal \(Messages.quoted(title)) to chat about; the client showed "
                        + "\(Messages.goals(report)).")
            }
            try await perform(.chatAboutGoal(id: goal.id))
        case .deleteConsultation(let id): try await world.deleteConsultation(id)
        case .pass(let duration), .quiet(let duration): try await pass(duration)
        case .until(let expectation, let limit): try await pass(limit, until: expectation)
        case .expect(let expectation):
            try await settle()
            if let failure = expectation.failure(in: try await observe([expectation])) {
                note(failure().told(after: elapsed), at: place)
            }
        case .watch(let expectation): watched.append((expectation, place))
        }
    }

    private mutating func perform(_ instruction: ClientInstruction) async throws {
        if case .send = instruction {
        } else {
            asked.append(now)
            oldProblemCount = shown.problems.count
        }
        do {
            try await client.perform(instruction)
        } catch let error as UnsupportedInstruction {
            missing = instruction
            throw Stop.unsupported(error.instruction)
        } catch {
            throw Stop.undrivable(error)
        }
    }

    /// Lets time pass until the end, or until the expectation is met if there is one.
    private mutating func pass(_ duration: Duration, until expectation: ClientExpectation? = nil) async throws {
        let end = now.advanced(by: duration)
        looked = nil
        let isCarried = client.clock == .suite
        let failure = try await isCarried ? carry(to: end, until: expectation) : wait(until: end, for: expectation)
        if let failure { throw Stop.failed(failure.told(after: elapsed, within: duration)) }
    }

    func asking<Answer>(_ question: (any ClientUnderTest) async throws -> Answer) async throws -> Answer {
        do {
            return try await question(client)
        } catch {
            throw Stop.undrivable(error)
        }
    }

    /// Checks the client and all watched expectations.
    ///
    /// The first breach of each expectation is recorded.
    ///
    /// - Returns: Why the client fails the expectation; nil if it does not.
    mutating func look(for expectation: ClientExpectation?) async throws -> (() -> CaseFailure)? {
        guard expectation != nil || !watched.isEmpty else { return nil }
        if let revision = client.revision, let lastActivity {
            let look = Look(revision: revision, activity: lastActivity)
            if look == looked { return lastFailure }
            looked = look
        }
        let observation = try await observe(watched.map(\.expectation) + (expectation.map { [$0] } ?? []))
        for (watch, step) in watched where !broken.contains(watch) {
            guard let failure = watch.failure(in: observation) else { continue }
            broken.insert(watch)
            note(failure().told(after: elapsed), at: step)
        }
        lastFailure = expectation?.failure(in: observation)
        return lastFailure
    }

    private mutating func observe(_ expectations: [ClientExpectation]) async throws -> ObservedState {
        let before = self.shown
        let shown = try await asking { try await $0.report() }
        self.shown = shown
        if shown.problems != before.problems {
            problems.merge(Dictionary(grouping: shown.problems, by: \.kind)) { $1.count > $0.count ? $1 : $0 }
        }
        if let member = expectations.lazy.compactMap({ $0.unsaid(in: shown) }).first {
            throw Stop.unsupported("reporting \(member)")
        }
        var observation = ObservedState(report: shown, before: before.transcript, oldProblemCount: oldProblemCount)
        if let consultation = observation.report.consultation, expectations.contains(where: \.needsStoredMessages) {
            observation.stored = try await world.storedMessages(of: consultation)
        }
        return observation
    }

    private var elapsed: Duration { .nanoseconds(now.nanosecondsSinceEpoch - world.access.now.nanosecondsSinceEpoch) }
}

extension CaseFailure {
    /// The failure, with the time at which it occurred and the step's maximum wait.
    fileprivate func told(after elapsed: Duration, within limit: Duration? = nil) -> CaseFailure {
        CaseFailure(message: Messages.told(message, after: elapsed, within: limit), check: check, at: elapsed)
    }

    fileprivate func told(after elapsed: Duration, idleFor idle: Duration) -> CaseFailure {
        CaseFailure(message: Messages.told(message, after: elapsed, idleFor: idle), check: check, at: elapsed)
    }
}

extension Timestamp {
    func advanced(by duration: Duration) -> Timestamp { advanced(byNanoseconds: duration.nanoseconds) }
}

/// Advances a world on the manual clock and a client on the suite's clock together, from event to event.
extension CasePlay {
    /// The number of checks in which both sides must be idle before time advances, because a process's output may be in
    /// transit.
    static let quietRounds = 2

    /// Advances both sides to a point in time, or until the expectation is met.
    ///
    /// - Returns: Why the client fails the expectation at the end; nil if it does not.
    mutating func carry(to end: Timestamp, until expectation: ClientExpectation?) async throws -> CaseFailure? {
        while true {
            let next = try await settle()
            let failure = try await look(for: expectation)
            if expectation != nil, failure == nil { return nil }
            if now >= end { return failure?() }
            now = min(next ?? end, end)
            try await world.advance(to: now)
        }
    }

    /// Lets both sides do all work that is due; returns the time of the next event on either side.
    @discardableResult
    mutating func settle() async throws -> Timestamp? {
        guard client.clock == .suite else { return nil }
        // If bytes arrive immediately, nothing is in transit.
        let rounds = world.stage.isPrompt ? 1 : Self.quietRounds
        var quiet = 0
        var activity = world.stage.isPrompt ? lastActivity : nil
        while true {
            stepCount += 1
            guard stepCount <= stepLimit else { throw Stop.restless(looks: stepLimit) }
            let time = now
            let clientDue = try await asking { try await $0.settle(at: time) }
            let pulse = try await world.pulse(at: now)
            quiet = pulse.activity == activity ? quiet + 1 : 0
            activity = pulse.activity
            // A timer that is due counts as work.
            if let clientDue, clientDue <= now { quiet = 0 }
            // A date in the past is a time-out on the system's clock; the world's clock does not trigger it.
            let worldDue = pulse.nextDue.flatMap { $0 > now ? $0 : nil }
            lastActivity = pulse.activity
            if quiet >= rounds { return .earliest(clientDue, worldDue) }
        }
    }

    // MARK: Waits for a client on the system's clock

    /// The pause between two checks, in nanoseconds: 20 ms.
    private static let pause: Int64 = 20_000_000

    /// Waits for a point in time, or until the expectation is met.
    ///
    /// - Returns: Why the client fails the expectation at the end; nil if it does not.
    /// - Throws: ``Stop`` if both sides are idle, so that the expectation will never be met.
    mutating func wait(until end: Timestamp, for expectation: ClientExpectation?) async throws -> CaseFailure? {
        var mark = MonotonicInstant.now()
        var idleness = Idleness(grace: grace)
        var traffic = 0
        while true {
            let failure = try await look(for: expectation)
            if expectation != nil, failure == nil { return nil }
            if now >= end { return failure?() }
            if let failure {
                let backend = try await world.idleness(after: traffic)
                traffic = backend.lastTraffic
                if let time = idleness.time(shown, backend, at: now, until: end) {
                    throw Stop.failed(failure().told(after: elapsed, idleFor: time))
                }
            }
            let left = end.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch
            try await SystemThread.wait(until: MonotonicInstant(nanoseconds: mark.nanoseconds + min(Self.pause, left)))
            // The duration of the check counts as contract time.
            let then = MonotonicInstant.now()
            now = now.advanced(byNanoseconds: then.nanoseconds - mark.nanoseconds)
            mark = then
        }
    }
}
