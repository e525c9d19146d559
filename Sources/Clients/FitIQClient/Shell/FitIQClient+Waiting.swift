import FitIQAPI

/// Calls that wait until what they began is done.
///
/// Each throws `problem` where the user is told of one meanwhile, whatever it is about, `abandoned` where nothing came of it and
/// nothing more will, `cancelled` where the waiting task was, and `unavailable` where the client closes.
extension FitIQClient {
    /// Begins a consultation, or goes on with the one that exists, and waits until its chat is open.
    ///
    /// - Returns: the consultation's id.
    public func startConsultation(persona: Persona) async throws(ClientError) -> String {
        try await perform(.startConsultation(persona: persona)) { $0.openConsultation }
    }

    /// Opens the chat of a consultation that is known, and waits until it is open.
    ///
    /// - Returns: the consultation's id.
    public func openConsultation(id: String) async throws(ClientError) -> String {
        try await perform(.openConsultation(id: id)) { $0.openConsultation }
    }

    /// Opens the chat about a goal, and waits until it is open.
    ///
    /// - Returns: the consultation's id.
    public func chatAboutGoal(id: String) async throws(ClientError) -> String {
        try await perform(.chatAboutGoal(id: id)) { $0.openConsultation }
    }

    /// Sends a message and waits for the whole answer.
    ///
    /// Where the configuration compares answers with what is stored, the answer is the stored one.
    /// One question at a time: calls that overlap all wait for the last one's answer, and give that.
    public func send(_ text: String) async throws(ClientError) -> String {
        let isChecked = configuration.checksAnswers
        return try await perform(.send(text: text)) { isChecked && $0.isBusy ? nil : $0.lastAnswer }
    }

    /// Archives the open consultation, and waits until that is done.
    public func archive() async throws(ClientError) {
        try await perform(.archive) { $0.isBusy ? nil : () }
    }

    /// Logs a meal and waits for what it comes to; seconds, mostly.
    ///
    /// - Returns: the meal, completed.
    public func logMeal(_ text: String, type: MealType) async throws(ClientError) -> ClientState.Meal {
        try await perform(.logMeal(text: text, type: type)) { state in
            state.meals.last { $0.text == text && $0.type == type && $0.status == .completed }
                .flatMap { state.isBusy ? nil : $0 }
        }
    }

    /// Creates a goal, linked to the open chat where the coach suggested one there.
    ///
    /// - Returns: the goal as the backend has it.
    public func createGoal(
        title: String, description: String, targetDate: Timestamp
    ) async throws(ClientError) -> ClientState.Goal {
        try await perform(.createGoal(title: title, description: description, targetDate: targetDate)) { state in
            state.isBusy ? nil : state.goals.last { $0.title == title }
        }
    }

    /// Looks at the goals anew.
    public func loadGoals() async throws(ClientError) -> [ClientState.Goal] {
        try await perform(.loadGoals) { $0.isBusy ? nil : $0.goals }
    }

    /// Begins something and waits until the state has what comes of it.
    private func perform<Result: Sendable>(
        _ command: ClientCommand, until outcome: (ClientState) -> Result?
    ) async throws(ClientError) -> Result {
        let snapshots = news.snapshots()
        let problems = news.snapshot.problemCount
        guard let ticket = ask(command) else { throw .unavailable }
        for await snapshot in snapshots where snapshot.begun >= ticket {
            if let problem = snapshot.problem, snapshot.problemCount > problems { throw .problem(problem) }
            if let result = outcome(snapshot.state) { return result }
            // Whatever is begun keeps the client busy until it is done.
            guard snapshot.isClosed || snapshot.state.isBusy else { throw .abandoned }
        }
        throw Task.isCancelled ? .cancelled : .unavailable
    }
}

extension ClientState {
    /// The consultation whose chat is open, where nothing is on its way to another.
    fileprivate var openConsultation: String? { connection == .connected && !isBusy ? consultation : nil }

    /// The whole answer to the user's last message.
    fileprivate var lastAnswer: String? {
        guard let line = transcript.last, line.role == .assistant, line.isComplete else { return nil }
        return line.text
    }
}
