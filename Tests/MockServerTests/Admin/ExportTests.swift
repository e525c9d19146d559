import FitIQAPI
import FitIQBackend
import JSON
import Scenarios
import Testing

@testable import MockServer

/// What is exported can be imported, at every limit.
@Suite("Admin API: exports are imports")
struct ExportTests {
    /// What a world holds, what its export has, and how many values that is.
    private struct Size {
        var stored = 0
        var bytes = 0
        var values = 0

        static func - (larger: Size, smaller: Size) -> Size {
            Size(
                stored: larger.stored - smaller.stored, bytes: larger.bytes - smaller.bytes,
                values: larger.values - smaller.values)
        }
    }

    private static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    private static func backend(_ data: WorldData, mode: GuideMode) throws -> Backend {
        var backend = Backend(Backend.Configuration(origin: "http://127.0.0.1:8080", mode: mode))
        var turn = Turn(now: start, identifiers: ResourceIDSequence(seed: 1))
        try backend.plant(data, &turn)
        return backend
    }

    /// Requires that the export reads back as what is held.
    private static func size(_ user: UserData, mode: GuideMode) throws -> Size {
        let backend = try backend(WorldData(users: [user]), mode: mode)
        let data = backend.data(at: start, issuedIDs: 7)
        let file = data.scenarioFile(name: "a", guide: mode, seed: 1, clock: .manual(start: start))
        #expect(try Scenario.readState(file, file: "a").data == data)
        return Size(stored: backend.storedBytes, bytes: file.count, values: values(try JSON.parse(file)))
    }

    private static func values(_ value: JSONValue) -> Int {
        let children = (value.array ?? []) + (value.object.map { $0.map(\.value) } ?? [])
        return children.reduce(1) { $0 + values($1) }
    }

    // MARK: The real limits

    /// The smallest of everything, twenty times.
    private static let smallest: [(name: String, user: UserData)] = {
        let message = MessageData(
            role: .assistant, content: "",
            metadata: MessageMetadata(
                tokensUsed: 1, templateCreated: CreatedTemplate(type: "a", id: "b", name: "c"), functionCalled: "d"))
        let food = MealRule.Item(name: "a", quantity: 1, unit: "g", nutrients: MealNutrients())
        func repeated<Value>(_ value: Value) -> [Value] { Array(repeating: value, count: 20) }
        return [
            ("goals", UserData(id: "a", goals: repeated(GoalData(title: "a")))),
            (
                "consultations",
                UserData(id: "a", consultations: repeated(ConsultationData(persona: .nutritionist, status: .archived)))
            ),
            (
                "questions",
                UserData(
                    id: "a",
                    consultations: [
                        ConsultationData(
                            persona: .nutritionist, messages: repeated(MessageData(role: .user, content: "a")))
                    ])
            ),
            (
                "answers",
                UserData(
                    id: "a", consultations: [ConsultationData(persona: .nutritionist, messages: repeated(message))])
            ),
            (
                "meals",
                UserData(
                    id: "a",
                    mealLogs: repeated(MealLogData(rawInput: "a", mealType: .snack, progress: .processing)))
            ),
            (
                "foods",
                UserData(
                    id: "a",
                    mealLogs: repeated(
                        MealLogData(
                            rawInput: "a", mealType: .snack,
                            progress: .foods(Array(repeating: food, count: ScenarioLimits.items)))))
            ),
        ]
    }()

    @Test("The limits of imports are beyond those of what is stored, in every mode", arguments: GuideMode.allCases)
    func limits(mode: GuideMode) throws {
        let stored = Limits().storedBytes
        let empty = try Self.size(UserData(id: "a"), mode: mode)
        for (name, user) in Self.smallest {
            let size = try Self.size(user, mode: mode) - empty
            #expect(size.bytes <= size.stored, "\(name): \(size)")
            let values = stored / size.stored * size.values + 2 * Limits().users
            #expect(values <= Scenario.largestStateValues, "\(name): \(values)")
        }
    }

    @Test("Nothing grows more than sixfold in an export, in every mode", arguments: GuideMode.allCases)
    func escapes(mode: GuideMode) throws {
        let empty = try Self.size(UserData(id: "a"), mode: mode)
        let text = String(repeating: "\u{7F}", count: 200)
        let metadata = MessageMetadata(
            tokensUsed: 1, templateCreated: CreatedTemplate(type: "a", id: text, name: text), functionCalled: text)
        let user = UserData(
            id: "a", goals: [GoalData(title: text, description: text, category: String(text.prefix(100)))],
            consultations: [
                ConsultationData(
                    persona: .nutritionist, contextType: .mood, contextID: "\(text)", title: text,
                    messages: [
                        MessageData(role: .user, content: text),
                        MessageData(role: .assistant, content: text, metadata: metadata),
                    ])
            ], mealLogs: [MealLogData(rawInput: text, mealType: .snack, progress: .failed(.init(message: text)))])
        let size = try Self.size(user, mode: mode) - empty
        #expect(size.bytes <= 6 * size.stored, "\(size)")
    }

    @Test("A full world's export fits: in bytes, in memory, in the protocol")
    func arithmetic() {
        let (limits, world) = (ServerLimits(), Limits())
        // A token has 4,096 bytes, of which its user's id is a part; 200 characters are escaped sixfold at most.
        let users = world.users * (3072 + 6 * 200)
        #expect(6 * world.storedBytes + users <= Scenario.largestState)
        #expect(world.storedBytes + world.users * 200 <= limits.stateBody)
        #expect(limits.stateBody <= limits.heldBytes && limits.stateBody <= Connection.largestBody)
        // What is planted and the file that it came in are counted together.
        #expect(2 * world.storedBytes <= limits.storedBytes)
        #expect(world.goals <= ScenarioLimits.goals && world.mealLogs <= ScenarioLimits.mealLogs)
        #expect(world.messages <= ScenarioLimits.messages && world.users <= ScenarioLimits.users)
        #expect(world.activeConsultations <= ScenarioLimits.activeConsultations)
        #expect(ScenarioLimits.valuesOfJSON >= ScenarioLimits.fileBytes / 8)
    }

    // MARK: Worlds that lived

    @Test("A world that was filled to each of its limits is exported, imported and exported the same")
    func full() throws {
        var limits = Limits()
        limits.activeConsultations = 3
        limits.users = 4
        limits.messages = 5
        limits.goals = 3
        limits.mealLogs = 4
        limits.storedBytes = 60_000
        let network = VirtualNetwork { $0.worldLimits = limits }
        let world = try network.world(#"{"clock":"manual","seed":4}"#)
        var statuses: Set<Int> = []
        for user in ["default", "\u{7F}", String(repeating: "é\u{301}", count: 200), "4th", "5th"] {
            let made = try world.ask(.post, "tokens", #"{"user":"\#(user)"}"#)
            let token = try #require(made.json?["token"]?.string, "\(made.text)")
            func post(_ path: String, _ body: String) throws -> Response {
                let response = try world.exchange(.post, "/api/v1/" + path, body, token: token)
                statuses.insert(response.status)
                return response
            }
            let text = String(repeating: "\u{2028}", count: 200)
            for number in 0..<5 {
                _ = try post(
                    "goals",
                    #"{"title":"\#(text)","description":"\#(number)\u0000","targetDate":"9999-12-31T23:59:59Z"}"#)
                _ = try post(
                    "consultations",
                    #"{"persona":"nutritionist","context_type":"mood","context_id":"\#(number)\#(text.dropFirst())"}"#)
                _ = try post("meal-logs/natural", #"{"raw_input":"\#(number) eggs","meal_type":"lunch"}"#)
            }
            try world.advance("30s")
        }
        #expect(statuses == [201, 429, 507])
        try Self.expectSame(world)
    }

    @Test(
        "Whatever is read out of a meal can be imported",
        arguments: [
            "999999999999 eggs", "1e300 eggs", "0 eggs", "-3 eggs", "0.0000000001 g butter", "1000000000 kg butter",
            "1000000001 eggs", "99999999999999999999999999999999 cups of rice", "1/3 banana", "½ avocado", "eggs",
            String(repeating: "egg ", count: 250), String(repeating: "x", count: 1000),
            String(repeating: "é\u{301}", count: 900) + " and an egg", "2 \u{7F}eggs\u{2028} and toast",
            "123456789 tons of chocolate, 999999999 liters of oil, 5 mg salt",
        ])
    func meal(text: String) throws {
        let world = try VirtualNetwork().world(#"{"clock":"manual","seed":4}"#)
        let body = JSONWriter.object { writer in
            writer.member("raw_input", text)
            writer.member("meal_type", "lunch")
        }
        let made = try world.exchange(.post, "/api/v1/meal-logs/natural", String(decoding: body, as: UTF8.self))
        #expect(made.status == 201, "\(made.text)")
        try Self.expectSame(world)
        try world.advance("30s")
        try Self.expectSame(world)
    }

    @Test("Ids go on past any number", arguments: [1 << 48, Int.max - 1, .max])
    func ids(count: Int) throws {
        let world = try VirtualNetwork().world(#"{"clock":"manual","seed":4}"#)
        let state = #"{"name":"a","issued_ids":\#(count),"users":[]}"#
        #expect(try world.ask(.put, "state", state).status == 200)
        #expect(try world.exchange(.post, "/api/v1/goals", WorldClient.goal).status == 201)
        try Self.expectSame(world)
    }

    private static func expectSame(_ world: WorldClient) throws {
        let state = try world.ask(.get, "state")
        #expect(state.status == 200)
        // With the same limits.
        let other = try world.network.world(#"{"clock":"manual"}"#)
        let answer = try other.ask(.put, "state", state.text)
        #expect(answer.status == 200, "\(answer.text)")
        let again = try other.ask(.get, "state")
        #expect(again.body == state.body, "\(again.text.prefix(2000))\n\(state.text.prefix(2000))")
        #expect(throws: Never.self) { try Scenario.readState(Array(state.body), file: "a") }
    }
}
