import Faults
import FitIQClient
import Scenarios

/// Variants of a case for clients that lack a feature of the guides' clients.
extension ContractCase {
    /// The case for a client that does not open WebSockets, or nil if the case is about sockets.
    ///
    /// The case does not expect a connection or a streaming answer, because a client without WebSockets reads the
    /// stored messages.
    var overREST: ContractCase? {
        guard !["socket", "interruption"].contains(topic) else { return nil }
        let faults = (try? setting.scenario())?.faults ?? []
        guard faults.isEmpty || faults.contains(where: \.isOfResponses) else { return nil }
        return part(steps.filter { !$0.isOfSockets }, faces: Self.isFacedOverREST) { $0.overREST }
    }

    /// The case without its chat, for clients that cannot chat; nil if it has no chat or only a chat.
    var withoutChat: ContractCase? {
        let rest = steps.filter { !$0.isOfChat }
        let asks = rest.contains { if case .perform = $0 { true } else { false } }
        guard rest.count < steps.count, asks else { return nil }
        return part(rest, faces: { id in ["auth/", "meal/", "retry/"].contains { id.hasPrefix($0) } }) {
            $0.overREST?.withoutChat
        }
    }

    /// The case without its steps.
    var withoutSteps: ContractCase { ContractCase(address, title, clause, setting: setting, guide: guide, steps: []) }

    private func part(
        _ steps: [Step], faces isFaced: (String) -> Bool, _ expecting: (ClientExpectation) -> ClientExpectation?
    ) -> ContractCase? {
        ContractCase(
            address, title, clause, setting: setting, guide: guide,
            faces: faces.filter { isFaced($0) && Self.isFacedOverREST($0) },
            steps: steps.compactMap { $0.expecting(expecting) })
    }

    /// Whether an obligation applies to a client that does not open WebSockets.
    private static func isFacedOverREST(_ id: String) -> Bool {
        !id.hasPrefix("ws/") && !["meal/no-poll-while-connected", "meal/no-fetch-after-completed"].contains(id)
            && id != "auth/websocket-credentials"
    }
}

extension FaultRule {
    fileprivate var isOfResponses: Bool { if case .response = fault { true } else { false } }
}

extension Step {
    fileprivate var isOfSockets: Bool { self == .listenToMeals }

    fileprivate var isOfChat: Bool {
        switch self {
        case .perform(let instruction): instruction.isOfChat
        case .chatAboutGoal: true
        case .deleteConsultation: true
        case .pass, .quiet, .until, .expect, .watch: false
        }
    }

    /// The step with the remaining expectation, or nil if nothing remains.
    fileprivate func expecting(_ part: (ClientExpectation) -> ClientExpectation?) -> Step? {
        switch self {
        case .until(let expectation, let limit): part(expectation).map { .until($0, within: limit) }
        case .expect(let expectation): part(expectation).map(Step.expect)
        case .watch(let expectation): part(expectation).map(Step.watch)
        case .perform, .chatAboutGoal, .deleteConsultation, .pass, .quiet: self
        }
    }
}

extension ClientInstruction {
    /// Whether only a client with a chat can follow the instruction.
    var isOfChat: Bool {
        switch self {
        case .startConsultation, .openConsultation, .send, .archive, .disconnect, .chatAboutGoal, .listenToMeals: true
        case .signIn, .createGoal, .logMeal, .loadGoals, .loadQuickActions: false
        }
    }
}

extension ClientExpectation {
    /// The remaining expectation for a client without WebSockets, if any.
    fileprivate var overREST: ClientExpectation? {
        switch self {
        // Only error frames cause problems of this kind.
        case .connection, .streaming, .problem(.chat, _), .problemCount(.chat, _): nil
        default: parts { $0.overREST }
        }
    }

    /// The remaining expectation for a client without a chat, if any.
    fileprivate var withoutChat: ClientExpectation? {
        switch self {
        case .connection, .offline, .continues, .noConsultation, .transcriptAsStored, .transcriptEndsAsStored,
            .completeAnswersAreStored, .answersBegin, .answersGrow, .line, .noLine, .lines, .answers, .streaming,
            .problem(.chat, _), .problemCount(.chat, _), .storedOnce, .deliveredIsStored, .goalLinked, .goalParted,
            .template, .checking:
            nil
        default: parts { $0.withoutChat }
        }
    }

    /// Applies `part` to the parts; a choice that loses one of its branches requires nothing.
    private func parts(_ part: (ClientExpectation) -> ClientExpectation?) -> ClientExpectation? {
        switch self {
        case .all(let parts):
            let rest = parts.compactMap(part)
            return rest.isEmpty ? nil : .all(rest)
        case .oneOf(let parts):
            let rest = parts.compactMap(part)
            return rest.count < parts.count ? nil : .oneOf(rest)
        case .checking(let check, let expectation): return part(expectation).map { .checking(check, $0) }
        default: return self
        }
    }
}
