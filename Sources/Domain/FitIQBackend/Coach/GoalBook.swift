import FitIQAPI

/// What the coach says about goals: `Fixtures/data/goals.json`.
///
/// `topics` has texts by what a goal is about; the last topic is for all other goals. `stages` has texts by how far a
/// goal is.
struct GoalBook: Sendable {
    static let path = "Fixtures/data/goals.json"
    static let builtIn = DataFile.embedded(path) { GoalBook(&$0) }

    struct Topic: Sendable {
        /// Words of a goal's category, type or title, folded.
        var keywords: Set<String>  // Folded words are ASCII, or compared as they are.
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
                file.refuse("the last topic has no keywords, because it fits any goal", at: section.line)
            }
            if section.name == "stages", stages.count < GoalStage.allCases.count {
                file.refuse(
                    "each of \(GoalStage.allCases.map(\.rawValue).joined(separator: ", ")) has a stage",
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
            file.refuse("a topic has at least three texts of each kind", at: record.line)
        }
        topics.append(topic)
    }

    private mutating func readStage(_ record: DataFile.Record, _ file: inout DataFile) {
        file.check(record, keys: ["stage", "message", "analysis", "strengths", "challenges"])
        let name = file.text("stage", of: record)
        guard let stage = GoalStage(rawValue: name), stages[stage] == nil else {
            return file.refuse("there is no stage \"\(name)\", or it stands twice", at: record.line)
        }
        stages[stage] = Stage(
            message: file.text("message", of: record), analysis: file.text("analysis", of: record),
            strengths: file.texts("strengths", of: record), challenges: file.texts("challenges", of: record))
    }

    /// The first topic of the goal's category, else of its type, else of its title.
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
    /// Without progress.
    case new
    /// With less than half of its progress, less than four fifths, and more.
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
