import FitIQAPI
import JSON
import Scenarios

/// A user's actions, during which faults occur, and the world in which the actions start.
///
/// The expectations of a story's steps count only without faults that excuse them. Every story has the same ending: the client becomes
/// idle, gets one more answer if a chat is open, leaves, and is watched for five minutes. The ending's expectations
/// always count, each with the ID of its symptom.
public struct Story: Sendable {
    public let name: String
    /// The world without faults.
    ///
    /// The world's answers are short, because each chunk takes time.
    public private(set) var scenario: Scenario
    /// The scenario file as a tree.
    public private(set) var document: JSONValue
    public let steps: [Step]
    /// The symptoms of the ending's steps that can fail, by step index.
    let symptoms: [Int: ExploreCheck]
    /// Whether the story is played in its own world, on which its steps rely.
    private var isAtHome = true

    /// - Parameters:
    ///   - world: A valid scenario, as it would appear in a file, without a name.
    ///   - goals: The titles of the goals that the user creates.
    ///   - isChat: Whether the steps leave a chat open.
    init(_ name: String, world: String, goals: [String] = [], isChat: Bool = true, _ steps: Step...) {
        self.name = name
        do {
            (scenario, document) = try Scenario.readWithJSON(
                "name: \(name)\nsummary: \(Self.summary)\n\(world)\(Self.answers)")
        } catch {
            preconditionFailure("The world of the story \(name) has mistakes: \(error)")
        }
        var all: [Step] = [.watch(.answersGrow), .watch(.completeAnswersAreStored)] + steps
        var symptoms: [Int: ExploreCheck] = [:]
        for (step, symptom) in Self.end(goals: goals, isChat: isChat) {
            symptoms[all.count] = symptom
            all.append(step)
        }
        (self.steps, self.symptoms) = (all, symptoms)
    }

    /// Creates a story for a client that acts on its own, without instructions.
    public init(_ name: String, scenario: Scenario, document: JSONValue) {
        (self.name, self.scenario, self.document) = (name, scenario, document)
        (steps, symptoms) = ([], [:])
    }

    /// The story in its world with another seed or guide; nil keeps them.
    public func with(seed: UInt64? = nil, guide: GuideMode?) -> Story {
        var (scenario, members) = (scenario, document.object ?? [:])
        if let seed {
            scenario.seed = seed
            members["seed"] = JSONNumber("\(seed)").map { .number($0) }
        }
        if let guide {
            scenario.guide = guide
            members["guide"] = .string(guide.rawValue)
        }
        // Faults add changes to the overlay, so the file contains the overlay itself instead of its path.
        if let overlay = scenario.overlay { members["overlay"] = overlay.json["overlay"] }
        return inWorld(scenario, document: .object(members))
    }

    /// - Parameter isForeign: Whether data that the steps need may be missing from the world, in which case the steps'
    ///   expectations do not count.
    public func inWorld(_ scenario: Scenario, document: JSONValue, isForeign: Bool = false) -> Story {
        var story = self
        (story.scenario, story.document, story.isAtHome) = (scenario, document, !isForeign)
        return story
    }

    /// Whether a step's failure counts.
    ///
    /// The ending's expectations always count; other expectations count only in the story's own world, in modes that
    /// demand them, and without harmful faults.
    func counts(step: Int, _ check: InsideCheck?, in mode: GuideMode, isHarmed: Bool) -> Bool {
        switch steps[step] {
        case .expect, .until: if symptoms[step] != nil { return true }
        case .watch(.answersGrow): break
        default: return true
        }
        return expects(isHarmed: isHarmed) && check?.isDemanded(in: mode) ?? true
    }

    /// Whether the story's expectations before the ending count.
    func expects(isHarmed: Bool) -> Bool { isAtHome && !isHarmed }

    /// The longest time to wait until the client is idle; it exceeds any fault's delay.
    public static let patience = Duration.seconds(15 * 60)
    /// How long the client is watched after its user has left.
    public static let restTime = Duration.seconds(300)

    private static let summary = "A story's world before any fault."

    /// Answers of four chunks that take half a second.
    private static let answers = """
        answers:
          - when: {content: set a goal}
            steps:
              - {chunk: "Let me "}
              - {chunk: "see. "}
              - template_created: {type: goal, id: 5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60, name: Sleep eight hours}
              - {chunk: "Done."}
            timing: {first_chunk: 100ms, chunks_per_second: 10}
          - when: {content: begin}
            chunks: ["Warm up, ", "then walk."]
            template_created: {type: workout, id: 8f1d7a90-3c4e-4b5d-8f6a-1b2c3d4e5f61, name: First week}
            timing: {first_chunk: 100ms, chunks_per_second: 10}
          - when: {content: secret}
            error: The coach keeps it.
          - when: {content: protein}
            chunks: ["About 1.6 g ", "for each kilogram ", "of body ", "weight."]
            timing: {first_chunk: 100ms, chunks_per_second: 10}
          - chunks: ["Begin slowly, ", "rest well, ", "drink água ", "🥤."]
            timing: {first_chunk: 100ms, chunks_per_second: 10}

        """

    private static func end(goals: [String], isChat: Bool) -> [(Step, ExploreCheck)] {
        let idle = Step.until(.idle, within: patience)
        var end: [(Step, ExploreCheck)] = [
            (idle, .unwell),
            (.expect(.oneOf([.someProblem, .connection(.connected), .connection(.disconnected)])), .unwell),
        ]
        if isChat {
            end += [
                (.send("Are you still there?"), .unwell), (idle, .unwell),
                (.expect(.oneOf([.connection(.connected), .freshProblem])), .unwell),
                (.expect(.oneOf([.offline, .transcriptAsStored])), .unwell), (.expect(.storedOnce), .twice),
                (.expect(.oneOf([.freshProblem, .deliveredIsStored])), .lost),
            ]
        }
        end += [
            (.disconnect, .unwell), (.until(.all([.offline, .idle]), within: patience), .unwell),
            (.quiet(restTime), .restless),
        ]
        if !goals.isEmpty { end += [(.loadGoals, .unwell), (idle, .unwell)] }
        for goal in goals {
            end.append((.expect(.oneOf([.goalCount(goal, 0), .goalCount(goal, 1)])), .twice))
            end.append((.expect(.oneOf([.someProblem, .goal(goal)])), .lost))
        }
        return end
    }
}

/// The explorer's own symptoms, in addition to obligations and internal checks.
public enum ExploreCheck: String, Sendable, Hashable, CaseIterable {
    case crash = "explore/crash"
    case hang = "explore/hang"
    case flood = "explore/flood"
    case unwell = "explore/unwell"
    case restless = "explore/restless"
    case twice = "explore/twice"
    case lost = "explore/lost"
    case command = "explore/command"
}

extension Story {
    /// All stories.
    ///
    /// Each story takes at most four minutes before the ending.
    public static let all = [chat, comeBack, goals, meals, signIn, limits, away]

    private static let idle = Step.until(.idle, within: patience)
    /// Waits for the first chunk of an answer, or until the client is idle without an answer.
    private static let untilStreaming = Step.until(.oneOf([.streaming, .idle]), within: patience)

    private static let chat = Story(
        "chat", world: "",
        .start(.nutritionist), .send("How much protein do I need?"), idle, .send("And before a run?"), untilStreaming,
        .send("And after it?"), idle, .pass(.seconds(100)), .send("Tell me a secret."), idle,
        .expect(.problem(.chat)), .send("What about the night?"), idle)

    private static let comeBack = Story(
        "return", world: "",
        .start(.nutritionist), idle, .send("How much protein do I need?"), idle, .disconnect, .pass(.seconds(10)),
        .start(.nutritionist), idle, .send("And before a run?"), untilStreaming, .disconnect, .pass(.seconds(5)),
        .start(.nutritionist), idle)

    private static let goals = Story(
        "goals", world: "", goals: ["Run 5 km", "Sleep eight hours"],
        .loadGoals, idle, .createGoal("Run 5 km"), idle, .chatAboutGoal(titled: "Run 5 km"), idle,
        .send("How do I begin?"), idle,
        .expect(.oneOf([.offline, .template(type: "workout", name: "First week")])), .createGoal("Drink water"), idle,
        .expect(.checking(.template, .goalUnlinked("Drink water"))), .disconnect, .pass(.seconds(5)), .loadGoals, idle,
        .chatAboutGoal(titled: "Run 5 km"), idle, .send("Please set a goal for me."), idle,
        .createGoal("Sleep eight hours"), idle, .pass(.seconds(40)))

    private static let meals = Story(
        "meals",
        world: """
            meals:
              - {when: {text: mystery}, after: 2s, fail: The ingredients are unknown.}
              - {when: {text: enigma}, after: 500ms, fail: The description is unreadable.}
              - when: {text: boiled}
                after: 1s
                items: [{name: Boiled Egg, quantity: 1, unit: piece, calories: 70, protein: 6}]
              - {after: 3s}

            """,
        .listenToMeals, .start(.nutritionist), idle, .logMeal("2 eggs and toast"), .logMeal("mystery stew", .lunch),
        idle, .expect(.mealResult("2 eggs and toast", .completed)), .disconnect, .pass(.seconds(5)),
        .logMeal("1 apple", .snack), idle, .pass(.seconds(20)),
        .expect(.mealError("mystery stew", containing: "unknown")), .start(.nutritionist), idle,
        // With a socket, an event reports the result, so there is no need to ask for it later.
        .logMeal("an enigma"),
        .until(.oneOf([.offline, .mealError("an enigma", containing: "unreadable")]), within: .seconds(4)), idle,
        .logMeal("a boiled egg"), idle,
        .expect(.oneOf([.offline, .mealContents("a boiled egg", protein: 6, items: ["Boiled Egg"])])))

    private static let signIn = Story(
        "sign-in",
        world: """
            token_lifetime: 60s
            accounts: {access_token: 60s, password_cost: 1}
            users:
              - {id: default, email: ada@example.com, password: correct horse}

            """,
        .perform(.signIn(email: "ada@example.com", password: "correct horse")), idle, .loadGoals, idle,
        .pass(.seconds(65)), .loadGoals, .start(.nutritionist), idle, .pass(.seconds(65)),
        .send("How much protein do I need?"), idle)

    private static let limits = Story(
        "limits",
        world: """
            users:
              - id: default
                consultations:
                  - {id: \(KnownID.consultation), persona: nutritionist, created_at: 2d ago}
                fill_active_consultations: 9

            """,
        .start(.nutritionist), idle, .expect(.continues(KnownID.consultation)), .disconnect, .pass(.seconds(5)),
        .start(.generalWellness), idle, .start(.wellnessSpecialist), idle, .expect(.problem(.tooMany)),
        .pass(.seconds(20)),
        .start(.wellnessSpecialist), idle,
        .open(KnownID.consultation), idle, .archive, idle, .pass(.milliseconds(1500)),
        .open(KnownID.consultation), idle, .open(KnownID.nothing), idle,
        .pass(.seconds(5)), .start(.wellnessSpecialist), idle)

    /// More than 100 messages, all different, because users never repeat a message.
    private static let history = (1...60).map { "{user: Meal \($0)?}, {assistant: Rest after meal \($0).}" }
        .joined(separator: ", ")

    /// The user returns to a long consultation, and has deleted another one on another device.
    private static let away = Story(
        "away",
        world: """
            users:
              - id: default
                goals: [{name: walk, title: Walk daily, created_at: 90d ago}]
                consultations:
                  - {id: \(KnownID.consultation), persona: fitness_coach, context: goal, goal: walk, created_at: 9d ago}
                  - {persona: nutritionist, created_at: 90d ago, messages: [\(history)]}

            """,
        .loadGoals, idle, .start(.nutritionist), idle, .expect(.lines(atMost: 100)), .send("And before a run?"), idle,
        .expect(.lines(atMost: 100)), .disconnect, .pass(.seconds(5)), .deleteConsultation(KnownID.consultation),
        .chatAboutGoal(titled: "Walk daily"), idle,
        .expect(.oneOf([.goalCount("Walk daily", 0), .goalParted("Walk daily", from: KnownID.consultation)])),
        .pass(.seconds(5)), .start(.fitnessCoach), idle)
}
