import FitIQAPI
import JSON
import Scenarios
import TestSupport
import Testing

@testable import FitIQBackend
@testable import MockServer

/// Any export can be imported, even at every limit.
@Suite("Admin API: exports can be imported") struct ExportTests {
    /// A world's stored bytes, the bytes of its export, and the number of values in the export.
    private struct Size {
        var stored = 0
        var bytes = 0
        var values = 0
    }

    private static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    private static func backend(_ data: WorldData, mode: GuideMode) throws -> Backend {
        var backend = Backend(Backend.Configuration(origin: "http://127.0.0.1:8080", mode: mode))
        var turn = Turn(now: start, identifiers: ResourceIDSequence(seed: 1))
        try backend.plant(data, &turn)
        return backend
    }

    /// Checks that the export reads back as the stored data.
    private static func size(_ user: UserData, mode: GuideMode) throws -> Size {
        try size(WorldData(users: [user]), mode: mode)
    }

    private static func size(_ data: WorldData, mode: GuideMode) throws -> Size {
        let backend = try backend(data, mode: mode)
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

    /// The smallest value of every kind, twenty times.
    private static let smallest: KeyValuePairs<String, UserData> = {
        func repeated<Value>(_ value: Value) -> [Value] { Array(repeating: value, count: 20) }
        let answer = MessageData(
            role: .assistant, content: "",
            metadata: MessageMetadata(
                tokensUsed: 1, templateCreated: CreatedTemplate(type: "a", id: "b", name: "c"), functionCalled: "d"))
        let food = MealItem(name: "a", quantity: 1, unit: "g", nutrients: MealNutrients())
        let ended = ConsultationData(persona: .nutritionist, status: .archived)
        let named = DocumentData(object: ["name": "a"], in: .journal)
        let values: JSONObject = ["activity_type": "a", "started_at": "0s ago", "": .array(repeated(0))]
        let shared = DocumentData(
            object: ["name": "a"], in: .workoutTemplates, shares: (0..<100).map { ShareData(user: "\($0)") })
        func chat(_ message: MessageData) -> UserData {
            UserData(
                id: "a", consultations: [ConsultationData(persona: .nutritionist, messages: repeated(message))])
        }
        func meals(_ progress: MealLogData.Progress) -> UserData {
            UserData(id: "a", mealLogs: repeated(MealLogData(rawInput: "a", mealType: .snack, progress: progress)))
        }
        func documents(_ collection: DocumentCollection, _ documents: [DocumentData]) -> UserData {
            UserData(id: "a", documents: [collection: documents])
        }
        return [
            "goals": UserData(id: "a", goals: repeated(GoalData(title: "a"))),
            "consultations": UserData(id: "a", consultations: repeated(ended)),
            "questions": chat(MessageData(role: .user, content: "a")), "answers": chat(answer),
            "meals": meals(.processing), "documents": documents(.workoutTemplates, repeated(named)),
            "documents of small values": documents(.workouts, repeated(DocumentData(object: values, in: .workouts))),
            "shares": documents(.workoutTemplates, [shared]),
            "foods": meals(.foods(Array(repeating: food, count: ScenarioLimits.items))),
        ]
    }()

    @Test("In every mode, the limits on imports exceed the limits on stored data", arguments: GuideMode.allCases)
    func limits(mode: GuideMode) throws {
        // Larger data cannot be exported over HTTP.
        let stored = ServerLimits().stateBody
        let empty = try Self.size(UserData(id: "a"), mode: mode)
        for (name, user) in Self.smallest {
            let size = try Self.size(user, mode: mode)
            let (bytes, kept) = (size.bytes - empty.bytes, size.stored - empty.stored)
            #expect(bytes <= kept, "\(name): \(size)")
            let values = stored / kept * (size.values - empty.values) + 2 * Limits().users
            #expect(values <= Scenario.largestStateValues, "\(name): \(values)")
        }
    }

    /// A character that JSON escapes, characters that YAML allows only as escapes, and others of each length.
    private static let characters = [
        "\u{0}", "\n", "\"", "\\", "/", "\u{7F}", "\u{85}", "a", "é", "e\u{301}", "\u{2028}", "\u{FEFF}", "\u{1F95A}",
    ]

    @Test(
        "In every mode, an exported string takes up at most the bytes counted for it", arguments: GuideMode.allCases,
        Self.characters)
    func texts(mode: GuideMode, character: String) throws {
        let first = try Self.size(UserData(id: "\(character)a"), mode: mode)
        #expect(first.bytes <= first.stored + 512)
        let text = String(repeating: character, count: 199) + "a"
        let metadata = MessageMetadata(
            tokensUsed: 1, templateCreated: CreatedTemplate(type: "a", id: text, name: text), functionCalled: text)
        let user = UserData(
            id: ExactString(text),
            goals: [GoalData(title: text, description: text, category: String(text.prefix(100)))],
            consultations: [
                ConsultationData(
                    persona: .nutritionist, contextType: .mood, contextID: "\(text)", title: text,
                    messages: [
                        MessageData(role: .user, content: text),
                        MessageData(role: .assistant, content: text, metadata: metadata),
                    ])
            ], mealLogs: [MealLogData(rawInput: text, mealType: .snack, progress: .failed(.init(message: text)))],
            documents: try Dictionary(
                uniqueKeysWithValues: DocumentCollection.allCases.map { collection in
                    var object = try #require(
                        JSON.parse(Array(SentDocuments.bodies[collection, default: ""].utf8)).object)
                    object[text] = .string(text)
                    let shares = [ShareData(user: ExactString(text), notes: text)]
                    return (collection, [DocumentData(object: object, in: collection, shares: shares)])
                }))
        let (size, empty) = (try Self.size(user, mode: mode), try Self.size(UserData(id: "a"), mode: mode))
        #expect(size.bytes - empty.bytes <= size.stored - empty.stored, "\(size)")
        let users = (0..<50).map { UserData(id: "\($0)\(text.prefix(100))") }
        let all = try Self.size(WorldData(users: users), mode: mode)
        #expect(all.bytes <= all.stored + 512, "\(all)")
    }

    @Test("A full world's export fits within the body, memory and protocol limits")
    func arithmetic() {
        let (limits, world) = (ServerLimits(), Limits())
        // An export contains at most the stored bytes, including user ids; a world may hold more than its limit.
        #expect(world.storedBytes + world.storedBytes / 4 <= limits.stateBody)
        #expect(limits.stateBody <= limits.heldBytes && limits.stateBody <= Connection.largestBody)
        // Both the planted data and the body that contained it are counted.
        let room = SharedRoom(all: 0, held: 0, limit: limits.storedBytes, own: world.storedBytes)
        #expect(room.rest(written: limits.stateBody).bytes >= limits.stateBody)
        #expect(room.storage(written: limits.stateBody).bytes == world.storedBytes)
        #expect(limits.storedBytes <= Scenario.largestState)
        #expect(world.goals <= ScenarioLimits.goals && world.mealLogs <= ScenarioLimits.mealLogs)
        #expect(world.messages <= ScenarioLimits.messages && world.users <= ScenarioLimits.users)
        #expect(world.activeConsultations <= ScenarioLimits.activeConsultations)
        #expect(ScenarioLimits.valuesOfJSON >= ScenarioLimits.fileBytes / 8)
    }

    // MARK: Worlds after use

    @Test("A world at each of its limits survives export and import unchanged")
    func full() throws {
        var limits = Limits()
        (limits.activeConsultations, limits.users, limits.messages, limits.goals, limits.mealLogs) = (3, 4, 5, 3, 4)
        func fill() throws -> (world: WorldClient, stored: Int, refusals: Set<String>) {
            let network = VirtualNetwork { $0.worldLimits = limits }
            let world = try network.world(#"{"clock":"manual","seed":4}"#)
            let refusals = try Self.fill(world)
            return (world, try #require(network.engine.worlds[ExactString(world.id)]).storedBytes, refusals)
        }
        // The last user reaches the byte limit.
        limits.storedBytes = try fill().stored - 8000
        let (world, _, refusals) = try fill()
        let reached = ["3 goals for this user", "4 meal logs for this user", "4 users", "\(limits.storedBytes) bytes"]
        let expected =
            reached.map { "This server has reached its limit of \($0)" }
            + ["You have reached the maximum of 3 active consultations"]
        #expect(refusals.isSuperset(of: expected), "\(refusals.sorted())")
        try Self.expectSame(world)
    }

    /// Lets five users perform every operation, and returns the start of each error.
    private static func fill(_ world: WorldClient) throws -> Set<String> {
        var refusals: Set<String> = []
        for user in ["default", "\u{7F}", String(repeating: "é\u{301}", count: 200), "4th", "5th"] {
            let token = try world.token(of: user)
            let text = String(repeating: "\u{2028}", count: 200)
            for number in 0..<5 {
                let bodies: KeyValuePairs = [
                    "goals":
                        #""title":"\#(text)","description":"\#(number)\u0000","targetDate":"9999-12-31T23:59:59Z""#,
                    "consultations":
                        #""persona":"nutritionist","context_type":"mood","context_id":"\#(number)\#(text.dropFirst())""#,
                    "meal-logs/natural": #""raw_input":"\#(number) eggs","meal_type":"lunch""#,
                ]
                for (path, body) in bodies {
                    let response = try world.exchange(.post, "/api/v1/" + path, "{\(body)}", token: token)
                    if response.status != 201 { refusals.insert(String(response.message.prefix { $0 != "." })) }
                }
            }
            try world.advance("30s")
        }
        return refusals
    }

    @Test("Work that starts below the byte limit can finish above it and survives export and import")
    func overfull() throws {
        var limits = Limits()
        limits.storedBytes = 20_000
        let network = VirtualNetwork { $0.worldLimits = limits }
        let world = try network.world(#"{"clock":"manual","seed":4}"#)
        let served = try #require(network.engine.worlds[ExactString(world.id)])
        let (first, second) = (try world.token(of: "a"), try world.token(of: "b"))
        func goal(_ token: String, _ size: Int) throws -> Int {
            let text = String(repeating: "x", count: size)
            let body = #"{"title":"t","description":"\#(text)","targetDate":"9999-12-31T23:59:59Z"}"#
            return try world.exchange(.post, "/api/v1/goals", body, token: token).status
        }
        #expect(try goal(first, 0) == 201)
        let socket = try world.socket(on: try world.consultation())
        socket.send(#"{"type":"message","content":"How much protein?"}"#)
        let meal = #"{"raw_input":"2 eggs","meal_type":"lunch"}"#
        #expect(try world.exchange(.post, "/api/v1/meal-logs/natural", meal, token: second).status == 201)
        while served.backend.storedBytes < limits.storedBytes - 1500 { #expect(try goal(second, 0) == 201) }
        #expect(served.backend.storedBytes < limits.storedBytes)
        #expect(try goal(first, 2000) == 201 && served.backend.storedBytes > limits.storedBytes)
        #expect(try goal(second, 0) == 507)
        try Self.expectSame(world)
        try world.advance("60s")
        try Self.expectSame(world)
        let text = try world.ask(.get, "state").text
        // Handwritten data must respect the limit.
        let written = text.replacing(/"issued_ids":[0-9]+,/, with: "")
        #expect(try network.world().ask(.put, "state", written).status == 507)
    }

    @Test("An export that the import would reject fails and says what to do")
    func tooLarge() throws {
        let network = VirtualNetwork { $0.limits.stateBody = 4000 }
        let world = try network.world(#"{"clock":"manual","seed":4}"#)
        var refusal = try world.ask(.get, "state")
        for _ in 0..<20 where refusal.status == 200 {
            #expect(refusal.body.count <= 4000)
            #expect(try network.admin(.put, "state", refusal.text).status == 200)
            #expect(try world.exchange(.post, "/api/v1/goals", WorldClient.goal).status == 201)
            refusal = try world.ask(.get, "state")
        }
        #expect(refusal.status == 507 && refusal.message.contains("at most 4000; a server that exports on exit"))
    }

    @Test(
        "The import accepts every meal that the parser produces",
        arguments: [
            "999999999999 eggs", "1e300 eggs", "0 eggs", "-3 eggs", "0.0000000001 g butter", "1000000000 kg butter",
            "1000000001 eggs", "99999999999999999999999999999999 cups of rice", "1/3 banana", "½ avocado", "eggs",
            String(repeating: "egg ", count: 250), String(repeating: "x", count: 1000),
            String(repeating: "é\u{301}", count: 900) + " and an egg", "2 \u{7F}eggs\u{2028} and toast",
            "123456789 tons of chocolate, 999999999 liters of oil, 5 mg salt",
        ])
    func meal(text: String) throws {
        let world = try VirtualNetwork().world(#"{"clock":"manual","seed":4}"#)
        let body = JSONValue.object(["raw_input": .string(text), "meal_type": "lunch"])
        let made = try world.exchange(.post, "/api/v1/meal-logs/natural", "\(body)")
        #expect(made.status == 201, "\(made.text)")
        try Self.expectSame(world)
        try world.advance("30s")
        try Self.expectSame(world)
    }

    @Test("A world issues new ids after importing any count of issued ids", arguments: [1 << 48, Int.max - 1, .max])
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
        // Import the data under the same limits.
        let other = try world.network.world(#"{"clock":"manual"}"#)
        let answer = try other.ask(.put, "state", state.text)
        #expect(answer.status == 200, "\(answer.text)")
        let again = try other.ask(.get, "state")
        #expect(again.body == state.body, "\(again.text.prefix(2000))\n\(state.text.prefix(2000))")
        #expect(throws: Never.self) { try Scenario.readState(Array(state.body), file: "a") }
    }
}
