import FitIQAPI
import FitIQClient
import Judging

/// What a client should show its user.
public enum ClientExpectation: Sendable, Hashable {
    case connection(ClientReport.Connection)
    case offline
    /// The chat shows the existing consultation with this ID.
    case continues(String)
    case noConsultation
    /// The transcript equals the stored messages, line by line; answers that are shown as incomplete are ignored.
    case transcriptAsStored
    /// The transcript is complete, has at least this many lines, and equals the end of the stored messages.
    case transcriptEndsAsStored(atLeast: Int)
    /// The server stores every answer that the client shows as complete, with exactly the same text.
    case completeAnswersAreStored
    /// Every answer, complete or not, is a prefix of this text.
    case answersBegin(String)
    /// As an answer arrives, it still begins with the part that the client has already shown.
    case answersGrow
    case line(MessageRole, containing: String)
    case noLine(containing: String)
    /// The transcript has at most this many lines.
    case lines(atMost: Int)
    case answers(Int)
    /// An answer is streaming: it has some text and is not complete.
    case streaming
    /// The user saw a problem of this kind whose message contains the text.
    case problem(ClientReport.Problem.Kind, containing: String = "")
    case problemCount(ClientReport.Problem.Kind, Int)
    case noProblem
    case someProblem
    /// The user has seen a new problem since the last action other than a message.
    case freshProblem
    /// The server does not store any user message twice; applies only to users who never repeat a message.
    case storedOnce
    /// The server stores every message that the client shows as delivered.
    case deliveredIsStored
    case goal(String)
    case goalCount(String, Int)
    /// The goal is linked to the consultation of the open chat.
    case goalLinked(String)
    case goalUnlinked(String)
    /// The goal exists and is not shown as linked to this consultation.
    case goalParted(String, from: String)
    /// The user saw this template; applies only to clients that show templates.
    case template(type: String, name: String)
    /// The client suggests questions; applies only to clients that show suggestions.
    case quickActions
    /// The meal with this text has this status and these calories, if they are given.
    case meal(String, MealLogStatus, calories: Int? = nil)
    /// For the meal with this text, the client shows either this result or no result.
    case mealResult(String, MealLogStatus, calories: Int? = nil)
    /// The meal shows this much protein, within 0.5 g, and these foods; applies only to clients that show foods.
    case mealContents(String, protein: Double, items: [String])
    /// The meal with this text failed, and the reason that the user sees contains the second string.
    case mealError(String, containing: String)
    case idle
    case all([ClientExpectation])
    /// At least one of these expectations is met; if none is, the failure of the last one is reported.
    case oneOf([ClientExpectation])
    /// An expectation that belongs to a check other than the usual one for its kind.
    indirect case checking(InsideCheck, ClientExpectation)

    var needsStoredMessages: Bool {
        switch self {
        case .checking(_, let expectation): expectation.needsStoredMessages
        case .transcriptAsStored, .transcriptEndsAsStored, .completeAnswersAreStored, .storedOnce, .deliveredIsStored:
            true
        case .all(let parts), .oneOf(let parts): parts.contains { $0.needsStoredMessages }
        default: false
        }
    }
}

/// A check that can be made only inside a client.
public enum InsideCheck: String, Sendable, Hashable, CaseIterable {
    /// The transcript equals the streamed and stored messages.
    case transcript = "inside/transcript-equals-chunks"
    /// The client does not show a truncated answer as complete.
    case cutStream = "inside/cut-stream-not-complete"
    case serverError = "inside/server-error-surfaces"
    /// After a 409, the chat shows the existing consultation.
    case conflict = "inside/conflict-yields-existing"
    /// After a 429, the user sees that there are too many consultations.
    case limit = "inside/limit-yields-too-many"
    case failedMeal = "inside/failed-meal-surfaces"
    /// The user sees that the backend refused a request.
    case refusal = "inside/refusal-surfaces"
    /// The client shows an event's data for the right meal.
    case ownMeal = "inside/event-of-its-own-meal"
    case mealContents = "inside/meal-contents-shown"
    /// Unknown frame types, members and words have no effect.
    case unknown = "inside/unknown-is-ignored"
    /// Goals do not refer to deleted conversations.
    case goneConversation = "inside/gone-conversation-cleared"
    /// The client shows a template with its own type.
    case template = "inside/template-by-its-type"
    case newestMessages = "inside/keeps-100-messages"
}

extension InsideCheck {
    /// Whether stories demand this expectation of a client in this mode.
    ///
    /// The union demands neither the newest 100 messages nor a meal's contents, because only one guide demands them.
    func isDemanded(in mode: GuideMode) -> Bool {
        guard let obligation = Obligation.inside.first(where: { $0.id == rawValue }) else { return false }
        if mode == .union, self == .newestMessages || self == .mealContents { return false }
        return obligation.applies(in: mode)
    }
}

extension ClientExpectation {
    public var checks: Set<InsideCheck> {
        switch self {
        case .transcriptAsStored, .transcriptEndsAsStored, .answersBegin, .answersGrow: [.transcript]
        case .completeAnswersAreStored: [.cutStream]
        case .continues: [.conflict]
        case .problem(.chat, _), .problemCount(.chat, _): [.serverError]
        case .problem(.tooMany, _): [.limit]
        case .problemCount(.tooMany, let count): count > 0 ? [.limit] : []
        case .mealError: [.failedMeal]
        case .mealContents: [.mealContents]
        case .mealResult: [.ownMeal]
        case .lines: [.newestMessages]
        case .goalParted: [.goneConversation]
        case .template: [.template]
        case .checking(let check, _): [check]
        case .all(let parts), .oneOf(let parts): parts.reduce(into: []) { $0.formUnion($1.checks) }
        default: []
        }
    }

    /// The chat is open, and the client is idle.
    package static let ready = ClientExpectation.all([.connection(.connected), .idle])
    /// The transcript has this many answers and equals the server's transcript, and the client is idle.
    package static func answered(_ count: Int) -> ClientExpectation {
        .all([.connection(.connected), .answers(count), .transcriptAsStored, .idle])
    }
}

struct StoredMessage: Sendable, Hashable {
    var role: MessageRole
    var text: String
}

/// The state of the client and the server at one moment.
struct ObservedState: Sendable {
    var report = ClientReport()
    /// The messages that the client showed at the previous check.
    var before: [ClientReport.Line] = []
    /// The consultation's messages on the server, or empty if the consultation is unknown or the messages are not
    /// needed.
    var stored: [StoredMessage] = []
    /// The number of problems that the user saw before the last action other than a message.
    var oldProblemCount = 0
}

extension ClientExpectation {
    /// A sentence that is created on demand, because most checks only test whether there is a sentence.
    typealias Sentence = () -> String

    /// The first unmet part, and why it is unmet, or nil if all parts are met.
    func failure(in observation: ObservedState) -> (() -> CaseFailure)? {
        if case .all(let parts) = self { return parts.lazy.compactMap { $0.failure(in: observation) }.first }
        if case .oneOf(let parts) = self {
            let failures = parts.map { $0.failure(in: observation) }
            return failures.contains { $0 == nil } ? nil : failures.last ?? nil
        }
        if case .checking(let check, let expectation) = self {
            return expectation.failure(in: observation).map { failure in
                { CaseFailure(message: failure().message, check: check) }
            }
        }
        return unmet(in: observation).map { sentence in { CaseFailure(message: sentence(), check: checks.first) } }
    }

    private func unmet(in observation: ObservedState) -> Sentence? {
        let report = observation.report
        let (lines, problems) = (report.transcript, report.problems)
        let answers = lines.lazy.filter { $0.role == .assistant }
        return switch self {
        case .offline: unless([.disconnected, .failed].contains(report.connection), Messages.connection(report))
        case .connection(let connection): unless(report.connection == connection, Messages.connection(report))
        case .continues(let id): unless(report.consultation.isExactly(id), Messages.consultation(report.consultation))
        case .noConsultation: unless(report.consultation == nil, Messages.consultation(report.consultation))
        case .transcriptAsStored: unmetTranscript(observation, atLeast: observation.stored.count)
        case .transcriptEndsAsStored(let count): unmetTranscript(observation, atLeast: count)
        case .completeAnswersAreStored: unmetCompleteAnswers(observation)
        case .answersBegin(let text):
            answers.first { !text.utf8.starts(with: $0.text.utf8) }.map { line in
                { Messages.unmet(self, Messages.line(line)) }
            }
        case .answersGrow: unmetGrowth(of: answers.last, answers.count, observation)
        case .line(let role, let text):
            unless(lines.contains { $0.role == role && $0.text.has(text) }, Messages.transcript(lines))
        case .noLine(let text):
            lines.first { $0.text.has(text) }.map { line in { Messages.unmet(self, Messages.line(line)) } }
        case .lines(let most): unless(lines.count <= most, Messages.transcript(lines))
        case .answers(let count):
            unless(answers.count { $0.isComplete } >= count, Messages.transcript(lines))
        case .streaming:
            unless(answers.contains { !$0.isComplete && !$0.text.isEmpty }, Messages.transcript(lines))
        case .problem(let kind, let text):
            unless(problems.contains { $0.kind == kind && $0.message.has(text) }, Messages.problems(problems))
        case .problemCount(let kind, let count):
            unless(problems.count { $0.kind == kind } == count, Messages.problems(problems))
        case .noProblem: unless(problems.isEmpty, Messages.problems(problems))
        case .someProblem: unless(!problems.isEmpty, Messages.problems(problems))
        case .freshProblem: unless(problems.count > observation.oldProblemCount, Messages.problems(problems))
        case .storedOnce: unmetOnce(observation.stored)
        case .deliveredIsStored: unmetDelivered(observation)
        case .goal, .goalCount, .goalLinked, .goalUnlinked, .goalParted: unmetGoal(report)
        case .template(let type, let name):
            unless(
                report.templates?.contains { $0.type == type && $0.name == name } ?? false,
                Messages.templates(report.templates ?? []))
        case .quickActions: unless(report.quickActions?.isEmpty == false, "none")
        case .meal, .mealResult, .mealError, .mealContents: unmetMeal(report)
        case .idle: unless(!report.isBusy, Messages.busy(report))
        case .all, .oneOf, .checking: preconditionFailure("The parts must be checked one by one.")
        }
    }

    /// The report member that the expectation needs but the client omits.
    func unsaid(in report: ClientReport) -> String? {
        switch self {
        case .template: report.templates == nil ? "templates" : nil
        case .quickActions: report.quickActions == nil ? "quick_actions" : nil
        case .mealContents(let text, _, _): report.meals.contains { $0.text == text && $0.items == nil } ? "items" : nil
        case .checking(_, let expectation): expectation.unsaid(in: report)
        case .all(let parts), .oneOf(let parts): parts.lazy.compactMap { $0.unsaid(in: report) }.first
        default: nil
        }
    }

    /// Returns nil if the expectation is met, and a sentence about the failure otherwise.
    private func unless(_ isMet: Bool, _ shown: @autoclosure @escaping Sentence) -> Sentence? {
        isMet ? nil : { Messages.unmet(self, shown()) }
    }

    private func unmetTranscript(_ observation: ObservedState, atLeast count: Int) -> Sentence? {
        let stored = observation.stored
        // An incomplete answer and an undelivered message may stay, because the client marks them.
        let shown = observation.report.transcript.filter { line in
            if line.role == .assistant { return line.isComplete }
            return line.isDelivered || stored.contains { $0.role == line.role && $0.text == line.text }
        }
        guard shown.count >= min(count, stored.count), shown.count <= stored.count else {
            return { Messages.unmet(self, Messages.transcript(shown, stored: stored.count)) }
        }
        for (line, message) in zip(shown.reversed(), stored.reversed()) {
            if line.role != message.role || line.text != message.text || !line.isComplete {
                return { Messages.unmet(self, Messages.line(line, stored: message)) }
            }
        }
        return nil
    }

    private func unmetGrowth(
        of answer: ClientReport.Line?, _ count: Int, _ observation: ObservedState
    ) -> Sentence? {
        let earlier = observation.before.lazy.filter { $0.role == .assistant }
        guard let answer, let last = earlier.last, !last.isComplete, earlier.count == count,
            !answer.text.utf8.starts(with: last.text.utf8)
        else { return nil }
        return { Messages.unmet(self, Messages.line(answer, after: last)) }
    }

    private func unmetCompleteAnswers(_ observation: ObservedState) -> Sentence? {
        let stored = observation.stored
        let wrong = observation.report.transcript.enumerated().first { index, shown in
            guard shown.role == .assistant, shown.isComplete else { return false }
            let message = StoredMessage(role: shown.role, text: shown.text)
            // Usually both have the same messages in the same order, so compare by index first.
            return (index >= stored.count || stored[index] != message) && !stored.contains(message)
        }
        return wrong.map { line in { Messages.unmet(self, Messages.line(line.element)) } }
    }

    private func unmetOnce(_ stored: [StoredMessage]) -> Sentence? {
        var seen: Set<StoredMessage> = []
        let twice = stored.first { $0.role == .user && !seen.insert($0).inserted }
        return twice.map { message in { Messages.unmet(self, Messages.storedTwice(message.text)) } }
    }

    private func unmetDelivered(_ observation: ObservedState) -> Sentence? {
        let stored = Set(observation.stored)
        let lost = observation.report.transcript.first {
            $0.role == .user && $0.isDelivered && !stored.contains(StoredMessage(role: .user, text: $0.text))
        }
        return lost.map { line in { Messages.unmet(self, Messages.line(line)) } }
    }

    private func unmetGoal(_ report: ClientReport) -> Sentence? {
        let (title, isMet): (String, ([ClientReport.Goal]) -> Bool) =
            switch self {
            case .goalCount(let title, let count): (title, { $0.count == count })
            case .goalLinked(let title):
                (title, { $0.contains { $0.conversation != nil && $0.conversation.isExactly(report.consultation) } })
            case .goalUnlinked(let title): (title, { !$0.isEmpty && $0.allSatisfy { $0.conversation == nil } })
            case .goalParted(let title, let id):
                (title, { !$0.isEmpty && !$0.contains { $0.conversation.isExactly(id) } })
            case .goal(let title): (title, { !$0.isEmpty })
            default: preconditionFailure("It is about goals.")
            }
        return unless(isMet(report.goals.filter { $0.title == title }), Messages.goals(report))
    }

    private func unmetMeal(_ report: ClientReport) -> Sentence? {
        let (text, isMet): (String, (ClientReport.Meal) -> Bool) =
            switch self {
            case .meal(let text, let status, let calories), .mealResult(let text, let status, let calories):
                (text, { $0.status == status && (calories == nil || $0.calories == calories) })
            case .mealContents(let text, let protein, let items):
                (text, { abs(($0.protein ?? -1) - protein) <= 0.5 && $0.items == items })
            case .mealError(let text, let words): (text, { $0.status == .failed && $0.error?.has(words) == true })
            default: preconditionFailure("It is about meals.")
            }
        // If the user logged the same text more than once, the newest meal counts.
        let meal = report.meals.last { $0.text == text }
        if case .mealResult = self, meal.map({ $0.status == .processing }) ?? true { return nil }
        return unless(meal.map(isMet) ?? false, Messages.meal(meal))
    }
}

extension String {
    /// Whether the string contains the text; every string contains the empty string.
    fileprivate func has(_ text: String) -> Bool { text.isEmpty || contains(text) }
}
