import FitIQAPI
import FitIQClient
import JSON
import Sockets
import Text
import Traffic

/// Plays cases of the contract with a real server, as a guest who leaves alone what was there before.
///
/// What a case expects is only waited for: the comparison of the recording says what differs. The cases delete nothing.
/// They speak in, link and archive only consultations that were created in the same run.
public struct ConformPlay: Sendable {
    /// Makes a client of the server.
    public typealias MakeClient = @Sendable () throws -> FitIQClient
    private let make: MakeClient
    private let pause: Duration
    private let recording: @Sendable () throws -> Session

    /// The maximum number of requests of a run; more are not sent.
    public static let requestLimit = 2000
    /// The pause between two instructions, to go easy on the server.
    public static let pauses = Duration.zero...Duration.seconds(60)
    /// The pause for a server on this machine, and for any other.
    public static let (localPause, remotePause) = (Duration.zero, Duration.milliseconds(100))
    /// How long a step waits at most, and how long for a client that has nothing to do.
    private static let (patience, grace) = (Duration.seconds(30), Duration.seconds(2))
    /// How long a user does nothing who does nothing: what answers look like does not depend on it.
    private static let longestPass = Duration.seconds(1)
    private static let lookPause = Duration.milliseconds(10)

    /// - Parameters:
    ///   - make: makes a client for each case.
    ///   - pause: how long to wait before each instruction.
    ///   - recording: returns what was recorded so far.
    public init(
        pause: Duration, recording: @escaping @Sendable () throws -> Session, make: @escaping MakeClient
    ) { (self.pause, self.recording, self.make) = (pause, recording, make) }

    /// The cases that a server without faults can play in seconds: those of the default world that need no known ids.
    public static var cases: [ContractCase] {
        ContractCase.all.filter { contractCase in
            contractCase.setting == .builtIn("default") && contractCase.guide == nil
                && contractCase.leastDuration <= .seconds(10)
                && !contractCase.steps.contains { if case .perform(.openConsultation) = $0 { true } else { false } }
        }
    }

    /// What became of a case.
    public struct Outcome: Sendable {
        public let address: String
        /// The number of its first entry in the recording, from 0.
        public let firstEntry: Int
        /// Why it was not played to its end, as a sentence; nil if it was.
        public var trouble: String?
    }

    /// Plays a case.
    ///
    /// - Returns: nil if the run has no more requests left.
    /// - Throws: an error of the harness.
    public func play(_ contractCase: ContractCase) async throws -> Outcome? {
        let before = try recording().entries.count
        guard before < Self.requestLimit else { return nil }
        var outcome = Outcome(address: contractCase.address, firstEntry: before)
        let client = try make()
        for step in contractCase.steps {
            guard let trouble = try await play(step, with: client) else { continue }
            outcome.trouble = outcome.trouble ?? trouble.sentence
            if trouble.endsCase { break }
        }
        // Whatever is under way gets its answer.
        client.perform(.disconnect)
        _ = try await wait(Self.patience, with: client) { !$0.isBusy && $0.connection != .connected }
        await client.close()
        return outcome
    }

    private enum Trouble {
        /// The step would write to what was there before.
        case notOurs
        /// What it waits for did not show, and the client has given up, or is still at it.
        case unmet(isBusy: Bool)

        var sentence: String { if case .notOurs = self { ConformMessages.notOurs } else { ConformMessages.unmet } }
        var endsCase: Bool { if case .unmet(isBusy: false) = self { false } else { true } }
    }

    private func play(_ step: Step, with client: FitIQClient) async throws -> Trouble? {
        switch step {
        case .perform(let instruction):
            switch instruction {
            case .send, .archive, .createGoal, .logMeal:
                // A goal or a meal may also belong to no consultation.
                let isAboutChat = ["send", "archive"].contains(instruction.name)
                guard try isOurs(client.state.consultation) ?? !isAboutChat else { return .notOurs }
            default: break
            }
            try await perform(instruction, with: client)
        case .chatAboutGoal(let title):
            guard let goal = client.state.goals.last(where: { $0.title == title }) else { return nil }
            try await perform(.chatAboutGoal(id: goal.id), with: client)
        case .pass(let duration), .quiet(let duration): try await Self.wait(min(duration, Self.longestPass))
        case .until(let expectation, let limit):
            let told = expectation.ofReport
            let isMet = try await wait(min(limit, Self.patience), with: client) { report in
                told?.failure(in: Observation(report: report)) == nil
            }
            if !isMet { return .unmet(isBusy: client.state.isBusy) }
        case .expect, .watch: break
        }
        return nil
    }

    private func perform(_ instruction: ClientInstruction, with client: FitIQClient) async throws {
        try await Self.wait(pause)
        let now = Timestamp(nanosecondsSinceEpoch: WallClock.nanosecondsSinceEpoch())
        client.perform(ClientCommand(instruction, at: now))
    }

    /// Whether this run created the consultation; nil while no chat is open.
    private func isOurs(_ consultation: String?) throws -> Bool? {
        guard let consultation else { return nil }
        return try recording().entries.contains { entry in
            guard case .exchange(let exchange) = entry, exchange.response?.status == 201,
                let body = exchange.response?.body.bytes, let value = JSONValue.container(body)
            else { return false }
            return value.names(consultation)
        }
    }

    /// Waits until the client shows it, or has nothing to do any more, or the time is up.
    ///
    /// - Returns: whether it shows.
    private func wait(
        _ limit: Duration, with client: FitIQClient, until isMet: (ClientReport) -> Bool
    ) async throws -> Bool {
        let end = MonotonicInstant.now().advanced(by: limit)
        var idleSince: MonotonicInstant?
        while true {
            let (state, now) = (client.state, MonotonicInstant.now())
            if isMet(state) { return true }
            idleSince = state.isBusy ? nil : idleSince ?? now
            if now >= end || idleSince.map({ $0.duration(to: now) >= Self.grace }) ?? false { return false }
            try await Self.wait(Self.lookPause)
        }
    }

    private static func wait(_ duration: Duration) async throws {
        if duration > .zero { try await CasePlay.wait(until: .now().advanced(by: duration)) }
    }
}

extension ClientExpectation {
    /// The part of it that the client's report alone can meet; nil if nothing of it is.
    fileprivate var ofReport: ClientExpectation? {
        if case .all(let parts) = self { return .all(parts.compactMap(\.ofReport)) }
        return needsStoredMessages ? nil : self
    }
}

extension JSONValue {
    /// Whether a member anywhere in it has this text.
    fileprivate func names(_ text: String) -> Bool {
        switch self {
        case .string(let own): own.isExactly(text)
        case .object(let object): object.contains { $0.value.names(text) }
        case .array(let values): values.contains { $0.names(text) }
        case .null, .bool, .number: false
        }
    }
}

extension ClientCommand {
    /// How far ahead the goals' target dates are.
    private static let goalTime: Int64 = 90 * 86_400 * 1_000_000_000

    /// What `FitIQClient` does for an instruction that is given at a time.
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
            case .listenToMeals: .listenToMeals
            }
    }
}
