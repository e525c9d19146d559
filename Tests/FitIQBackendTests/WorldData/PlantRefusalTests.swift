import FitIQAPI
import Testing

@testable import FitIQBackend

/// Data that would break a rule, and where it says so.
@Suite("Data is refused") struct PlantRefusalTests {
    private static let now = World.start
    private static let future = World.start.advanced(byNanoseconds: 1)
    private static let run = GoalData(name: "run", title: "Run")

    struct Case: CustomTestStringConvertible {
        let error: PlantError
        let data: WorldData
        var testDescription: String { error.description }

        init(_ error: PlantError, _ user: UserData) {
            self.error = error
            data = WorldData(users: [UserData(id: "first"), user])
        }

        init(_ error: PlantError, consultations: ConsultationData...) {
            self.init(error, UserData(id: "user-1", goals: [run], consultations: consultations))
        }

        init(_ error: PlantError, message: MessageData) {
            self.init(error, consultations: ConsultationData(persona: .nutritionist, messages: [message]))
        }

        init(_ error: PlantError, log: MealLogData) {
            self.init(error, UserData(id: "user-1", mealLogs: [log]))
        }
    }

    private static func item(
        name: String = "Pie", quantity: Double = 1, calories: Int = 0, protein: Int = 0, confidence: Double = 1
    ) -> MealLogData {
        let item = MealLogItem(
            id: .numbered(1), foodID: .numbered(2), name: name, quantity: quantity, unit: "slices", amountText: "",
            nutrients: MealNutrients(calories: calories, proteinTenths: protein), confidence: confidence, notes: nil)
        return MealLogData(rawInput: "pie", mealType: .snack, progress: .completed([item]))
    }

    static let goals: [Case] = [
        Case(
            .length("users[1].goals[0].title", 0, allowed: 1...200), UserData(id: "a", goals: [GoalData(title: "")])),
        Case(
            .length("users[1].goals[0].title", 201, allowed: 1...200),
            UserData(id: "a", goals: [GoalData(title: String(repeating: "x", count: 201))])),
        Case(
            .tooManyBytes("users[1].goals[0].title", 131_073, limit: 131_072),
            UserData(id: "a", goals: [GoalData(title: "x" + String(repeating: "\u{301}", count: 65_536))])),
        Case(
            .length("users[1].goals[0].description", 2001, allowed: 0...2000),
            UserData(id: "a", goals: [GoalData(title: "a", description: String(repeating: "x", count: 2001))])),
        Case(
            .length("users[1].goals[1].category", 0, allowed: 1...100),
            UserData(id: "a", goals: [run, GoalData(title: "a", category: "")])),
        Case(
            .number("users[1].goals[0].progress", 1.5, allowed: 0...1),
            UserData(id: "a", goals: [GoalData(title: "a", progress: 1.5)])),
        Case(
            .outOfOrder(
                "users[1].goals[0].updated_at", now.minutesEarlier(3), earlier: now.minutesEarlier(2),
                "the goal was created"),
            UserData(
                id: "a", goals: [GoalData(title: "a", createdAt: .minutesAgo(2), updatedAt: .minutesAgo(3))])),
        Case(
            .beyondTheBeginning("users[1].goals[0].created_at", future, now: now),
            UserData(id: "a", goals: [GoalData(title: "a", createdAt: .at(future))])),
        Case(
            .negativeAge("users[1].goals[0].updated_at", -1),
            UserData(id: "a", goals: [GoalData(title: "a", updatedAt: .before(-1))])),
        Case(.duplicateName("users[1].goals[1].name", "run"), UserData(id: "a", goals: [run, run])),
        Case(
            .tooMany("users[1].goals", "goals of this user", 1001, limit: 1000),
            UserData(id: "a", goals: Array(repeating: GoalData(title: "a"), count: 1001))),
        Case(.duplicateUser("users[1].id", "first"), UserData(id: "first")),
        Case(.length("users[1].id", 0, allowed: 1...200), UserData(id: "")),
    ]

    static let consultations: [Case] = [
        Case(
            .unknownGoal("users[1].consultations[0].goal", .named("walk")),
            consultations: ConsultationData(persona: .nutritionist, contextType: .goal, contextGoal: .named("walk"))),
        Case(
            .unknownGoal("users[1].consultations[0].linked_goal", .id(.numbered(3))),
            consultations: ConsultationData(persona: .nutritionist, linkedGoal: .id(.numbered(3)))),
        Case(
            .missingContextGoal("users[1].consultations[0]"),
            consultations: ConsultationData(persona: .nutritionist, contextType: .goal)),
        Case(
            .strayContextGoal("users[1].consultations[0].goal", .mood),
            consultations: ConsultationData(persona: .nutritionist, contextType: .mood, contextGoal: .named("run"))),
        Case(
            .strayContextID("users[1].consultations[0].context_id", .general),
            consultations: ConsultationData(persona: .nutritionist, contextID: "a")),
        Case(
            .strayContextID("users[1].consultations[0].context_id", .goal),
            consultations: ConsultationData(
                persona: .nutritionist, contextType: .goal, contextID: "a", contextGoal: .named("run"))),
        Case(
            .length("users[1].consultations[0].context_id", 0, allowed: 1...200),
            consultations: ConsultationData(persona: .nutritionist, contextType: .mood, contextID: "")),
        Case(
            .linkedAndUnlinked("users[1].consultations[0].unlinked"),
            consultations: ConsultationData(persona: .nutritionist, linkedGoal: .named("run"), isUnlinked: true)),
        Case(
            .duplicateTopic(
                "users[1].consultations[1]",
                Topic(persona: .nutritionist, context: ConsultationContext(.mood, id: "a"))),
            consultations: ConsultationData(persona: .nutritionist, contextType: .mood, contextID: "a"),
            ConsultationData(persona: .nutritionist, contextType: .mood, contextID: "a")),
        Case(
            .tooManyActive("users[1].consultations[10]", limit: 10),
            UserData(
                id: "a",
                consultations: (0...10).map {
                    ConsultationData(persona: .nutritionist, contextType: .mood, contextID: "\($0)")
                })),
        Case(
            .tooManyActive("users[1].fill_active_consultations", limit: 10),
            UserData(id: "a", fillActiveConsultations: 11)),
        Case(
            .negative("users[1].fill_active_consultations", -1), UserData(id: "a", fillActiveConsultations: -1)),
        Case(
            .twoConversations("users[1].consultations[1]", other: "users[1].consultations[0]"),
            consultations: ConsultationData(persona: .nutritionist, linkedGoal: .named("run")),
            ConsultationData(persona: .fitnessCoach, linkedGoal: .named("run"))),
        Case(
            .length("users[1].consultations[0].title", 0, allowed: 1...200),
            consultations: ConsultationData(persona: .nutritionist, title: "")),
        Case(
            .outOfOrder(
                "users[1].consultations[0].updated_at", now.minutesEarlier(2), earlier: now.minutesEarlier(1),
                "it was created"),
            consultations: ConsultationData(
                persona: .nutritionist, createdAt: .minutesAgo(1), updatedAt: .minutesAgo(2))),
    ]

    static let messages: [Case] = [
        Case(.blank("users[1].consultations[0].messages[0]"), message: MessageData(role: .user, content: " \n")),
        Case(
            .length("users[1].consultations[0].messages[0]", 2001, allowed: 1...2000),
            message: MessageData(role: .user, content: String(repeating: "x", count: 2001))),
        Case(
            .tooManyBytes("users[1].consultations[0].messages[0]", 1_048_577, limit: 1_048_576),
            message: MessageData(role: .assistant, content: String(repeating: "x", count: 1_048_577))),
        Case(
            .negative("users[1].consultations[0].messages[0].tokens_used", -1),
            message: MessageData(role: .assistant, content: "a", metadata: MessageMetadata(tokensUsed: -1))),
        Case(
            .beyondTheBeginning("users[1].consultations[0].messages[0].created_at", future, now: now),
            message: MessageData(role: .assistant, content: "a", createdAt: .at(future))),
        Case(
            .outOfOrder(
                "users[1].consultations[0].messages[0].created_at", now.minutesEarlier(2),
                earlier: now.minutesEarlier(1), "the consultation was created"),
            consultations: ConsultationData(
                persona: .nutritionist,
                messages: [MessageData(role: .user, content: "a", createdAt: .minutesAgo(2))],
                createdAt: .minutesAgo(1))),
        Case(
            .outOfOrder(
                "users[1].consultations[0].messages[1].created_at", now.minutesEarlier(2),
                earlier: now.minutesEarlier(1), "the message before it was stored"),
            consultations: ConsultationData(
                persona: .nutritionist,
                messages: [
                    MessageData(role: .user, content: "a", createdAt: .minutesAgo(1)),
                    MessageData(role: .user, content: "a", createdAt: .minutesAgo(2)),
                ])),
        Case(
            .outOfOrder(
                "users[1].consultations[0].updated_at", now.minutesEarlier(2), earlier: now.minutesEarlier(1),
                "its last message was stored"),
            consultations: ConsultationData(
                persona: .nutritionist,
                messages: [MessageData(role: .user, content: "a", createdAt: .minutesAgo(1))],
                updatedAt: .minutesAgo(2))),
        Case(
            .outOfOrder(
                "users[1].consultations[0].messages[1].created_at", now.minutesEarlier(2),
                earlier: now.minutesEarlier(1), "the consultation was created"),
            consultations: ConsultationData(
                persona: .nutritionist,
                messages: [
                    MessageData(role: .user, content: "a"),
                    MessageData(role: .user, content: "a", createdAt: .minutesAgo(2)),
                ], madeUpMessages: 2, createdAt: .minutesAgo(1))),
        Case(
            .outOfOrder(
                "users[1].consultations[0].updated_at", now.minutesEarlier(2), earlier: now.minutesEarlier(1),
                "the consultation was created"),
            consultations: ConsultationData(
                persona: .nutritionist, madeUpMessages: 2, createdAt: .minutesAgo(1), updatedAt: .minutesAgo(2))),
        Case(
            .negative("users[1].consultations[0].made_up_messages", -1),
            consultations: ConsultationData(persona: .nutritionist, madeUpMessages: -1)),
        Case(
            .tooMany("users[1].consultations[0]", "messages", 10_001, limit: 10_000),
            consultations: ConsultationData(
                persona: .nutritionist, messages: [MessageData(role: .user, content: "a")], madeUpMessages: 10_000)),
        Case(
            .tooMany("users[1].consultations[0]", "messages", .max, limit: 10_000),
            consultations: ConsultationData(
                persona: .nutritionist, messages: [MessageData(role: .user, content: "a")], madeUpMessages: .max)),
    ]

    static let mealLogs: [Case] = [
        Case(.length("users[1].meal_logs[0].text", 0, allowed: 1...1000), log: .init(rawInput: "", mealType: .lunch)),
        Case(.blank("users[1].meal_logs[0].text"), log: .init(rawInput: " ", mealType: .lunch)),
        Case(
            .length("users[1].meal_logs[0].text", 1001, allowed: 1...1000),
            log: .init(rawInput: String(repeating: "x", count: 1001), mealType: .lunch)),
        Case(
            .finishedWhileProcessing("users[1].meal_logs[0].finished_at"),
            log: .init(rawInput: "a", mealType: .lunch, progress: .processing, finishedAt: .minutesAgo(1))),
        Case(
            .outOfOrder(
                "users[1].meal_logs[0].finished_at", now.minutesEarlier(2), earlier: now.minutesEarlier(1),
                "the meal log was created"),
            log: .init(
                rawInput: "a", mealType: .lunch, createdAt: .minutesAgo(1), finishedAt: .minutesAgo(2))),
        Case(.length("users[1].meal_logs[0].items[0].name", 0, allowed: 1...10_000), log: item(name: "")),
        Case(
            .number("users[1].meal_logs[0].items[0].quantity", .infinity, allowed: 0...1_000_000_000),
            log: item(quantity: .infinity)),
        Case(.number("users[1].meal_logs[0].items[0].confidence", -0.5, allowed: 0...1), log: item(confidence: -0.5)),
        Case(
            .number("users[1].meal_logs[0].items[0].calories", -1, allowed: 0...1_000_000), log: item(calories: -1)),
        Case(
            .number("users[1].meal_logs[0].items[0].protein", 1_000_000.1, allowed: 0...1_000_000),
            log: item(protein: 10_000_001)),
        Case(
            .tooMany("users[1].meal_logs[0].items", "foods of a meal log", 51, limit: 50),
            log: .init(
                rawInput: "a", mealType: .lunch,
                progress: .foods(
                    (0...50).map { _ in .init(name: "a", quantity: 1, unit: "", nutrients: MealNutrients()) }))),
        Case(
            .tooMany("users[1].meal_logs", "meal logs of this user", 10_001, limit: 10_000),
            UserData(
                id: "a", mealLogs: Array(repeating: MealLogData(rawInput: "a", mealType: .lunch), count: 10_001))),
    ]

    @Test("with its place and a reason", arguments: goals + consultations + messages + mealLogs)
    func refused(_ refused: Case) throws {
        var world = try World.holding(goals: [Self.run])
        let (before, ids) = (world.data, world.turn.identifiers.issuedCount)
        var error: PlantError?
        do throws(PlantError) { try world.backend.plant(refused.data, &world.turn) } catch let thrown { error = thrown }
        #expect(error == refused.error)
        #expect(world.data == before && world.turn.identifiers.issuedCount == ids, "something was planted")
    }

    @Test("where an id occurs twice, whatever it belongs to")
    func duplicateIDs() throws {
        let id = ResourceID.numbered(1)
        let messages = [MessageData(id: id, role: .user, content: "a")]
        let users: [(String, UserData)] = [
            ("goals[0]", UserData(id: "b", goals: [GoalData(id: id, title: "b")])),
            ("consultations[0]", UserData(id: "b", consultations: [.init(id: id, persona: .nutritionist)])),
            (
                "consultations[0].messages[0]",
                UserData(id: "b", consultations: [.init(persona: .nutritionist, messages: messages)])
            ),
            ("meal_logs[0]", UserData(id: "b", mealLogs: [.init(id: id, rawInput: "egg", mealType: .lunch)])),
            ("meal_logs[0].items[0]", UserData(id: "b", mealLogs: [Self.item()])),
        ]
        for (path, user) in users {
            for (_, other) in users {
                var world = World()
                var first = other
                first.id = "a"
                #expect(throws: PlantError.duplicateID("users[1].\(path).id", id)) {
                    try world.backend.plant(WorldData(users: [first, user]), &world.turn)
                }
                // The same where it is there already.
                try world.backend.plant(WorldData(users: [first]), &world.turn)
                #expect(throws: PlantError.duplicateID("users[0].\(path).id", id)) {
                    try world.backend.plant(WorldData(users: [user]), &world.turn)
                }
            }
        }
    }

    @Test("where a duration leads beyond the calendar")
    func longestDuration() {
        var world = World()
        world.turn.now = Timestamp(nanosecondsSinceEpoch: -2)
        let goal = GoalData(title: "a", createdAt: .before(.max))
        #expect(throws: PlantError.beforeTheCalendar("users[0].goals[0].created_at", .max)) {
            try world.backend.plant(WorldData(users: [UserData(id: "a", goals: [goal])]), &world.turn)
        }
    }

    @Test("where fewer ids were issued than none", arguments: [-1, .min])
    func issuedIDs(count: Int) {
        var world = World()
        #expect(throws: PlantError.issuedIDs("issued_ids", count, maximum: .max)) {
            try world.backend.plant(WorldData(issuedIDs: count), &world.turn)
        }
    }

    @Test("where the world has no more users, or no more room")
    func full() throws {
        var limits = Limits()
        limits.users = 1
        limits.storedBytes = 20_000
        var world = World(limits: limits)
        #expect(throws: PlantError.tooMany("users[1]", "users", 2, limit: 1)) {
            try world.backend.plant(WorldData(users: [UserData(id: "a"), UserData(id: "b")]), &world.turn)
        }
        let goals = Array(repeating: GoalData(title: "a"), count: 100)
        let logs = Array(repeating: MealLogData(rawInput: "egg", mealType: .lunch), count: 100)
        let consultations = (0..<100).map { _ in ConsultationData(persona: .nutritionist, status: .archived) }
        let chats = [ConsultationData(persona: .nutritionist, madeUpMessages: 1000)]
        let messages = [
            ConsultationData(
                persona: .nutritionist,
                messages: Array(repeating: MessageData(role: .system, content: "a"), count: 1000))
        ]
        let users = [
            ("goals[", UserData(id: "a", goals: goals)), ("meal_logs[", UserData(id: "a", mealLogs: logs)),
            ("consultations[", UserData(id: "a", consultations: consultations)),
            ("consultations[0].made_up_messages", UserData(id: "a", consultations: chats)),
            ("consultations[0].messages[", UserData(id: "a", consultations: messages)),
        ]
        for (path, user) in users {
            do throws(PlantError) {
                try world.backend.plant(WorldData(users: [user]), &world.turn)
                Issue.record("\(path) was planted")
            } catch {
                #expect(error.path.hasPrefix("users[0].\(path)"), "\(error)")
                #expect(error == .storeFull(error.path, limit: 20_000))
            }
        }
        #expect(world.backend.userCount == 0)
    }
}
