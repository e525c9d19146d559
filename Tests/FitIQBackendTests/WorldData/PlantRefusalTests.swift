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

        /// The path is that of the second user.
        init(_ path: String, _ problem: PlantError.Problem, _ user: UserData) {
            error = PlantError("users[1].\(path)", problem)
            data = WorldData(users: [UserData(id: "first"), user])
        }
    }

    private static func tooEarly(_ event: String) -> PlantError.Problem {
        .outOfOrder(now.minutesEarlier(2), earlier: now.minutesEarlier(1), event)
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func goal(_ member: String, _ problem: PlantError.Problem, _ goal: GoalData) -> Case {
        Case("goals[0].\(member)", problem, UserData(id: "a", goals: [goal]))
    }

    static let goals: [Case] = [
        goal("title", .length(0, allowed: 1...200), GoalData(title: "")),
        goal("title", .length(201, allowed: 1...200), GoalData(title: text(201))),
        goal(
            "title", .tooManyBytes(131_073, limit: 131_072),
            GoalData(title: "x" + String(repeating: "\u{301}", count: 65_536))),
        goal("description", .length(2001, allowed: 0...2000), GoalData(title: "a", description: text(2001))),
        Case(
            "goals[1].category", .length(0, allowed: 1...100),
            UserData(id: "a", goals: [run, GoalData(title: "a", category: "")])),
        goal("progress", .number(1.5, allowed: 0...1), GoalData(title: "a", progress: 1.5)),
        goal(
            "updated_at", tooEarly("the goal was created"),
            GoalData(title: "a", createdAt: .minutesAgo(1), updatedAt: .minutesAgo(2))),
        goal("created_at", .beyondTheBeginning(future, now: now), GoalData(title: "a", createdAt: .at(future))),
        goal("updated_at", .negativeAge(-1), GoalData(title: "a", updatedAt: .before(-1))),
        Case("goals[1].name", .duplicateName("run"), UserData(id: "a", goals: [run, run])),
        Case(
            "goals", .tooMany("goals for this user", 1001, limit: 1000),
            UserData(id: "a", goals: Array(repeating: GoalData(title: "a"), count: 1001))),
        Case("id", .duplicateUser("first"), UserData(id: "first")),
        Case("id", .length(0, allowed: 1...200), UserData(id: "")),
    ]

    /// A consultation with the nutritionist.
    private static func talk(
        _ type: ContextType = .general, id: ExactString? = nil, goal: GoalReference? = nil,
        linkedTo linkedGoal: GoalReference? = nil, isUnlinked: Bool = false, title: String? = nil,
        messages: [MessageData] = [], madeUp: Int = 0, createdAt: DataTime? = nil, updatedAt: DataTime? = nil
    ) -> ConsultationData {
        ConsultationData(
            persona: .nutritionist, contextType: type, contextID: id, contextGoal: goal, linkedGoal: linkedGoal,
            isUnlinked: isUnlinked, title: title, messages: messages, madeUpMessages: madeUp, createdAt: createdAt,
            updatedAt: updatedAt)
    }

    /// A user with the goal `run`.
    private static func talks(_ path: String, _ problem: PlantError.Problem, _ talks: ConsultationData...) -> Case {
        Case("consultations\(path)", problem, UserData(id: "user-1", goals: [run], consultations: talks))
    }

    static let consultations: [Case] = [
        talks("[0].goal", .unknownGoal(.named("walk")), talk(.goal, goal: .named("walk"))),
        talks("[0].linked_goal", .unknownGoal(.id(.numbered(3))), talk(linkedTo: .id(.numbered(3)))),
        talks("[0].goal", .strayContextGoal(.mood), talk(.mood, goal: .named("run"))),
        talks("[0].context_id", .strayContextID(.general), talk(id: "a")),
        talks("[0].context_id", .strayContextID(.goal), talk(.goal, id: "a", goal: .named("run"))),
        talks("[0].context_id", .strayContextID(.goal), talk(.goal, id: "a")),
        // A context id without a context goal refers to a deleted goal.
        talks(
            "[0].context_id", .strayContextID(.goal),
            talk(.goal, id: ExactString("\(ResourceID.numbered(7))"), goal: .named("run"))),
        talks("[0].context_id", .length(0, allowed: 1...200), talk(.mood, id: "")),
        talks("[0].unlinked", .linkedAndUnlinked, talk(linkedTo: .named("run"), isUnlinked: true)),
        talks(
            "[1]", .duplicateTopic(Topic(persona: .nutritionist, context: ConsultationContext(.mood, id: "a"))),
            talk(.mood, id: "a"), talk(.mood, id: "a")),
        Case(
            "consultations[10]", .tooManyActive(limit: 10),
            UserData(id: "a", consultations: (0...10).map { talk(.mood, id: "\($0)") })),
        Case("fill_active_consultations", .tooManyActive(limit: 10), UserData(id: "a", fillActiveConsultations: 11)),
        Case("fill_active_consultations", .negative(-1), UserData(id: "a", fillActiveConsultations: -1)),
        talks(
            "[1]", .twoConversations(other: "users[1].consultations[0]"), talk(linkedTo: .named("run")),
            ConsultationData(persona: .fitnessCoach, linkedGoal: .named("run"))),
        talks("[0].title", .length(0, allowed: 1...200), talk(title: "")),
        talks("[0].updated_at", tooEarly("it was created"), talk(createdAt: .minutesAgo(1), updatedAt: .minutesAgo(2))),
    ]

    private static func message(_ member: String, _ problem: PlantError.Problem, _ message: MessageData) -> Case {
        talks("[0].messages[0]\(member)", problem, talk(messages: [message]))
    }

    private static func asked(_ minutesAgo: Int64? = nil) -> MessageData {
        MessageData(role: .user, content: "a", createdAt: minutesAgo.map { .minutesAgo($0) })
    }

    static let messages: [Case] = [
        message("", .blank, MessageData(role: .user, content: " \n")),
        message("", .length(5001, allowed: 1...5000), MessageData(role: .user, content: text(5001))),
        message(
            "", .tooManyBytes(1_048_577, limit: 1_048_576), MessageData(role: .assistant, content: text(1_048_577))),
        message(
            ".tokens_used", .negative(-1),
            MessageData(role: .assistant, content: "a", metadata: MessageMetadata(tokensUsed: -1))),
        message(
            ".created_at", .beyondTheBeginning(future, now: now),
            MessageData(role: .assistant, content: "a", createdAt: .at(future))),
        talks(
            "[0].messages[0].created_at", tooEarly("the consultation was created"),
            talk(messages: [asked(2)], createdAt: .minutesAgo(1))),
        talks(
            "[0].messages[1].created_at", tooEarly("the previous message was stored"),
            talk(messages: [asked(1), asked(2)])),
        talks(
            "[0].updated_at", tooEarly("its last message was stored"),
            talk(messages: [asked(1)], updatedAt: .minutesAgo(2))),
        talks(
            "[0].messages[1].created_at", tooEarly("the consultation was created"),
            talk(messages: [asked(), asked(2)], madeUp: 2, createdAt: .minutesAgo(1))),
        talks(
            "[0].updated_at", tooEarly("the consultation was created"),
            talk(madeUp: 2, createdAt: .minutesAgo(1), updatedAt: .minutesAgo(2))),
        talks("[0].made_up_messages", .negative(-1), talk(madeUp: -1)),
        talks("[0]", .tooMany("messages", 10_001, limit: 10_000), talk(messages: [asked()], madeUp: 10_000)),
        talks("[0]", .tooMany("messages", .max, limit: 10_000), talk(messages: [asked()], madeUp: .max)),
    ]

    private static func log(_ member: String, _ problem: PlantError.Problem, _ log: MealLogData) -> Case {
        Case("meal_logs[0].\(member)", problem, UserData(id: "user-1", mealLogs: [log]))
    }

    private static func item(
        name: String = "Pie", quantity: Double = 1, calories: Int = 0, protein: Int = 0, confidence: Double = 1
    ) -> MealLogData {
        let item = MealItem(
            id: .numbered(1), foodID: .numbered(2), name: name, quantity: quantity, unit: "slices", amountText: "",
            nutrients: MealNutrients(calories: calories, proteinTenths: protein), confidence: confidence, notes: nil)
        return MealLogData(rawInput: "pie", mealType: .snack, progress: .completed([item]))
    }

    private static let foods = (0...50).map { _ in
        MealItem(name: "a", quantity: 1, unit: "", nutrients: MealNutrients())
    }

    static let mealLogs: [Case] = [
        log("text", .length(0, allowed: 1...1000), .init(rawInput: "", mealType: .lunch)),
        log("text", .blank, .init(rawInput: " ", mealType: .lunch)),
        log("text", .length(1001, allowed: 1...1000), .init(rawInput: text(1001), mealType: .lunch)),
        log(
            "finished_at", .finishedWhileProcessing,
            .init(rawInput: "a", mealType: .lunch, progress: .processing, finishedAt: .minutesAgo(1))),
        log(
            "finished_at", tooEarly("the meal log was created"),
            .init(rawInput: "a", mealType: .lunch, createdAt: .minutesAgo(1), finishedAt: .minutesAgo(2))),
        log("items[0].name", .length(0, allowed: 1...10_000), item(name: "")),
        log("items[0].quantity", .number(.infinity, allowed: 0...1_000_000_000), item(quantity: .infinity)),
        log("items[0].confidence", .number(-0.5, allowed: 0...1), item(confidence: -0.5)),
        log("items[0].calories", .number(-1, allowed: 0...1_000_000), item(calories: -1)),
        log("items[0].protein", .number(1_000_000.1, allowed: 0...1_000_000), item(protein: 10_000_001)),
        log(
            "items", .tooMany("foods of a meal log", 51, limit: 50),
            .init(rawInput: "a", mealType: .lunch, progress: .foods(foods))),
        Case(
            "meal_logs", .tooMany("meal logs for this user", 10_001, limit: 10_000),
            UserData(id: "a", mealLogs: Array(repeating: .init(rawInput: "a", mealType: .lunch), count: 10_001))),
    ]

    @Test("Invalid data is rejected with its path and a reason", arguments: goals + consultations + messages + mealLogs)
    func refused(_ refused: Case) throws {
        var world = try World.holding(goals: [Self.run])
        let (before, ids) = (world.data, world.turn.identifiers.issuedCount)
        #expect(throws: refused.error) { try world.backend.plant(refused.data, &world.turn) }
        #expect(world.data == before && world.turn.identifiers.issuedCount == ids, "something was planted")
    }

    @Test("Two records of any kind cannot have the same id")
    func duplicateIDs() throws {
        let id = ResourceID.numbered(1)
        let talk = Self.talk(messages: [MessageData(id: id, role: .user, content: "a")])
        let users: [(String, UserData)] = [
            ("goals[0]", UserData(id: "b", goals: [GoalData(id: id, title: "b")])),
            ("consultations[0]", UserData(id: "b", consultations: [.init(id: id, persona: .nutritionist)])),
            ("consultations[0].messages[0]", UserData(id: "b", consultations: [talk])),
            ("meal_logs[0]", UserData(id: "b", mealLogs: [.init(id: id, rawInput: "egg", mealType: .lunch)])),
            ("meal_logs[0].items[0]", UserData(id: "b", mealLogs: [Self.item()])),
        ]
        for (path, user) in users {
            for (_, other) in users {
                var world = World()
                var first = other
                first.id = "a"
                #expect(throws: PlantError("users[1].\(path).id", .duplicateID(id))) { try world.plant(first, user) }
                // Planting also fails if the id already exists in the world.
                try world.plant(first)
                #expect(throws: PlantError("users[0].\(path).id", .duplicateID(id))) { try world.plant(user) }
            }
        }
    }

    @Test("A relative time before the start of the calendar is rejected")
    func longestDuration() {
        var world = World()
        world.turn.now = Timestamp(nanosecondsSinceEpoch: -2)
        let goal = GoalData(title: "a", createdAt: .before(.max))
        #expect(throws: PlantError("users[0].goals[0].created_at", .beforeTheCalendar(.max))) {
            try world.plant(UserData(id: "a", goals: [goal]))
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
        let bytes = known.backend.storedBytes
        #expect(throws: PlantError("users[0].goals[0]", .storeFull(limit: bytes))) {
            var world = World(limits: .with { $0.storedBytes = bytes })
            try world.backend.plant(data, &world.turn)
        }
        var world = World(limits: .with { $0.storedBytes = bytes + 1 })
        try world.backend.plant(data, &world.turn)
    }

    @Test("Data is rejected if it contains more users or bytes than the world can still store")
    func full() throws {
        var world = World(limits: .with { ($0.users, $0.storedBytes) = (1, 20_000) })
        #expect(throws: PlantError("users[1]", .tooMany("users", 2, limit: 1))) {
            try world.plant(UserData(id: "a"), UserData(id: "b"))
        }
        let talk = ConsultationData(persona: .nutritionist, status: .archived)
        let notes = Array(repeating: MessageData(role: .system, content: "a"), count: 1000)
        let users: KeyValuePairs<String, UserData> = [
            "goals[": UserData(id: "a", goals: Array(repeating: GoalData(title: "a"), count: 100)),
            "meal_logs[": UserData(
                id: "a", mealLogs: Array(repeating: .init(rawInput: "egg", mealType: .lunch), count: 100)),
            "consultations[": UserData(id: "a", consultations: Array(repeating: talk, count: 100)),
            "consultations[0].made_up_messages": UserData(id: "a", consultations: [Self.talk(madeUp: 1000)]),
            "consultations[0].messages[": UserData(id: "a", consultations: [Self.talk(messages: notes)]),
        ]
        for (path, user) in users {
            let error = #expect(throws: PlantError.self, "\(path)") { try world.plant(user) }
            #expect(error?.path.hasPrefix("users[0].\(path)") == true)
            #expect(error == error.map { PlantError($0.path, .storeFull(limit: 20_000)) })
        }
        #expect(world.backend.userCount == 0)
    }
}
