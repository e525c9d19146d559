import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Goals") struct GoalTests {
    @Test("A GET of a new goal returns the same bytes as the request that created it", arguments: GuideMode.allCases)
    func create(mode: GuideMode) throws {
        var (world, user) = try World(seed: 5, mode: mode).withUser()
        var ids = ResourceIDSequence(seed: 5)
        let request = CreateGoalRequest(title: "T", description: "D", targetDate: World.targetDate, category: "fitness")
        let body = try world.backend.createGoal(request, by: user, &world.turn)
        let expected = Goal(
            id: ids.next(), userID: "user-1", title: "T", description: "D", category: "fitness",
            targetDate: World.targetDate, createdAt: World.start)
        #expect(body == expected.encoded(in: mode.form(of: .showGoal), forApps: mode.servesApps).body)
        #expect(try world.backend.goal(expected.id.description, for: user) == body && world.backend.goalCount == 1)
        #expect(world.takeEffects().isEmpty && world.backend.nextDeadline == nil)
    }

    @Test("Goals are listed from oldest to newest and separately for each user")
    func list() throws {
        var (world, user, other) = try World().withTwoUsers()
        var ids: [String] = []
        for number in 0..<5 {
            ids.append(try world.createGoal("Goal \(number)", by: user))
            _ = try world.createGoal("Another's", by: other)
        }
        world.pass(milliseconds: 5000)
        try world.update(ids[0], by: user) { $0.change.progress = 1 }
        let list = try JSON.parse(world.backend.goals(for: user, at: world.turn.now).make())
        #expect(list["goals"]?.all("id") == ids && list["data"]?["goals"]?.all("id") == ids)
        #expect(list["totalCount"] == 5 && list["data"]?["total_count"] == 5 && list["goals"]?[0]?["progress"] == 1)
        #expect(list["goals"]?[0]?["updatedAt"] == "2025-01-29T10:30:05Z")
        let third = try world.backend.user("user-3")
        #expect(try JSON.parse(world.backend.goals(for: third, at: world.turn.now).make())["totalCount"] == 0)
    }

    static let changes: [(field: String, value: JSONValue, change: @Sendable (inout UpdateGoalRequest) -> Void)] = [
        ("title", "New", { $0.change.title = "New" }), ("description", "New", { $0.change.description = "New" }),
        ("targetDate", "1970-01-01T00:00:00Z", { $0.change.targetDate = DateTime(secondsSinceEpoch: 0) }),
        ("progress", .number(JSONNumber(0.45)), { $0.change.progress = 0.45 }),
        ("status", "completed", { $0.change.status = .completed }),
        ("category", "sleep", { $0.change.category = "sleep" }),
    ]

    @Test("A goal update changes only the given field and the time", arguments: changes)
    func update(field: String, value: JSONValue, change: @Sendable (inout UpdateGoalRequest) -> Void) throws {
        var (world, user) = try World().withUser()
        let id = try world.createGoal(by: user)
        let before = try #require(try world.goal(id, for: user).object)
        world.pass(milliseconds: 7000)
        let body = try world.update(id, by: user, change)
        #expect(try world.backend.goal(id, for: user) == body)
        let after = try #require(try JSON.parse(body).object)
        #expect(after[field] == value)
        for key in before.keys where key != "data" {
            #expect((before[key] == after[key]) == (key != field && key != "updatedAt"), "\(key)")
        }
        #expect(after["updatedAt"] == "2025-01-29T10:30:07Z")

        // Repeating the change has no effect, not even on the time.
        world.pass(milliseconds: 7000)
        #expect(try world.update(id, by: user, change) == body)
    }

    @Test(
        "A projection requires elapsed time and partial progress",
        arguments: [
            (0, 0.5, nil), (3600, 0, nil), (3600, -0.0, nil), (3600, 1, nil), (3600, 0.5, "2025-01-29T12:30:00Z"),
            // A hundred years of 365 days.
            (1_576_800_000, 0.5, nil),
        ] as [(Int64, Double, String?)])
    func projection(seconds: Int64, progress: Double, expected: String?) throws {
        var (world, user) = try World().withUser()
        let id = try world.createGoal(by: user)
        world.pass(milliseconds: seconds * 1000)
        try world.update(id, by: user) { $0.change.progress = progress }
        let body = try world.backend.goalAdvice(.analyzeGoal, on: id, for: user, at: world.turn.now)
        #expect(try JSON.parse(body)["data"]?["projected_completion"]?.string == expected)
    }

    @Test("A goal counts as halfway from a progress of 0.5 on and as nearly complete from 0.8 on")
    func stages() throws {
        let progress = [0, 0.49, 0.5, 0.79, 0.8, 1]
        let world = try World.holding(goals: progress.map { GoalData(title: "Run", progress: $0) })
        let stages = world.backend.goals.map { GoalStage(of: $0.goal, at: World.start) }
        #expect(stages == [.new, .started, .halfway, .halfway, .close, .close])
    }

    @Test("A goal with an unknown topic gets general tips")
    func otherTopic() throws {
        var (world, user) = try World().withUser()
        let id = try world.createGoal("Xyzzy", category: "plugh", by: user)
        let body = try world.backend.goalAdvice(.listGoalTips, on: id, for: user, at: world.turn.now)
        let tips = try #require(try JSON.parse(body)["data"]?["tips"]?.array).compactMap(\.string)
        let known = try #require(GoalBook.builtIn.topics.last).tips
        #expect(tips.count == 3 && tips.allSatisfy(known.contains))
    }

    @Test("An empty goal update does not change the time")
    func emptyChange() throws {
        var (world, user) = try World().withUser()
        let id = try world.createGoal(by: user)
        let body = try world.backend.goal(id, for: user)
        world.pass(milliseconds: 7000)
        #expect(try world.update(id, by: user) { _ in } == body)
        #expect(try world.update(id, by: user) { $0.conversation = .unlink } == body)
    }

    @Test("Due events take effect before a goal changes")
    func lateLoop() throws {
        let commands: [(inout World, String, UserID) throws -> Void] = [
            { world, _, user in _ = try world.createGoal(by: user) },
            { world, id, user in try world.update(id, by: user) { $0.change.progress = 1 } },
            { world, id, user in _ = try world.chatAboutGoal(id, by: user) },
        ]
        for command in commands {
            var (world, user) = try World().withUser()
            let (id, goal) = (try world.create(by: user), try world.createGoal(by: user))
            try world.open(1, on: id, by: user)
            world.message("Hello", from: 1)
            _ = world.takeEffects()
            world.pass(milliseconds: 60_000)
            try command(&world, goal, user)
            #expect(world.takeEffects().story(of: 1) == ["stream_chunk", "stream_complete"])
        }
    }

    // MARK: Ownership

    private func attempts(_ world: World, _ id: String, by user: UserID) -> [APIError?] {
        var world = world
        return [
            refusal(try world.backend.goal(id, for: user)),
            refusal(try world.update(id, by: user) { $0.change.progress = 1 }),
            refusal(try world.update(id, by: user) { _ in }),
        ]
    }

    @Test("Another user's goal gets 404")
    func foreign() throws {
        var (world, owner, stranger) = try World().withTwoUsers()
        let id = try world.createGoal(by: owner)
        #expect(attempts(world, id, by: stranger) == Array(repeating: .unknownGoal(id), count: 3))
        #expect(refusal(try world.chatAboutGoal(id, by: stranger)) == .unknownGoal(id, field: "goalId"))
        #expect(attempts(world, id, by: owner) == [nil, nil, nil])
    }

    @Test("A GET of a goal with an id in a different case or format returns 404")
    func shapes() throws {
        var (world, user) = try World().withUser()
        let (id, consultation) = (try world.createGoal(by: user), try world.create(by: user))
        for other in [id.uppercased(), String(id.dropLast()), " \(id)", "", "null", consultation] {
            #expect(attempts(world, other, by: user) == Array(repeating: .unknownGoal(other), count: 3))
            #expect(refusal(try world.chatAboutGoal(other, by: user)) == .unknownGoal(other, field: "goalId"))
            let context = ConsultationContext(.goal, id: other)
            #expect(
                refusal(try world.create(.nutritionist, context, by: user)) == .unknownGoal(other, field: "context_id"))
        }
        #expect(APIError.unknownGoal(id).status.code == 404)
        #expect(refusal(try world.backend.consultation(id, for: user)) != nil)
    }

    // MARK: Limits

    @Test("Archived goals count towards the user's limit", arguments: [0, 1, 3])
    func limit(limit: Int) throws {
        var (world, user, other) = try World(limits: .with { $0.goals = limit }).withTwoUsers()
        for _ in 0..<limit {
            let id = try world.createGoal(by: user)
            try world.update(id, by: user) { $0.change.status = .archived }
        }
        let before = (world.backend.storedBytes, world.turn.identifiers)
        let expected = APIError.storeFull("goals for this user", limit: limit)
        #expect(refusal(try world.createGoal(by: user)) == expected && expected.status.code == 507)
        #expect(world.backend.storedBytes == before.0 && world.backend.goalCount == limit)
        var (left, right) = (before.1, world.turn.identifiers)
        #expect(left.next() == right.next())
        #expect((refusal(try world.createGoal(by: other)) == nil) == (limit > 0))
    }

    @Test("In a full world, goals can neither be created nor grow")
    func storedBytes() throws {
        var (world, user) = try World(limits: .with { $0.storedBytes = 2500 }).withUser()
        let id = try world.createGoal("Some title", category: "c", by: user)
        #expect(world.backend.storedBytes < 2500)
        // Fill up to the limit; the body and each of the two list objects contain the description twice.
        let missing = 2500 - world.backend.storedBytes
        #expect(missing > 0)
        try world.update(id, by: user) { $0.change.description = String(repeating: "x", count: (missing + 3) / 4) }
        #expect((2500..<2504).contains(world.backend.storedBytes))

        let full = APIError.storeFull("bytes", limit: 2500)
        let shown = try world.backend.goal(id, for: user)
        let refusals = [
            refusal(try world.createGoal(by: user)), refusal(try world.chatAboutGoal(id, by: user)),
            refusal(try world.update(id, by: user) { $0.change.title = "Some longer title" }),
            refusal(try world.update(id, by: user) { $0.change.category = "cc" }),
        ]
        #expect(refusals == [full, full, full, full])
        #expect(try world.backend.goal(id, for: user) == shown)
        // The total length of the texts does not increase.
        try world.update(id, by: user) {
            ($0.change.title, $0.change.category, $0.change.progress) = ("Some titl", "cc", 1)
        }
        try world.update(id, by: user) { ($0.change.description, $0.change.title) = ("", "Some longer title") }
        #expect(world.backend.storedBytes < 2500)
        #expect(Invariants.deepViolations(of: world) == [])
    }
}
