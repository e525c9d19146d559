import FitIQClient

extension ClientReport {
    /// What the user of a reference client sees.
    public init(_ state: ClientState) {
        self.init()
        consultation = state.consultation
        connection =
            switch state.connection {
            case .disconnected: .disconnected
            case .connecting: .connecting
            case .connected: .connected
            case .failed: .failed
            }
        transcript = state.transcript.map { Line(role: $0.role, text: $0.text, isComplete: $0.isComplete) }
        problems = state.problems.map { Problem(kind: Problem.Kind($0.kind), message: $0.message) }
        goals = state.goals.map { Goal(id: $0.id, title: $0.title, conversation: $0.conversation) }
        meals = state.meals.map {
            Meal(id: $0.id, text: $0.text, status: $0.status, calories: $0.calories, error: $0.error)
        }
        isBusy = state.isBusy
    }
}

extension ClientReport.Problem.Kind {
    init(_ kind: ClientState.Problem.Kind) {
        self =
            switch kind {
            case .tooMany: .tooMany
            case .unauthorized: .unauthorized
            case .notFound: .notFound
            case .refused: .refused
            case .unavailable: .unavailable
            case .chat: .chat
            case .meal: .meal
            }
    }
}
