import FitIQAPI
import Obligations
import Text

/// A case while it is played: carries a world and its client through the steps.
struct CasePlay {
    let world: StageWorld
    let client: any ClientUnderTest
    private(set) var result: CaseResult
    let stepLimit: Int

    /// What time it is by the suite's clock; for clients of the system's, how far the steps have got.
    var now: Timestamp
    /// How often the client and its world were looked at.
    var stepCount = 0
    private var watched: [ClientExpectation] = []
    private var broken: Set<ClientExpectation> = []

    /// Why a case goes no further.
    enum Stop: Error {
        /// What was expected did not come, or the client cannot be driven.
        case failed(CaseFailure)
        /// The client cannot do what is asked.
        case skipped(String)
    }

    init(world: StageWorld, client: any ClientUnderTest, result: CaseResult, stepLimit: Int) {
        self.world = world
        self.client = client
        self.result = result
        self.stepLimit = stepLimit
        now = world.access.now
    }

    /// Plays the steps, then has the client judged.
    ///
    /// The judgement comes before the client ends: how the harness ends it is not the client's doing.
    ///
    /// - Throws: what is the harness's own trouble.
    mutating func run() async throws {
        do {
            for step in result.contractCase.steps { try await play(step) }
        } catch let stop as Stop {
            switch stop {
            case .failed(let failure): result.failures.append(failure)
            case .skipped(let reason): result.skipped = reason
            }
        }
        if let judgement = try await world.judgement() {
            result.verdicts = judgement.verdicts
            result.exposures = judgement.exposures
            result.hasConnected = judgement.hasConnected
            result.missedCount = judgement.missedCount
        }
        if !result.failures.isEmpty { result.lastEntries = try await world.lastEntries() }
        let passed = now.nanosecondsSinceEpoch - world.access.now.nanosecondsSinceEpoch
        result.contractTime = .nanoseconds(passed)
    }

    private mutating func play(_ step: Step) async throws {
        switch step {
        case .perform(let instruction): try await perform(instruction)
        case .chatAboutGoal(let title):
            let report = try await asking { try await $0.report() }
            guard let goal = report.goals.last(where: { $0.title == title }) else {
                throw Stop.failed(CaseFailure(message: Messages.noSuchGoal(title, report)))
            }
            try await perform(.chatAboutGoal(id: goal.id))
        case .pass(let duration): try await pass(duration, until: nil)
        case .until(let expectation, let limit):
            result.looked.formUnion(expectation.checks)
            try await pass(limit, until: expectation)
        case .expect(let expectation):
            result.looked.formUnion(expectation.checks)
            try await settle()
            if let failure = expectation.failure(in: try await observe([expectation])) {
                result.failures.append(failure.told(after: elapsed))
            }
        case .watch(let expectation):
            result.looked.formUnion(expectation.checks)
            watched.append(expectation)
        }
    }

    private func perform(_ instruction: ClientInstruction) async throws {
        do {
            try await client.perform(instruction)
        } catch let error as UnsupportedInstruction {
            throw Stop.skipped(Messages.unsupported(error.instruction))
        } catch {
            throw Stop.failed(CaseFailure(message: Messages.cannotBeDriven(error)))
        }
    }

    /// Lets time pass, until the expectation is met where there is one.
    private mutating func pass(_ duration: Duration, until expectation: ClientExpectation?) async throws {
        let end = now.advanced(by: duration)
        let failure =
            switch client.clock {
            case .suite: try await carry(to: end, until: expectation)
            case .system: try await wait(until: end, for: expectation)
            }
        if let failure { throw Stop.failed(failure.told(after: elapsed, within: duration)) }
    }

    /// Asks the client; what it throws ends the case.
    func asking<Answer>(_ question: (any ClientUnderTest) async throws -> Answer) async throws -> Answer {
        do {
            return try await question(client)
        } catch {
            throw Stop.failed(CaseFailure(message: Messages.cannotBeDriven(error)))
        }
    }

    /// Looks at the client, and at what it is watched for; the first breach of each is kept.
    ///
    /// - Returns: why the expectation is not met; nil where it is, or there is none.
    mutating func look(for expectation: ClientExpectation?) async throws -> CaseFailure? {
        guard expectation != nil || !watched.isEmpty else { return nil }
        let observation = try await observe(watched + (expectation.map { [$0] } ?? []))
        for watch in watched where !broken.contains(watch) {
            guard let failure = watch.failure(in: observation) else { continue }
            broken.insert(watch)
            result.failures.append(failure.told(after: elapsed))
        }
        return expectation?.failure(in: observation)
    }

    private func observe(_ expectations: [ClientExpectation]) async throws -> Observation {
        var observation = Observation(report: try await asking { try await $0.report() })
        if let consultation = observation.report.consultation, expectations.contains(where: \.needsStoredMessages) {
            observation.stored = try await world.storedMessages(of: consultation)
        }
        return observation
    }

    /// How much of the contract's time has passed.
    private var elapsed: Duration {
        .nanoseconds(now.nanosecondsSinceEpoch - world.access.now.nanosecondsSinceEpoch)
    }
}

extension CaseFailure {
    /// With the time at which it showed, and how long was waited for it.
    fileprivate func told(after elapsed: Duration, within limit: Duration? = nil) -> CaseFailure {
        CaseFailure(message: Messages.told(message, after: elapsed, within: limit), check: check)
    }
}

extension Timestamp {
    /// The point in time that lies so much later.
    func advanced(by duration: Duration) -> Timestamp {
        advanced(byNanoseconds: duration.nanoseconds)
    }
}
