import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Planting") struct PlantTests {
    @Test("Planting fills in absent members")
    func defaults() throws {
        let world = try World.holding(
            goals: [GoalData(title: "Run")], consultations: [ConsultationData(persona: .nutritionist)],
            mealLogs: [MealLogData(rawInput: "2 eggs", mealType: .breakfast)])
        let user = world.data.users[0]
        let (goal, consultation, log) = (user.goals[0], user.consultations[0], user.mealLogs[0])
        var ids = ResourceIDSequence(seed: 1)
        #expect([goal.id, consultation.id, log.id] == [ids.next(), ids.next(), ids.next()])
        #expect(world.data.issuedIDs == 3)
        for time in [goal.createdAt, goal.updatedAt, consultation.createdAt, consultation.updatedAt, log.createdAt] {
            #expect(time == .at(World.start))
        }
        #expect(goal.targetDate?.wireText == "2025-04-29T10:30:00Z")
        #expect(log.loggedAt == DateTime(World.start) && log.finishedAt == .at(World.start))
        let parsed = try #require(world.backend.mealLogs.first { _ in true }?.log)
        #expect(parsed.items.map(\.name) == ["Eggs"])
    }

    @Test("Planting issues ids in the order of the document regardless of times")
    func order() throws {
        let messages = [MessageData(role: .user, content: "a"), MessageData(role: .assistant, content: "b")]
        let world = try World.holding(
            goals: [GoalData(title: "late"), GoalData(title: "early", createdAt: .minutesAgo(5))],
            consultations: [
                ConsultationData(persona: .nutritionist, messages: messages, madeUpMessages: 3),
                ConsultationData(persona: .fitnessCoach, createdAt: .minutesAgo(9)),
            ], filledUpTo: 3, mealLogs: [MealLogData(rawInput: "egg", mealType: .lunch)])
        var sequence = ResourceIDSequence(seed: 1)
        let ids = (0..<11).map { _ in sequence.next() }
        let user = world.data.users[0]
        #expect(user.goals.map(\.id) == [ids[1], ids[0]] && user.goals.map(\.title) == ["early", "late"])
        #expect(user.consultations.map(\.id) == [ids[8], ids[2], ids[9]])
        #expect(user.consultations[1].messages.map(\.id) == Array(ids[3...7]))
        #expect(user.mealLogs.map(\.id) == [ids[10]])
    }

    @Test(
        "Neither planting nor the world issues an id that the document already contains", arguments: [0, 1, 4, 100_000])
    func ownIDs(place: Int) throws {
        var source = ResourceIDSequence(seed: 1, skipping: place)
        let id = source.next()
        var world = try World.holding(goals: [GoalData(title: "a"), GoalData(id: id, title: "b"), GoalData(title: "c")])
        var ids = world.data.users[0].goals.map(\.id)
        for _ in 0..<5 { ids.append(ResourceID(try world.createGoal(by: world.firstUser))) }
        #expect(Set(ids).count == 8)
        #expect(Invariants.deepViolations(of: world) == [])
    }

    @Test("New ids continue after the planted number of issued ids")
    func issuedIDs() throws {
        var world = try World(planting: WorldData(users: [UserData(id: "user-1")], issuedIDs: 41))
        var sequence = ResourceIDSequence(seed: 1, skipping: 41)
        #expect(try world.createGoal(by: world.firstUser) == sequence.next().description)
    }

    @Test("The number of issued ids can have any value", arguments: [(1 << 48) - 1, 1 << 48, .max - 1, .max])
    func manyIssuedIDs(count: Int) throws {
        var world = try World(planting: WorldData(users: [UserData(id: "user-1")], issuedIDs: count))
        #expect(world.data.issuedIDs == count)
        for _ in 0..<2 { _ = try world.createGoal(by: world.firstUser) }
        let data = world.data
        #expect(data.issuedIDs == (count &+ 2) & .max)
        #expect(try World(planting: data).data == data)
    }

    @Test("Filling stops at the limit on active consultations", arguments: [0, 1, 9, 10])
    func fill(count: Int) throws {
        let taken = [
            ConsultationData(persona: .fitnessCoach), ConsultationData(persona: .nutritionist, status: .archived),
        ]
        var world = try World.holding(consultations: taken, filledUpTo: count)
        #expect(world.backend.users[world.firstUser].active.count == max(1, count))
        #expect(Invariants.deepViolations(of: world) == [])
        let isFull = refusal(
            try world.create(.generalWellness, ConsultationContext(.mood, id: "today"), by: world.firstUser))
        #expect(isFull == (count == 10 ? .tooManyActiveConsultations(limit: 10) : nil))
    }

    @Test(
        "Filling avoids topics that a client is likely to use", arguments: Persona.allCases,
        [ContextType.general, .mood])
    func fillLeavesTopics(persona: Persona, context: ContextType) throws {
        var world = try World.holding(filledUpTo: 10)
        let refused = refusal(try world.create(persona, ConsultationContext(context), by: world.firstUser))
        #expect(refused == .tooManyActiveConsultations(limit: 10))
    }

    @Test("Filling finds enough free topics for a higher limit")
    func fillBeyond() throws {
        var world = World(limits: .with { $0.activeConsultations = 60 })
        let user = UserData(id: "user-1", fillActiveConsultations: 60)
        try world.plant(user)
        #expect(world.backend.users[world.firstUser].active.count == 60)
    }

    @Test("Filling uses journal-entry contexts and alternates between the personas")
    func filling() throws {
        let personas = Persona.allCases
        let filled = try World.holding(filledUpTo: personas.count + 1).data.users[0].consultations
        let entries = personas.map { _ in "entry-1" } + ["entry-2"]
        #expect(filled.map(\.persona) == personas + [personas[0]])
        #expect(filled.compactMap { $0.contextID?.text } == entries)
    }

    @Test("Values at the limits are accepted")
    func extremes() throws {
        // Each accent takes two bytes and belongs to the last letter.
        let title = "xy" + String(repeating: "\u{301}", count: ClientFrame.maximumContentByteCount / 2 - 1)
        let messages = [
            MessageData(role: .assistant, content: String(repeating: "x", count: TextLengths.maximumBytes)),
            MessageData(role: .assistant, content: "y", metadata: MessageMetadata(tokensUsed: 0)),
        ]
        var entry: JSONObject = ["type": "bmi", "quantity": 1, "logged_at": "2025-01-29T10:30:00Z", "a": ""]
        let rest = DocumentRequest.maximumBytes - JSONValue.object(entry).encoded().count
        entry["a"] = .string(String(repeating: "x", count: rest))
        let document = DocumentData(object: entry, in: .progress)
        let user = UserData(
            id: "user-1", goals: [GoalData(title: title)],
            consultations: [ConsultationData(persona: .nutritionist, messages: messages)],
            documents: [.progress: [document]])
        let planted = try World(planting: WorldData(users: [user], issuedIDs: 0)).data.users[0]
        #expect(planted.goals[0].title.utf8.count == ClientFrame.maximumContentByteCount)
        #expect(planted.consultations[0].messages.map { $0.metadata?.tokensUsed } == [TextLengths.maximumBytes / 4, 0])
        #expect(planted.documents[.progress]?.map(\.members.count) == [DocumentRequest.maximumBytes - 2])
    }

    @Test("An export marks a consultation as unlinked only if its goal could link to it")
    func statedConversations() throws {
        func about(
            _ persona: Persona, status: ConsultationStatus = .active, unlinked: Bool = false
        ) -> ConsultationData {
            ConsultationData(
                persona: persona, contextType: .goal, contextGoal: .named("run"), isUnlinked: unlinked, status: status)
        }
        let world = try World.holding(
            goals: [GoalData(name: "run", title: "Run")],
            consultations: [
                ConsultationData(persona: .nutritionist), about(.fitnessCoach, status: .archived), about(.nutritionist),
                about(.generalWellness), about(.wellnessSpecialist, unlinked: true),
            ])
        let consultations = world.data.users[0].consultations
        #expect(consultations.map(\.isGoalsConversation) == [true, true, true, false, true])
        #expect(consultations.map(\.isUnlinked) == [false, false, false, false, true])
    }

    @Test("Planting trims user text, counts assistant tokens and infers missing times")
    func messages() throws {
        let world = try World.holding(consultations: [
            ConsultationData(
                persona: .nutritionist,
                messages: [
                    MessageData(role: .user, content: "  Hello\n", createdAt: .minutesAgo(10)),
                    MessageData(role: .assistant, content: "Hi there", metadata: MessageMetadata()),
                    MessageData(
                        role: .assistant, content: " x", metadata: MessageMetadata(tokensUsed: 7, functionCalled: "f"),
                        createdAt: .minutesAgo(3)),
                    MessageData(role: .system, content: "note", metadata: MessageMetadata()),
                ])
        ])
        let consultation = world.data.users[0].consultations[0]
        let (first, last) = (World.start.minutesEarlier(10), World.start.minutesEarlier(3))
        #expect(consultation.createdAt == .at(first) && consultation.updatedAt == .at(last))
        #expect(consultation.messages.map(\.createdAt) == [.at(first), .at(first), .at(last), .at(last)])
        #expect(consultation.messages.map(\.content) == ["Hello", "Hi there", " x", "note"])
        #expect(
            consultation.messages.map(\.metadata) == [
                nil, .init(tokensUsed: 2, persona: .nutritionist),
                .init(tokensUsed: 7, functionCalled: "f", persona: .nutritionist), nil,
            ])
        #expect(Invariants.deepViolations(of: world) == [])
    }

    @Test("The links determine which conversation a goal has")
    func conversations() throws {
        func about(
            _ persona: Persona, linked: Bool = false, isConversation: Bool = true, status: ConsultationStatus = .active
        ) -> ConsultationData {
            ConsultationData(
                persona: persona, contextType: linked ? .general : .goal, contextGoal: linked ? nil : .named("run"),
                linkedGoal: linked ? .named("run") : nil, isGoalsConversation: isConversation, status: status)
        }
        let cases: [([ConsultationData], Int?)] = [
            ([about(.nutritionist), about(.fitnessCoach)], 0),
            ([about(.nutritionist, isConversation: false), about(.fitnessCoach)], 1),
            ([about(.nutritionist, status: .archived), about(.fitnessCoach)], 1),
            ([about(.nutritionist), about(.fitnessCoach, linked: true)], 1),
            ([about(.nutritionist, linked: true), about(.fitnessCoach)], 0),
            ([about(.nutritionist, status: .completed)], nil),
            ([about(.nutritionist, isConversation: false)], nil),
        ]
        for (consultations, expected) in cases {
            let world = try World.holding(goals: [GoalData(name: "run", title: "Run")], consultations: consultations)
            let goal = world.backend.goals[0].goal
            #expect(goal.conversationID == expected.map { world.backend.consultations[$0].consultation.id })
            #expect(world.backend.consultations.allSatisfy { $0.consultation.goalID == goal.id })
            #expect(Invariants.deepViolations(of: world) == [])
            #expect(try World(planting: world.data).data == world.data)
        }
    }

    @Test("A planted meal that is in progress completes after its remaining time", arguments: [Int64(0), 1000, 60_000])
    func processing(age: Int64) throws {
        let id = ResourceID.numbered(9)
        var world = try World.holding(mealLogs: [
            MealLogData(
                id: id, rawInput: "2 eggs", mealType: .lunch, createdAt: .before(age * 1_000_000), progress: .processing
            )
        ])
        let duration = MealProcessing.duration(at: .human, seed: id.seed)
        let due = World.start.advanced(byNanoseconds: max(0, duration - age * 1_000_000))
        #expect(world.backend.nextDeadline == due)
        world.turn.now = due
        world.backend.advance(&world.turn)
        #expect(world.backend.mealLogs[0].log.status == .completed && world.backend.nextDeadline == nil)
        #expect(Invariants.deepViolations(of: world) == [])
    }

    @Test("Planted meals are listed by the client's time")
    func mealOrder() throws {
        func log(_ text: String, _ seconds: Int64, created: Int64) -> MealLogData {
            MealLogData(
                rawInput: text, mealType: .snack, loggedAt: DateTime(secondsSinceEpoch: seconds),
                createdAt: .minutesAgo(created))
        }
        let world = try World.holding(mealLogs: [
            log("apple", 5, created: 10), log("banana", 9, created: 20), log("egg", 5, created: 30),
        ])
        let list = try world.listMeals(for: world.firstUser)["meal_logs"]?.all("raw_input")
        #expect(list == ["banana", "apple", "egg"])
        #expect(Invariants.deepViolations(of: world) == [])
    }

    @Test("Planted foods get ids that are derived from the log's id")
    func foods() throws {
        let foods = [2, 2.5].map { MealItem(name: "Pie", quantity: $0, unit: "slices", nutrients: MealNutrients()) }
        let id = ResourceID.numbered(4)
        let world = try World.holding(mealLogs: [
            MealLogData(id: id, rawInput: "pie", mealType: .snack, createdAt: .minutesAgo(1), progress: .foods(foods))
        ])
        var ids = ResourceIDSequence(seed: id.seed)
        let items = world.backend.mealLogs[0].log.items
        #expect(items.map(\.id) == [ids.next(), ids.next()])
        #expect(Set(items.map(\.foodID)).count == 1)
        #expect(items.map(\.amountText) == ["2 slices", "2.5 slices"])
    }

    @Test("Planting into an existing world follows the same rules")
    func again() throws {
        var world = try World(planting: UserData(id: "user-1", consultations: [.init(persona: .nutritionist)]))
        let before = world.data
        #expect(
            throws: PlantError(
                "users[0].consultations[0]", .duplicateTopic(Topic(persona: .nutritionist, context: .general)))
        ) { try world.plant(UserData(id: "user-1", consultations: [.init(persona: .nutritionist)])) }
        #expect(world.data == before)
        try world.plant(UserData(id: "user-1", fillActiveConsultations: 10), UserData(id: "b"))
        #expect(world.backend.userCount == 2 && world.backend.consultationCount == 10)
        #expect(Invariants.deepViolations(of: world) == [])
    }
}

extension Timestamp {
    func minutesEarlier(_ minutes: Int64) -> Timestamp { advanced(byNanoseconds: -minutes * 60_000_000_000) }
}
