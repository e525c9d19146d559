import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

/// Data that breaks a rule, and the path in the error.
@Suite("Refused data") struct PlantRefusalTests {
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
        let item = MealItem(
            id: .numbered(1), foodID: .numbered(2), name: name, quantity: quantity, unit: "slices", amountText: "",
            nutrients: MealNutrients(calories: calories, proteinTenths: protein), confidence: confidence, notes: nil)
        return MealLogData(rawInput: "pie", mealType: .snack, progress: .completed([item]))
    }

    static let goals: [Case] = [
        Case(
            PlantError("users[1].goals[0].title", .length(0, allowed: 1...200)),
            UserData(id: "a", goals: [GoalData(title: "")])),
        Case(
            PlantError("users[1].goals[0].title", .length(201, allowed: 1...200)),
            UserData(id: "a", goals: [GoalData(title: String(repeating: "x", count: 201))])),
        Case(
            PlantError("users[1].goals[0].title", .tooManyBytes(131_073, limit: 131_072)),
            UserData(id: "a", goals: [GoalData(title: "x" + String(repeating: "\u{301}", count: 65_536))])),
        Case(
            PlantError("users[1].goals[0].description", .length(2001, allowed: 0...2000)),
            UserData(id: "a", goals: [GoalData(title: "a", description: String(repeating: "x", count: 2001))])),
        Case(
            PlantError("users[1].goals[1].category", .length(0, allowed: 1...100)),
            UserData(id: "a", goals: [run, GoalData(title: "a", category: "")])),
        Case(
            PlantError("users[1].goals[0].progress", .number(1.5, allowed: 0...1)),
            UserData(id: "a", goals: [GoalData(title: "a", progress: 1.5)])),
        Case(
            PlantError(
                "users[1].goals[0].updated_at",
                .outOfOrder(now.minutesEarlier(3), earlier: now.minutesEarlier(2), "the goal was created")),
            UserData(
                id: "a", goals: [GoalData(title: "a", createdAt: .minutesAgo(2), updatedAt: .minutesAgo(3))])),
        Case(
            PlantError("users[1].goals[0].created_at", .beyondTheBeginning(future, now: now)),
            UserData(id: "a", goals: [GoalData(title: "a", createdAt: .at(future))])),
        Case(
            PlantError("users[1].goals[0].updated_at", .negativeAge(-1)),
            UserData(id: "a", goals: [GoalData(title: "a", updatedAt: .before(-1))])),
        Case(PlantError("users[1].goals[1].name", .duplicateName("run")), UserData(id: "a", goals: [run, run])),
        Case(
            PlantError("users[1].goals", .tooMany("goals for this user", 1001, limit: 1000)),
            UserData(id: "a", goals: Array(repeating: GoalData(title: "a"), count: 1001))),
        Case(PlantError("users[1].id", .duplicateUser("first")), UserData(id: "first")),
        Case(PlantError("users[1].id", .length(0, allowed: 1...200)), UserData(id: "")),
    ]

    static let consultations: [Case] = [
        Case(
            PlantError("users[1].consultations[0].goal", .unknownGoal(.named("walk"))),
            consultations: ConsultationData(persona: .nutritionist, contextType: .goal, contextGoal: .named("walk"))),
        Case(
            PlantError("users[1].consultations[0].linked_goal", .unknownGoal(.id(.numbered(3)))),
            consultations: ConsultationData(persona: .nutritionist, linkedGoal: .id(.numbered(3)))),
        Case(
            PlantError("users[1].consultations[0].goal", .strayContextGoal(.mood)),
            consultations: ConsultationData(persona: .nutritionist, contextType: .mood, contextGoal: .named("run"))),
        Case(
            PlantError("users[1].consultations[0].context_id", .strayContextID(.general)),
            consultations: ConsultationData(persona: .nutritionist, contextID: "a")),
        Case(
            PlantError("users[1].consultations[0].context_id", .strayContextID(.goal)),
            consultations: ConsultationData(
                persona: .nutritionist, contextType: .goal, contextID: "a", contextGoal: .named("run"))),
        Case(
            PlantError("users[1].consultations[0].context_id", .strayContextID(.goal)),
            consultations: ConsultationData(persona: .nutritionist, contextType: .goal, contextID: "a")),
        // A context id without a context goal refers to a deleted goal.
        Case(
            PlantError("users[1].consultations[0].context_id", .strayContextID(.goal)),
            consultations: ConsultationData(
                persona: .nutritionist, contextType: .goal, contextID: ExactString("\(ResourceID.numbered(7))"),
                contextGoal: .named("run"))),
        Case(
            PlantError("users[1].consultations[0].context_id", .length(0, allowed: 1...200)),
            consultations: ConsultationData(persona: .nutritionist, contextType: .mood, contextID: "")),
        Case(
            PlantError("users[1].consultations[0].unlinked", .linkedAndUnlinked),
            consultations: ConsultationData(persona: .nutritionist, linkedGoal: .named("run"), isUnlinked: true)),
        Case(
            PlantError(
                "users[1].consultations[1]",
                .duplicateTopic(Topic(persona: .nutritionist, context: ConsultationContext(.mood, id: "a")))),
            consultations: ConsultationData(persona: .nutritionist, contextType: .mood, contextID: "a"),
            ConsultationData(persona: .nutritionist, contextType: .mood, contextID: "a")),
        Case(
            PlantError("users[1].consultations[10]", .tooManyActive(limit: 10)),
            UserData(
                id: "a",
                consultations: (0...10).map {
                    ConsultationData(persona: .nutritionist, contextType: .mood, contextID: "\($0)")
                })),
        Case(
            PlantError("users[1].fill_active_consultations", .tooManyActive(limit: 10)),
            UserData(id: "a", fillActiveConsultations: 11)),
        Case(
            PlantError("users[1].fill_active_consultations", .negative(-1)),
            UserData(id: "a", fillActiveConsultations: -1)),
        Case(
            PlantError("users[1].consultations[1]", .twoConversations(other: "users[1].consultations[0]")),
            consultations: ConsultationData(persona: .nutritionist, linkedGoal: .named("run")),
            ConsultationData(persona: .fitnessCoach, linkedGoal: .named("run"))),
        Case(
            PlantError("users[1].consultations[0].title", .length(0, allowed: 1...200)),
            consultations: ConsultationData(persona: .nutritionist, title: "")),
        Case(
            PlantError(
                "users[1].consultations[0].updated_at",
                .outOfOrder(now.minutesEarlier(2), earlier: now.minutesEarlier(1), "it was created")),
            consultations: ConsultationData(
                persona: .nutritionist, createdAt: .minutesAgo(1), updatedAt: .minutesAgo(2))),
    ]

    static let messages: [Case] = [
        Case(
            PlantError("users[1].consultations[0].messages[0]", .blank),
            message: MessageData(role: .user, content: " \n")),
        Case(
            PlantError("users[1].consultations[0].messages[0]", .length(5001, allowed: 1...5000)),
            message: MessageData(role: .user, content: String(repeating: "x", count: 5001))),
        Case(
            PlantError("users[1].consultations[0].messages[0]", .tooManyBytes(1_048_577, limit: 1_048_576)),
            message: MessageData(role: .assistant, content: String(repeating: "x", count: 1_048_577))),
        Case(
            PlantError("users[1].consultations[0].messages[0].tokens_used", .negative(-1)),
            message: MessageData(role: .assistant, content: "a", metadata: MessageMetadata(tokensUsed: -1))),
        Case(
            PlantError("users[1].consultations[0].messages[0].created_at", .beyondTheBeginning(future, now: now)),
            message: MessageData(role: .assistant, content: "a", createdAt: .at(future))),
        Case(
            PlantError(
                "users[1].consultations[0].messages[0].created_at",
                .outOfOrder(now.minutesEarlier(2), earlier: now.minutesEarlier(1), "the consultation was created")),
            consultations: ConsultationData(
                persona: .nutritionist,
                messages: [MessageData(role: .user, content: "a", createdAt: .minutesAgo(2))],
                createdAt: .minutesAgo(1))),
        Case(
            PlantError(
                "users[1].consultations[0].messages[1].created_at",
                .outOfOrder(now.minutesEarlier(2), earlier: now.minutesEarlier(1), "the previous message was stored")),
            consultations: ConsultationData(
                persona: .nutritionist,
                messages: [
                    MessageData(role: .user, content: "a", createdAt: .minutesAgo(1)),
                    MessageData(role: .user, content: "a", createdAt: .minutesAgo(2)),
                ])),
        Case(
            PlantError(
                "users[1].consultations[0].updated_at",
                .outOfOrder(now.minutesEarlier(2), earlier: now.minutesEarlier(1), "its last message was stored")),
            consultations: ConsultationData(
                persona: .nutritionist,
                messages: [MessageData(role: .user, content: "a", createdAt: .minutesAgo(1))],
                updatedAt: .minutesAgo(2))),
        Case(
            PlantError(
                "users[1].consultations[0].messages[1].created_at",
                .outOfOrder(now.minutesEarlier(2), earlier: now.minutesEarlier(1), "the consultation was created")),
            consultations: ConsultationData(
                persona: .nutritionist,
                messages: [
                    MessageData(role: .user, content: "a"),
                    MessageData(role: .user, content: "a", createdAt: .minutesAgo(2)),
                ], madeUpMessages: 2, createdAt: .minutesAgo(1))),
        Case(
            PlantError(
                "users[1].consultations[0].updated_at",
                .outOfOrder(now.minutesEarlier(2), earlier: now.minutesEarlier(1), "the consultation was created")),
            consultations: ConsultationData(
                persona: .nutritionist, madeUpMessages: 2, createdAt: .minutesAgo(1), updatedAt: .minutesAgo(2))),
        Case(
            PlantError("users[1].consultations[0].made_up_messages", .negative(-1)),
            consultations: ConsultationData(persona: .nutritionist, madeUpMessages: -1)),
        Case(
            PlantError("users[1].consultations[0]", .tooMany("messages", 10_001, limit: 10_000)),
            consultations: ConsultationData(
                persona: .nutritionist, messages: [MessageData(role: .user, content: "a")], madeUpMessages: 10_000)),
        Case(
            PlantError("users[1].consultations[0]", .tooMany("messages", .max, limit: 10_000)),
            consultations: ConsultationData(
                persona: .nutritionist, messages: [MessageData(role: .user, content: "a")], madeUpMessages: .max)),
    ]

    static let mealLogs: [Case] = [
        Case(
            PlantError("users[1].meal_logs[0].text", .length(0, allowed: 1...1000)),
            log: .init(rawInput: "", mealType: .lunch)),
        Case(PlantError("users[1].meal_logs[0].text", .blank), log: .init(rawInput: " ", mealType: .lunch)),
        Case(
            PlantError("users[1].meal_logs[0].text", .length(1001, allowed: 1...1000)),
            log: .init(rawInput: String(repeating: "x", count: 1001), mealType: .lunch)),
        Case(
            PlantError("users[1].meal_logs[0].finished_at", .finishedWhileProcessing),
            log: .init(rawInput: "a", mealType: .lunch, progress: .processing, finishedAt: .minutesAgo(1))),
        Case(
            PlantError(
                "users[1].meal_logs[0].finished_at",
                .outOfOrder(now.minutesEarlier(2), earlier: now.minutesEarlier(1), "the meal log was created")),
            log: .init(
                rawInput: "a", mealType: .lunch, createdAt: .minutesAgo(1), finishedAt: .minutesAgo(2))),
        Case(PlantError("users[1].meal_logs[0].items[0].name", .length(0, allowed: 1...10_000)), log: item(name: "")),
        Case(
            PlantError("users[1].meal_logs[0].items[0].quantity", .number(.infinity, allowed: 0...1_000_000_000)),
            log: item(quantity: .infinity)),
        Case(
            PlantError("users[1].meal_logs[0].items[0].confidence", .number(-0.5, allowed: 0...1)),
            log: item(confidence: -0.5)),
        Case(
            PlantError("users[1].meal_logs[0].items[0].calories", .number(-1, allowed: 0...1_000_000)),
            log: item(calories: -1)),
        Case(
            PlantError("users[1].meal_logs[0].items[0].protein", .number(1_000_000.1, allowed: 0...1_000_000)),
            log: item(protein: 10_000_001)),
        Case(
            PlantError("users[1].meal_logs[0].items", .tooMany("foods of a meal log", 51, limit: 50)),
            log: .init(
                rawInput: "a", mealType: .lunch,
                progress: .foods(
                    (0...50).map { _ in .init(name: "a", quantity: 1, unit: "", nutrients: MealNutrients()) }))),
        Case(
            PlantError("users[1].meal_logs", .tooMany("meal logs for this user", 10_001, limit: 10_000)),
            UserData(
                id: "a", mealLogs: Array(repeating: MealLogData(rawInput: "a", mealType: .lunch), count: 10_001))),
    ]

    @Test("Invalid data is rejected with its path and a reason", arguments: goals + consultations + messages + mealLogs)
    func refused(_ refused: Case) throws {
        var world = try World.holding(goals: [Self.run])
        let (before, ids) = (world.data, world.turn.identifiers.issuedCount)
        var error: PlantError?
        do throws(PlantError) { try world.backend.plant(refused.data, &world.turn) } catch let thrown { error = thrown }
        #expect(error == refused.error)
        #expect(world.data == before && world.turn.identifiers.issuedCount == ids, "something was planted")
    }

    @Test("Two records of any kind cannot have the same id")
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
                #expect(throws: PlantError("users[1].\(path).id", .duplicateID(id))) {
                    try world.backend.plant(WorldData(users: [first, user]), &world.turn)
                }
                // Planting also fails if the id already exists in the world.
                try world.backend.plant(WorldData(users: [first]), &world.turn)
                #expect(throws: PlantError("users[0].\(path).id", .duplicateID(id))) {
                    try world.backend.plant(WorldData(users: [user]), &world.turn)
                }
            }
        }
    }

    @Test("A relative time before the start of the calendar is rejected")
    func longestDuration() {
        var world = World()
        world.turn.now = Timestamp(nanosecondsSinceEpoch: -2)
        let goal = GoalData(title: "a", createdAt: .before(.max))
        #expect(throws: PlantError("users[0].goals[0].created_at", .beforeTheCalendar(.max))) {
            try world.backend.plant(WorldData(users: [UserData(id: "a", goals: [goal])]), &world.turn)
        }
    }

    @Test("A negative number of issued ids is rejected", arguments: [-1, .min])
    func issuedIDs(count: Int) {
        var world = World()
        #expect(throws: PlantError("issued_ids", .issuedIDs(count, maximum: .max))) {
            try world.backend.plant(WorldData(issuedIDs: count), &world.turn)
        }
    }

    @Test("A world accepts data while one byte is free and rejects data once it is full")
    func lastByte() throws {
        var known = World()
        _ = try known.backend.user("a")
        let data = WorldData(users: [UserData(id: "a", goals: [GoalData(title: "a")])])
        for (spare, expected) in [(0, true), (1, false)] {
            var limits = Limits()
            limits.storedBytes = known.backend.storedBytes + spare
            var world = World(limits: limits)
            var error: PlantError?
            do throws(PlantError) { try world.backend.plant(data, &world.turn) } catch let thrown { error = thrown }
            let full = PlantError("users[0].goals[0]", .storeFull(limit: limits.storedBytes))
            #expect(error == (expected ? full : nil))
        }
    }

    @Test("Data is rejected if it contains more users or bytes than the world can still store")
    func full() throws {
        var limits = Limits()
        limits.users = 1
        limits.storedBytes = 20_000
        var world = World(limits: limits)
        #expect(throws: PlantError("users[1]", .tooMany("users", 2, limit: 1))) {
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
                #expect(error == PlantError(error.path, .storeFull(limit: 20_000)))
            }
        }
        #expect(world.backend.userCount == 0)
    }
}
