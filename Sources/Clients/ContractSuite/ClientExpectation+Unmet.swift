import FitIQAPI
import JSON

extension ClientExpectation {
    /// The first part that is not met, and why, as a sentence; nil where all are.
    func failure(in observation: Observation) -> CaseFailure? {
        if case .all(let parts) = self { return parts.lazy.compactMap { $0.failure(in: observation) }.first }
        return unmet(in: observation).map { CaseFailure(message: $0, check: checks.first) }
    }

    /// Why it is not met, as a sentence; nil where it is.
    private func unmet(in observation: Observation) -> String? {
        let report = observation.report
        return switch self {
        case .offline:
            Messages.unless(
                [.disconnected, .failed].contains(report.connection), self, Messages.connection(report))
        case .connection(let connection):
            Messages.unless(report.connection == connection, self, Messages.connection(report))
        case .continues(let id):
            Messages.unless(report.consultation.isExactly(id), self, Messages.consultation(report.consultation))
        case .noConsultation:
            Messages.unless(report.consultation == nil, self, Messages.consultation(report.consultation))
        case .transcriptAsStored: unmetTranscript(observation, atLeast: observation.stored.count)
        case .transcriptEndsAsStored(let count): unmetTranscript(observation, atLeast: count)
        case .completeAnswersAreStored: unmetCompleteAnswers(observation)
        case .line(let role, let text):
            Messages.unless(
                report.transcript.contains { $0.role == role && $0.text.has(text) }, self,
                Messages.transcript(report.transcript))
        case .noLine(let text):
            report.transcript.first { $0.text.has(text) }.map { Messages.unmet(self, Messages.line($0)) }
        case .answers(let count):
            Messages.unless(
                report.transcript.count { $0.role == .assistant && $0.isComplete } >= count, self,
                Messages.transcript(report.transcript))
        case .streaming:
            Messages.unless(
                report.transcript.contains { $0.role == .assistant && !$0.isComplete && !$0.text.isEmpty }, self,
                Messages.transcript(report.transcript))
        case .problem(let kind, let text):
            Messages.unless(
                report.problems.contains { $0.kind == kind && $0.message.has(text) }, self,
                Messages.problems(report.problems))
        case .problemCount(let kind, let count):
            Messages.unless(
                report.problems.count { $0.kind == kind } == count, self, Messages.problems(report.problems))
        case .noProblem: Messages.unless(report.problems.isEmpty, self, Messages.problems(report.problems))
        case .goal, .goalCount, .goalLinked, .goalUnlinked: unmetGoal(report)
        case .meal, .mealError: unmetMeal(report)
        case .idle: Messages.unless(!report.isBusy, self, Messages.busy(report))
        case .all: preconditionFailure("Its parts are looked at one by one.")
        }
    }

    private func unmetTranscript(_ observation: Observation, atLeast count: Int) -> String? {
        // An answer that broke off and is shown as such may stay: it claims nothing.
        let shown = observation.report.transcript.filter { $0.isComplete || $0.role != .assistant }
        let stored = observation.stored
        guard shown.count >= min(count, stored.count), shown.count <= stored.count else {
            return Messages.unmet(self, Messages.transcript(shown, stored: stored.count))
        }
        for (line, message) in zip(shown.reversed(), stored.reversed()) {
            if line.role != message.role || line.text != message.text || !line.isComplete {
                return Messages.unmet(self, Messages.line(line, stored: message))
            }
        }
        return nil
    }

    private func unmetCompleteAnswers(_ observation: Observation) -> String? {
        let stored = Set(observation.stored)
        let wrong = observation.report.transcript.first {
            $0.role == .assistant && $0.isComplete && !stored.contains(StoredMessage(role: $0.role, text: $0.text))
        }
        return wrong.map { Messages.unmet(self, Messages.line($0)) }
    }

    private func unmetGoal(_ report: ClientReport) -> String? {
        let (title, isMet): (String, ([ClientReport.Goal]) -> Bool) =
            switch self {
            case .goalCount(let title, let count): (title, { $0.count == count })
            case .goalLinked(let title):
                (title, { $0.contains { $0.conversation != nil && $0.conversation.isExactly(report.consultation) } })
            case .goalUnlinked(let title): (title, { !$0.isEmpty && $0.allSatisfy { $0.conversation == nil } })
            case .goal(let title): (title, { !$0.isEmpty })
            default: preconditionFailure("It is about goals.")
            }
        return Messages.unless(
            isMet(report.goals.filter { $0.title == title }), self, Messages.goals(report))
    }

    private func unmetMeal(_ report: ClientReport) -> String? {
        let (text, isMet): (String, (ClientReport.Meal) -> Bool) =
            switch self {
            case .meal(let text, let status, let calories):
                (text, { $0.status == status && (calories == nil || $0.calories == calories) })
            case .mealError(let text, let words):
                (text, { $0.status == .failed && $0.error?.has(words) == true })
            default: preconditionFailure("It is about meals.")
            }
        // The user may have logged the same text twice: the newest counts.
        let meal = report.meals.last { $0.text == text }
        return Messages.unless(meal.map(isMet) ?? false, self, Messages.meal(meal))
    }
}

extension String {
    /// Whether it contains the text, which is so for none.
    fileprivate func has(_ text: String) -> Bool { text.isEmpty || contains(text) }
}
