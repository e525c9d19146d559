import FitIQAPI
import FitIQClient
import Sockets
import Traffic

/// Plays contract cases against a real server, without touching existing data.
///
/// The run only waits for a case's expectations and does not check them; comparing the recording shows the differences.
/// The cases delete nothing. The cases chat in, link and archive only consultations that the same run created.
public struct ConformPlay: Sendable {
    public typealias MakeClient = @Sendable () throws -> FitIQClient
    private let make: MakeClient
    private let recording: @Sendable () throws -> Session
    private let isStopped: @Sendable () -> Bool

    /// Once this many requests have been sent, no more cases start.
    public static let requestLimit = 2000
    /// The pause between two requests, which limits the load on the server.
    ///
    /// If the pause were longer, the client would stop waiting.
    public static let pauses = Duration.zero...Duration.seconds(5)
    /// The default pause for a server on this machine, and for any other server.
    public static let (localPause, remotePause) = (Duration.zero, Duration.milliseconds(100))
    /// The maximum wait in a step, and the maximum wait until the client is idle.
    private static let (patience, grace) = (Duration.seconds(30), Duration.seconds(2))
    /// The maximum idle time in a step, because idle time does not change the answers' format.
    private static let longestPass = Duration.seconds(1)
    private static let lookPause = Duration.milliseconds(10)

    /// - Parameter recording: Returns the recording so far.
    public init(
        recording: @escaping @Sendable () throws -> Session, isStopped: @escaping @Sendable () -> Bool = { false },
        make: @escaping MakeClient
    ) { (self.recording, self.isStopped, self.make) = (recording, isStopped, make) }

    /// The cases that can be played within seconds against a fault-free server: the default world's cases that use no
    /// fixed IDs.
    public static var cases: [ContractCase] {
        ContractCase.all.filter { contractCase in
            contractCase.setting == .builtIn("default") && contractCase.guide == nil
                && contractCase.leastDuration <= .seconds(10)
        }
    }

    public struct Outcome: Sendable {
        public let address: String
        /// The index of the case's first entry in the recording.
        public let firstEntry: Int
        /// Why the case was not completed, as a sentence, or nil if it was.
        public var trouble: String?
    }

    /// - Returns: Nil if the run was stopped or no requests are left.
    /// - Throws: Harness errors.
    public func play(_ contractCase: ContractCase) async throws -> Outcome? {
        let before = try recording().entries.count
        guard before < Self.requestLimit else { return nil }
        var outcome = Outcome(address: contractCase.address, firstEntry: before)
        let client = try make()
        for step in contractCase.steps where outcome.trouble == nil {
            outcome.trouble = try await trouble(playing: step, with: client)
        }
        // Let work in progress finish.
        client.perform(.disconnect)
        _ = try await wait(with: client) { !$0.isBusy && $0.connection != .connected }
        await client.close()
        return isStopped() ? nil : outcome
    }

    private func trouble(playing step: Step, with client: FitIQClient) async throws -> String? {
        switch step {
        case .perform(let instruction):
            guard try mayPerform(instruction, in: client.state.consultation) else { return ConformMessages.notOurs }
            let now = Timestamp(nanosecondsSinceEpoch: WallClock.nanosecondsSinceEpoch())
            client.perform(ClientCommand(instruction, at: now))
        case .chatAboutGoal(let title):
            guard let goal = client.state.goals.last(where: { $0.title == title }) else { return ConformMessages.unmet }
            client.perform(.chatAboutGoal(id: goal.id))
        case .pass(let duration), .quiet(let duration): try await Self.wait(min(duration, Self.longestPass))
        // A transient state may end before the check.
        case .until(.streaming, _), .expect, .watch: break
        // Only stories in the fake's worlds do so.
        case .deleteConsultation: break
        case .until(let expectation, _):
            let told = expectation.ofReport
            let isMet = try await wait(with: client) { told?.failure(in: ObservedState(report: $0)) == nil }
            return isMet ? nil : ConformMessages.unmet
        }
        return nil
    }

    /// Whether an instruction writes only to consultations that this run created, or to a goal or meal that has no
    /// consultation.
    private func mayPerform(_ instruction: ClientInstruction, in consultation: String?) throws -> Bool {
        switch instruction {
        case .send, .archive: if consultation == nil { return false }
        case .createGoal, .logMeal: break
        default: return true
        }
        guard let id = consultation.map({ Array($0.utf8) }) else { return true }
        return try recording().entries.contains { entry in
            guard let response = entry.response else { return false }
            return response.status == 201 && response.body.bytes.firstRange(of: id) != nil
        }
    }

    /// Waits until the client meets the condition, is idle, or runs out of time; returns whether it met the condition.
    private func wait(with client: FitIQClient, until isMet: (ClientReport) -> Bool) async throws -> Bool {
        let end = MonotonicInstant.now().advanced(by: Self.patience)
        var idleSince: MonotonicInstant?
        while true {
            let (state, now) = (client.state, MonotonicInstant.now())
            if isMet(state) { return true }
            idleSince = state.isBusy ? nil : idleSince ?? now
            let isIdle = idleSince.map { $0.duration(to: now) >= Self.grace } ?? false
            if now >= end || isIdle || isStopped() { return false }
            try await Self.wait(Self.lookPause)
        }
    }

    private static func wait(_ duration: Duration) async throws {
        try await SystemThread.wait(until: .now().advanced(by: duration))
    }
}

extension ClientExpectation {
    /// The part of the expectation that needs only the client's report, or nil if the whole expectation needs more.
    fileprivate var ofReport: ClientExpectation? {
        if case .all(let parts) = self { return .all(parts.compactMap(\.ofReport)) }
        if case .checking(_, let expectation) = self { return expectation.ofReport }
        return needsStoredMessages ? nil : self
    }
}

extension ClientCommand {
    /// How far in the future the goals' target dates are, in nanoseconds.
    private static let goalTime: Int64 = 90 * 86_400 * 1_000_000_000

    /// The `FitIQClient` command for an instruction at the given time.
    init(_ instruction: ClientInstruction, at now: Timestamp) {
        self =
            switch instruction {
            case .signIn(let email, let password): .signIn(email: email, password: password)
            case .startConsultation(let persona): .startConsultation(persona: persona)
            case .openConsultation(let id): .openConsultation(id: id)
            case .send(let text): .send(text: text)
            case .archive: .archive
            case .disconnect: .disconnect
            case .createGoal(let title, let description):
                .createGoal(
                    title: title, description: description, targetDate: now.advanced(byNanoseconds: Self.goalTime))
            case .chatAboutGoal(let id): .chatAboutGoal(id: id)
            case .logMeal(let text, let type): .logMeal(text: text, type: type)
            case .loadGoals: .loadGoals
            case .loadQuickActions: .loadQuickActions
            case .listenToMeals: .listenToMeals
            }
    }
}
