import FitIQAPI

extension ClientReport {
    static let adapterMembers = [
        "consultation", "connection", "transcript", "problems", "goals", "meals", "is_busy",
    ]

    /// Reads what an adapter reports: `consultation` may be null or left out, and so may lists that are empty.
    init(_ members: AnswerMembers) throws(AnswerError) {
        self.init()
        consultation = try members.optionalText("consultation")
        connection = try members.choice("connection", Connection.self)
        isBusy = try members.bool("is_busy")
        for line in try members.objects("transcript", allowed: ["role", "text", "is_complete"]) {
            transcript.append(
                Line(
                    role: try line.choice("role", MessageRole.self), text: try line.text("text"),
                    isComplete: try line.bool("is_complete")))
        }
        for problem in try members.objects("problems", allowed: ["kind", "message"]) {
            problems.append(
                Problem(kind: try problem.choice("kind", Problem.Kind.self), message: try problem.text("message")))
        }
        for goal in try members.objects("goals", allowed: ["id", "title", "conversation"]) {
            goals.append(
                Goal(
                    id: try goal.text("id"), title: try goal.text("title"),
                    conversation: try goal.optionalText("conversation")))
        }
        for meal in try members.objects("meals", allowed: ["id", "text", "status", "calories", "error"]) {
            meals.append(
                Meal(
                    id: try meal.optionalText("id"), text: try meal.text("text"),
                    status: try meal.choice("status", MealLogStatus.self),
                    calories: try meal.optionalInteger("calories"), error: try meal.optionalText("error")))
        }
    }
}
