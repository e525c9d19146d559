import FitIQAPI
import FitIQClient
import Text

enum Messages {
    // MARK: Expectations and observations

    static func unmet(_ expectation: ClientExpectation, _ shown: String) -> String {
        "Expected \(text(expectation)), but the client showed \(shown)."
    }
    static func told(_ message: String, after elapsed: Duration, within limit: Duration?) -> String {
        guard let limit else { return "\(message) (\(text(elapsed)) into the case)" }
        return "\(message) (\(text(elapsed)) into the case, after waiting for \(text(limit)))"
    }
    static func told(_ message: String, after elapsed: Duration, idleFor idle: Duration) -> String {
        "\(message) (\(text(elapsed)) into the case; both sides have been idle for \(text(idle)): the client reports that "
            + "nothing is under way, and nothing is due at the backend)"
    }
    /// The expectation as a phrase that can be a sentence's object.
    static func text(_ expectation: ClientExpectation) -> String {
        switch expectation {
        case .connection(.failed): "the client to have given up on the connection"
        case .connection(let connection): "the connection to be \(connection.rawValue)"
        case .offline: "no connection and no attempt to connect"
        case .continues(let id): "the chat to belong to the existing consultation \(id)"
        case .noConsultation: "no consultation"
        case .transcriptAsStored: "the transcript to match the server's messages"
        case .transcriptEndsAsStored(let count):
            "the transcript to match the server's newest messages, and to have at least \(count) of them"
        case .completeAnswersAreStored: "every answer shown as complete to match one on the server"
        case .answersBegin(let text): "every answer to match the beginning of \(quoted(text)), even while streaming"
        case .answersGrow: "a streaming answer to keep the text already shown"
        case .line(let role, let text): "a message from the \(role.rawValue) that contains \(quoted(text))"
        case .noLine(let text): "no message that contains \(quoted(text))"
        case .lines(let most): "at most \(Words.counted(most, "message"))"
        case .answers(let count): count == 1 ? "a complete answer" : "\(count) complete answers"
        case .streaming: "a streaming answer that is not shown as complete"
        case .problem(let kind, let text):
            "a problem of kind \(kind.rawValue)" + (text.isEmpty ? "" : " that contains \(quoted(text))")
        case .problemCount(let kind, let count): "\(Words.counted(count, "problem")) of kind \(kind.rawValue)"
        case .noProblem: "no problem"
        case .someProblem, .freshProblem: "a problem to be shown"
        case .storedOnce: "the server to store each user message once"
        case .deliveredIsStored: "the server to store every message shown as delivered"
        case .goal(let title): "the goal \(quoted(title))"
        case .goalCount(let title, let count): "the goal \(quoted(title)) \(count == 1 ? "once" : "\(count) times")"
        case .goalLinked(let title): "the goal \(quoted(title)) to be linked to the open consultation"
        case .goalUnlinked(let title): "the goal \(quoted(title)) not to be linked to any consultation"
        case .goalParted(let title, let id):
            "the goal \(quoted(title)) not to be linked to \(id), which no longer exists"
        case .template(let type, let name): "the \(type) \(quoted(name)) from the coach"
        case .quickActions: "questions to be suggested"
        case .mealResult(let text, let status, let calories):
            "the meal \(quoted(text)) to have no result other than \(status.rawValue)"
                + (calories.map { " with \($0) kcal" } ?? "")
        case .mealContents(let text, let protein, let items):
            "the meal \(quoted(text)) with \(protein) g of protein, made of \(Words.list(items.map(quoted)))"
        case .meal(let text, let status, let calories):
            "the meal \(quoted(text)) to be \(status.rawValue)" + (calories.map { " with \($0) kcal" } ?? "")
        case .mealError(let text, let words):
            "the meal \(quoted(text)) to be shown as failed, with a reason that contains \(quoted(words))"
        case .idle: "no work in progress"
        case .all(let parts): parts.map(text).joined(separator: ", ")
        case .oneOf(let parts): parts.map(text).joined(separator: ", or ")
        case .checking(_, let expectation): text(expectation)
        }
    }
    /// The state of the connection, or the user's last problem if there is no connection.
    static func connection(_ report: ClientReport) -> String {
        let shown = "it as \(report.connection.rawValue)"
        guard report.connection != .connected, let problem = report.problems.last else { return shown }
        return "\(shown), after reporting \(problem.kind.rawValue) (\(quoted(problem.message)))"
    }
    static func consultation(_ id: String?) -> String { id.map { "the consultation \($0)" } ?? "no consultation" }
    static func transcript(_ lines: [ClientReport.Line], stored: Int? = nil) -> String {
        let count = Words.counted(lines.count, "message")
        let end = lines.last.map { ", the last one " + line($0) } ?? ""
        return count + (stored.map { " where the server has \($0)" } ?? "") + end
    }
    static func line(_ line: ClientReport.Line) -> String {
        "\(quoted(line.text)) from the \(line.role.rawValue), \(line.isComplete ? "complete" : "incomplete")"
    }
    static func line(_ line: ClientReport.Line, stored: StoredMessage) -> String {
        self.line(line) + " where the server has \(quoted(stored.text)) from the \(stored.role.rawValue)"
    }
    static func line(_ line: ClientReport.Line, after earlier: ClientReport.Line) -> String {
        "\(self.line(line)), after \(quoted(earlier.text))"
    }
    static func storedTwice(_ text: String) -> String {
        "a transcript with \(quoted(text)), which the server has stored more than once"
    }
    static func problems(_ problems: [ClientReport.Problem]) -> String {
        if problems.isEmpty { return "no problem" }
        return Words.list(problems.suffix(5).map { "\($0.kind.rawValue) (\(quoted($0.message)))" })
    }
    static func goals(_ report: ClientReport) -> String {
        if report.goals.isEmpty { return "no goals" }
        let goals = report.goals.suffix(5).map { goal in
            quoted(goal.title) + (goal.conversation.map { " linked to \($0)" } ?? " without a consultation")
        }
        return Words.list(goals) + "; its open chat is \(report.consultation ?? "none")"
    }
    static func meal(_ meal: ClientReport.Meal?) -> String {
        guard let meal else { return "no such meal" }
        let calories = meal.calories.map { " with \($0) kcal" } ?? ""
        let protein = meal.protein.map { " and \($0) g of protein" } ?? ""
        let items = meal.items.map { $0.isEmpty ? "" : ", made of " + Words.list($0.map(quoted)) } ?? ""
        return "it as \(meal.status.rawValue)\(calories)\(protein)\(items)"
            + (meal.error.map { " and the reason \(quoted($0))" } ?? "")
    }
    static func templates(_ templates: [ClientReport.Template]) -> String {
        if templates.isEmpty { return "no templates from a coach" }
        return Words.list(templates.suffix(5).map { "the \($0.type) \(quoted($0.name))" })
    }
    static func busy(_ report: ClientReport) -> String {
        "that work is under way (connection \(report.connection.rawValue), "
            + "\(report.transcript.count { !$0.isComplete }) incomplete messages, "
            + "\(report.meals.count { $0.status == .processing }) meals being processed)"
    }

    // MARK: Case progress

    static func noClient(_ error: any Error) -> String { "The client could not be created: \(error)" }
    static func cannotBeDriven(_ error: any Error) -> String { "The client could no longer be driven: \(error)" }
    static let needsSockets = "The case needs WebSockets, but the client reports that it opens none."
    static let clientChanges =
        "The client reports the wrong clock for its world, or changes what it reports about WebSockets; the "
        + "client must report the same values each time."
    static func takesTooLong(_ duration: Duration, patience: Duration) -> String {
        "The case takes \(text(duration)), but on the system's clock the suite waits at most \(text(patience)). Only "
            + "clients that follow the suite's clock can run the case."
    }
    static func neverQuiet(looks: Int) -> String {
        "The client never became idle: after \(looks) checks it still had work that was due immediately. The "
            + "client must run timers that are due, and report when the next timer is due."
    }
    static func unfaced(_ id: String) -> String { "The client never exercised \(id)." }

    // MARK: Results

    static func summary(of result: CaseResult) -> String {
        let address = result.contractCase.address
        if let reason = result.skipped { return "\(address) was skipped. \(reason)" }
        var lines = result.failures.map { failure in
            failure.message + (failure.check.map { " [\($0.rawValue)]" } ?? "")
        }
        for verdict in result.broken {
            let obligation = verdict.obligation
            lines += verdict.findings.map { "\(obligation.id) (\($0.level.rawValue)): \($0.message)" }
            lines.append("  \(obligation.clause) \(verdict.advice)")
        }
        let left = result.leftOut.map { [$0] } ?? []
        if lines.isEmpty { return (["\(address) was kept."] + left).joined(separator: " ") }
        return "\(address): \(result.contractCase.title)\n" + (lines + left).map { "  \($0)\n" }.joined()
            + "  The contract: \(result.contractCase.clause)"
    }
    static let lastEntries = "The last traffic:"
    static let sentNothing = "The client sent nothing in this case."
    static func notRepeated(_ request: String, status: Int?, tries: Int) -> String {
        "\(request) was \(status.map { "answered with \($0)" } ?? "not answered") and not tried again "
            + "(\(Words.counted(tries, "try", "tries"))): the client must "
            + (tries < RetrySchedule().maximumAttempts ? "repeat the request with increasing delays, and " : "")
            + "tell its user that the request failed."
    }
    static func refused(_ request: String, status: Int, message: String?) -> String {
        "The last exchange was refused: \(request) got \(status)\(message.map { ", \(quoted($0))" } ?? "")."
    }
    static let historyUnread =
        "The server ended the socket, and the client did not read the messages afterwards "
        + "(GET /api/v1/consultations/{id}/messages): only the history contains the part that was cut off."
    /// Advice for the author of a client that does not continue after a response.
    ///
    /// - Parameter earlier: Earlier input that the client ignored.
    static func stopped(after request: String, status: Int, _ earlier: String?, isSwift: Bool) -> String {
        "The last exchange succeeded: \(request) was answered with \(status), and then the client sent nothing. The "
            + "client must show the answer or act on it: check how the answer is decoded\(decoding(isSwift))"
            + (earlier.map { " Before that, \($0)" } ?? "")
    }
    /// Advice for the author of a client whose requests are all correct.
    static func lostWithin(isSwift: Bool) -> String {
        "The server found nothing wrong, so the client lost the missing part. If an answer or a frame had no effect, "
            + "check how it is decoded\(decoding(isSwift))"
    }
    private static func decoding(_ isSwift: Bool) -> String {
        isSwift
            ? ": CodingKeys in snake_case match no key if keyDecodingStrategy is .convertFromSnakeCase."
            : ", and that it is shown."
    }
    static func topic(_ topic: String, _ mode: GuideMode) -> String {
        mode == .union ? topic : "\(topic) (\(mode.rawValue))"
    }

    // MARK: Words

    /// The text in quotation marks, truncated to 60 characters.
    static func quoted(_ text: String) -> String { text.count <= 60 ? "\"\(text)\"" : "\"\(text.prefix(59))…\"" }
    /// A duration in the largest unit that yields a whole number; otherwise, in seconds with up to three decimal
    /// places.
    static func text(_ duration: Duration) -> String {
        let (minutes, rest) = duration.nanoseconds.quotientAndRemainder(dividingBy: Durations.Unit.minutes.length)
        guard minutes > 0, rest == 0 else { return "\(Durations.seconds(duration.nanoseconds)) s" }
        return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes) min"
    }
}
