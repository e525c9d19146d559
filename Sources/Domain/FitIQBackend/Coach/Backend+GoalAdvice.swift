import FitIQAPI
import JSON

/// What the coach says about one goal: texts by its topic and its stage, in an order that its id decides.
extension Backend {
    /// Answers with advice on a goal (`GET /api/v1/goals/{goalId}/tips`, `/suggestions` or `/analysis`), or throws 404.
    public func goalAdvice(
        _ endpoint: Endpoint, on id: String, for user: UserID, at now: Timestamp
    ) throws(APIError) -> [UInt8] {
        let goal = goals[try goalPosition(of: id, ownedBy: user)].goal
        let topic = GoalBook.builtIn.topic(of: goal)
        return JSONWriter.success { data in
            data.member("goal_id", goal.id)
            guard endpoint != .listGoalTips else {
                data.texts("tips", topic.tips, seed: goal.id.seed)
                data.member("count", min(topic.tips.count, JSONWriter.textCount))
                return
            }
            guard let stage = GoalBook.builtIn.stages[GoalStage(of: goal, at: now)] else { return }
            if endpoint == .listGoalSuggestions {
                data.texts("suggestions", topic.suggestions, seed: goal.id.seed)
                data.texts("next_steps", topic.nextSteps, seed: goal.id.seed)
                data.member("motivational_message", stage.message)
            } else {
                data.member("current_progress", goal.progress)
                data.member("projected_completion", orNull: goal.projectedCompletion(at: now)?.wireText)
                data.member("analysis", goal.filling(stage.analysis))
                data.texts("recommendations", topic.recommendations, seed: goal.id.seed)
                data.array("strengths") { array in for text in stage.strengths { array.value(text) } }
                data.array("challenges") { array in for text in stage.challenges { array.value(text) } }
            }
            data.member("generated_at", now)
        }
    }

    /// Suggests goals that the user does not have (`GET` and `POST /api/v1/goals/suggestions`).
    public func suggestedGoals(for user: UserID) -> [UInt8] {
        let titles = Set(users[user].goals.map { ExactString(goals[$0].goal.title) })
        let person = MadeUpPerson(users[user].id, seed: configuration.seed)
        let suggestions = Coach.suggestions(seed: person.id.seed, limit: .max)
            .filter { !titles.contains(ExactString($0.title)) }
        return GoalSuggestion.body(Array(suggestions.prefix(5)))
    }
}

extension JSONWriter {
    fileprivate static let textCount = 3

    /// Writes some texts of a list, which begin where the seed says.
    fileprivate mutating func texts(_ name: StaticString, _ texts: [String], seed: UInt64) {
        let start = Int(seed % UInt64(texts.count))
        let turned = texts[start...] + texts[..<start]
        array(name) { array in for text in turned.prefix(Self.textCount) { array.value(text) } }
    }
}

extension Goal {
    /// When it is complete if it goes on as until now; nil if nothing tells, or in more than a hundred years.
    fileprivate func projectedCompletion(at now: Timestamp) -> DateTime? {
        let elapsed = Double(now.secondsSinceEpoch - createdAt.secondsSinceEpoch)
        let needed = elapsed / progress
        guard state.appStatus == .active, progress > 0, progress < 1, elapsed > 0, needed < 36_500 * 86_400 else {
            return nil
        }
        return DateTime(secondsSinceEpoch: createdAt.secondsSinceEpoch + Int64(needed))
    }

    fileprivate func filling(_ text: String) -> String {
        text.replacing("{percent}", with: "\(Int((progress * 100).rounded()))").replacing("{title}", with: title)
    }
}
