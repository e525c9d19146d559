import FitIQAPI
import JSON

/// The coach's advice on goals: `Fixtures/data/goals.json`.
///
/// `topics` has the text for each goal topic; the last topic is for all other goals. `stages` has the text for each
/// stage of progress.
struct GoalBook: Sendable {
    static let path = "Fixtures/data/goals.json"
    static let builtIn = DataFile.embedded(path) { GoalBook(&$0) }

    struct Topic: Sendable {
        /// Folded words from a goal's category, type or title.
        var keywords: Set<String>  // Folded words are ASCII, or compared unchanged.
        var tips, suggestions, nextSteps, recommendations: [String]
    }

    struct Stage: Sendable {
        var message, analysis: String
        var strengths, challenges: [String]
    }

    private(set) var topics: [Topic] = []
    private(set) var stages: [GoalStage: Stage] = [:]

    init(_ file: inout DataFile) {
        file.check(sections: ["topics", "stages"])
        guard file.mistakes.isEmpty else { return }
        for section in file.sections {
            for record in section.records {
                if section.name == "topics" { readTopic(record, &file) } else { readStage(record, &file) }
            }
            if section.name == "topics", topics.last?.keywords.isEmpty != true {
                file.refuse("the last topic must have no keywords, because it fits any goal", at: section.line)
            }
            if section.name == "stages", stages.count < GoalStage.allCases.count {
                file.refuse(
                    "each of \(GoalStage.allCases.map(\.rawValue).joined(separator: ", ")) needs a stage",
                    at: section.line)
            }
        }
    }

    private mutating func readTopic(_ record: DataFile.Record, _ file: inout DataFile) {
        file.check(record, keys: ["keywords", "tips", "suggestions", "next_steps", "recommendations"])
        let topic = Topic(
            keywords: Set(file.texts("keywords", of: record).flatMap(Words.fold)),
            tips: file.texts("tips", of: record), suggestions: file.texts("suggestions", of: record),
            nextSteps: file.texts("next_steps", of: record),
            recommendations: file.texts("recommendations", of: record))
        for list in [topic.tips, topic.suggestions, topic.nextSteps, topic.recommendations] where list.count < 3 {
            file.refuse("a topic needs at least three entries of each kind", at: record.line)
        }
        topics.append(topic)
    }

    private mutating func readStage(_ record: DataFile.Record, _ file: inout DataFile) {
        file.check(record, keys: ["stage", "message", "analysis", "strengths", "challenges"])
        let name = file.text("stage", of: record)
        guard let stage = GoalStage(rawValue: name), stages[stage] == nil else {
            return file.refuse("the stage \"\(name)\" is missing or occurs twice", at: record.line)
        }
        stages[stage] = Stage(
            message: file.text("message", of: record), analysis: file.text("analysis", of: record),
            strengths: file.texts("strengths", of: record), challenges: file.texts("challenges", of: record))
    }

    /// The topic found by the goal's category, type or title, in that order.
    func topic(of goal: Goal) -> Topic {
        for text in [goal.category, goal.measure.type, goal.title] {
            let words = Words.fold(text ?? "")
            if let topic = topics.first(where: { !$0.keywords.isDisjoint(with: words) }) { return topic }
        }
        return topics[topics.count - 1]
    }
}

enum GoalStage: String, CaseIterable, Sendable {
    case completed, archived, paused, overdue
    /// A goal without progress.
    case new
    /// Progress of less than half, of less than four fifths, and of four fifths or more.
    case started, halfway, close

    init(of goal: Goal, at now: Timestamp) {
        self =
            switch goal.state {
            case .completed: .completed
            case .archived: .archived
            case .paused: .paused
            case _ where goal.isOverdue(at: now): .overdue
            case _ where goal.progress == 0: .new
            default: goal.progress < 0.5 ? .started : goal.progress < 0.8 ? .halfway : .close
            }
    }
}

/// The coach's advice on a goal: text for its topic and stage, in an order determined by its id.
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

    /// Writes some of the strings in a list, starting at a position determined by the seed.
    fileprivate mutating func texts(_ name: StaticString, _ texts: [String], seed: UInt64) {
        let start = Int(seed % UInt64(texts.count))
        let turned = texts[start...] + texts[..<start]
        array(name) { array in for text in turned.prefix(Self.textCount) { array.value(text) } }
    }
}

extension Goal {
    /// The projected date of completion; nil if there is no progress or if the date is more than a hundred years away.
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
