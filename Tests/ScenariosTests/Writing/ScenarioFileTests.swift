import FitIQAPI
import JSON
import Scenarios
import Testing

@testable import FitIQBackend

@Suite("Writing a world as a scenario file") struct ScenarioFileTests {
    private static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)
    private static let ids = (1...9).map { ResourceID(randomBits: 0, UInt64($0)) }

    private func file(_ data: WorldData) throws -> JSONValue {
        try JSON.parse(data.scenarioFile(name: "a", guide: .union, seed: 1, clock: .real))
    }

    private func user(_ data: UserData) throws -> JSONValue { try file(WorldData(users: [data]))["users"]?[0] ?? .null }

    @Test("A written scenario file starts with the values from the world's request")
    func head() {
        let data = WorldData(issuedIDs: 12)
        let clock = ClockMode.manual(start: Self.start.advanced(byNanoseconds: 4_005_000_000))
        let text = data.scenarioFile(name: "a \"b\"", guide: .goalLinking, seed: .max, clock: clock)
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"{"name":"a \"b\"","guide":"goal-linking","seed":18446744073709551615,"#
                + #""clock":{"manual":"2025-01-29T10:30:04.005Z"},"issued_ids":12,"users":[]}"#)
        let real = WorldData().scenarioFile(name: "a", guide: .union, seed: 0, clock: .real)
        #expect(
            String(decoding: real, as: UTF8.self)
                == #"{"name":"a","guide":"union","seed":0,"clock":"real","users":[]}"#)
        let anyCase = WorldData().scenarioFile(
            name: "a", guide: .union, seed: 0, clock: .real, rules: WorldRules(ids: .anyCase, compression: .on))
        #expect(
            String(decoding: anyCase, as: UTF8.self)
                == #"{"name":"a","guide":"union","seed":0,"clock":"real","ids":"any-case","compression":"on","users":[]}"#
        )
    }

    @Test("A written scenario file has a line for each entity")
    func lines() {
        let messages = [MessageData(role: .user, content: "a\nb"), MessageData(role: .system, content: "c")]
        let user = UserData(id: "u", consultations: [ConsultationData(persona: .nutritionist, messages: messages)])
        let data = WorldData(users: [user, UserData(id: "v", fillActiveConsultations: 10)])
        let text = data.scenarioFile(name: "a", guide: .union, seed: 1, clock: .real)
        let expected = #"""
            {"name":"a","guide":"union","seed":1,"clock":"real","users":[
            {"id":"u","consultations":[
            {"persona":"nutritionist","context":"general","status":"active","messages":[
            {"user":"a\nb"},
            {"system":"c"}]}]},
            {"id":"v","fill_active_consultations":10}]}
            """#
        #expect(String(decoding: text, as: UTF8.self) == expected)
    }

    @Test("A written scenario file contains every key of a goal")
    func goals() throws {
        let goal = GoalData(
            id: Self.ids[0], name: "run", title: "Run 5 km", description: "d", category: "fitness",
            targetDate: DateTime(secondsSinceEpoch: 253_402_300_799), status: .inProgress, progress: 0.25,
            createdAt: .before(1500), updatedAt: .at(Self.start.advanced(byNanoseconds: 7)))
        let expected: JSONValue = [
            "id": "00000000-0000-4000-8000-000000000001", "name": "run", "title": "Run 5 km", "description": "d",
            "category": "fitness", "target_date": "9999-12-31T23:59:59Z", "status": "in_progress", "progress": 0.25,
            "created_at": "1500ns ago", "updated_at": "2025-01-29T10:30:00.000000007Z",
        ]
        #expect(try user(UserData(id: "u", goals: [goal]))["goals"] == [expected])
    }

    @Test("A written scenario file contains every key of a profile, even a provisional profile")
    func profiles() throws {
        var details = ProfileDetails(name: "Jane", dateOfBirth: DateTime(secondsSinceEpoch: 0), height: 170.5)
        details.isProvisional = true
        var data = UserData(id: "u")
        data.profile = UserRecordData(id: Self.ids[0], details, createdAt: .at(Self.start))
        let expected: JSONValue = [
            "id": "00000000-0000-4000-8000-000000000001", "name": "Jane", "preferred_unit_system": "metric",
            "language_code": "en", "date_of_birth": "1970-01-01", "height_cm": 170.5,
            "created_at": "2025-01-29T10:30:00Z", "provisional": true,
        ]
        #expect(try user(data)["profile"] == expected)
        data.profile?.content.isProvisional = false
        #expect(try user(data)["profile"]?["provisional"] == nil)
    }

    @Test("A written scenario file lists a document's world keys before the document's own members")
    func documents() throws {
        var data = UserData(id: "u")
        data.documents = [
            .journal: [
                DocumentData(id: Self.ids[0], object: [:], in: .journal),
                DocumentData(object: ["a": 1], in: .journal),
                DocumentData(id: Self.ids[0], object: ["a": 1], in: .journal),
                DocumentData(object: [:], in: .journal),
            ]
        ]
        let id: JSONValue = "00000000-0000-4000-8000-000000000001"
        let expected: JSONValue = [["id": id], ["a": 1], ["id": id, "a": 1], [:]]
        #expect(try user(data)["documents"]?["journal"] == expected)
    }

    @Test("A written scenario file contains every key of a share")
    func shares() throws {
        var data = UserData(id: "u")
        let shares = [
            ShareData(
                id: Self.ids[1], user: "ben", professionalType: "nutritionist", notes: "n", createdAt: .at(Self.start)),
            ShareData(user: "carl"),
        ]
        data.documents = [
            .workoutTemplates: [DocumentData(object: ["name": "Legs"], in: .workoutTemplates, shares: shares)]
        ]
        let first: JSONValue = [
            "user_id": "ben", "id": "00000000-0000-4000-8000-000000000002", "professional_type": "nutritionist",
            "notes": "n", "created_at": "2025-01-29T10:30:00Z",
        ]
        let second: JSONValue = ["user_id": "carl", "professional_type": "personal_trainer"]
        let expected: JSONValue = [["shared_with": [first, second], "name": "Legs"]]
        #expect(try user(data)["documents"]?["workout_templates"] == expected)
        #expect(try Scenario.read(json: file(WorldData(users: [data]))).data.users == [data])
    }

    @Test("A written scenario file contains a food's type unless it is the default for a food with ids")
    func foodTypes() throws {
        let cases: [(id: ResourceID?, type: FoodType?, expected: String?)] = [
            (nil, .food, "food"), (nil, nil, nil), (Self.ids[0], .food, nil), (Self.ids[0], .drink, "drink"),
        ]
        for (id, type, expected) in cases {
            let item = MealItem(
                id: id, foodID: Self.ids[1], name: "Tea", quantity: 1, unit: "cup", amountText: "1 cup",
                nutrients: MealNutrients(), confidence: 1, notes: nil, foodType: type)
            let log = MealLogData(rawInput: "tea", mealType: .snack, progress: .completed([item]))
            let written = try user(UserData(id: "u", mealLogs: [log]))["meal_logs"]?[0]?["items"]?[0]
            #expect(written?["name"] == "Tea" && written?["food_type"]?.string == expected)
        }
    }

    @Test("A written scenario file contains every key of a consultation")
    func consultations() throws {
        let template = CreatedTemplate(type: "goal", id: "g", name: "Run")
        let metadata = MessageMetadata(tokensUsed: 3, templateCreated: template, functionCalled: "create_goal")
        let messages = [
            MessageData(
                id: Self.ids[1], role: .assistant, content: "Yes", metadata: metadata, createdAt: .at(Self.start))
        ]
        let consultations = [
            ConsultationData(
                id: Self.ids[0], persona: .fitnessCoach, contextType: .goal, contextGoal: .named("run"),
                linkedGoal: .id(Self.ids[2]), isGoalsConversation: false, title: "t", status: .archived,
                messages: messages, madeUpMessages: 5, createdAt: .at(Self.start), updatedAt: .at(Self.start)),
            ConsultationData(
                persona: .nutritionist, contextType: .mood, contextID: "m", isUnlinked: true, awaitsAnswer: true),
        ]
        let message: JSONValue = [
            "assistant": "Yes", "id": "00000000-0000-4000-8000-000000000002", "tokens_used": 3,
            "function_called": "create_goal", "template_created": ["type": "goal", "id": "g", "name": "Run"],
            "created_at": "2025-01-29T10:30:00Z",
        ]
        let first: JSONValue = [
            "id": "00000000-0000-4000-8000-000000000001", "persona": "fitness_coach", "context": "goal", "goal": "run",
            "linked_goal": "00000000-0000-4000-8000-000000000003", "is_goals_conversation": false, "title": "t",
            "status": "archived", "made_up_messages": 5, "messages": [message],
            "created_at": "2025-01-29T10:30:00Z", "updated_at": "2025-01-29T10:30:00Z",
        ]
        let second: JSONValue = [
            "persona": "nutritionist", "context": "mood", "context_id": "m", "unlinked": true, "status": "active",
            "awaits_answer": true,
        ]
        #expect(try user(UserData(id: "u", consultations: consultations))["consultations"] == [first, second])
    }

    @Test("A written scenario file contains every key of a meal log")
    func mealLogs() throws {
        let nutrients = MealNutrients(
            calories: 540, proteinTenths: 225, carbsTenths: 660, fatTenths: 200, fiberTenths: 0, sugarTenths: 1)
        let item = MealItem(
            id: Self.ids[0], foodID: Self.ids[1], name: "Pie", quantity: 2.5, unit: "slices", amountText: "2 1/2",
            nutrients: nutrients, confidence: 0.9, notes: "n")
        let food = MealItem(name: "Pie", quantity: 2, unit: "slices", nutrients: MealNutrients())
        func log(_ progress: MealLogData.Progress) -> MealLogData {
            MealLogData(rawInput: "pie", mealType: .snack, progress: progress)
        }
        let logs = [
            MealLogData(
                id: Self.ids[2], rawInput: "pie", mealType: .dinner, loggedAt: DateTime(Self.start),
                createdAt: .at(Self.start), progress: .completed([item]), finishedAt: .before(0)),
            log(.parsed), log(.completed([])), log(.processing), log(.failed(.noFood)), log(.foods([food])),
        ]
        let file = try user(UserData(id: "u", mealLogs: logs))
        let full: JSONValue = [
            "id": "00000000-0000-4000-8000-000000000003", "text": "pie", "meal_type": "dinner", "status": "completed",
            "items": [
                [
                    "id": "00000000-0000-4000-8000-000000000001", "food_id": "00000000-0000-4000-8000-000000000002",
                    "name": "Pie", "quantity": 2.5, "unit": "slices", "amount": "2 1/2", "calories": 540,
                    "protein": 22.5, "carbs": 66.0, "fat": 20.0, "fiber": 0.0, "sugar": 0.1, "confidence": 0.9,
                    "notes": "n",
                ]
            ],
            "logged_at": "2025-01-29T10:30:00Z", "created_at": "2025-01-29T10:30:00Z", "finished_at": "0ns ago",
        ]
        let written = file["meal_logs"]?.array ?? []
        #expect(written.count == 6)
        #expect(text(written[0]) == text(full))
        #expect(written[1] == ["text": "pie", "meal_type": "snack", "status": "completed"])
        #expect(written[2] == ["text": "pie", "meal_type": "snack", "status": "completed", "items": []])
        #expect(written[3] == ["text": "pie", "meal_type": "snack", "status": "processing"])
        #expect(written[4]["status"] == "failed" && written[4]["error"] == "Failed to parse meal input")
        #expect(written[4]["details"] == "Could not identify any food items in the input")
        #expect(written[5]["items"]?[0]?["id"] == nil && written[5]["items"]?[0]?["food_id"] == nil)
        #expect(written[5]["items"]?[0]?["name"] == "Pie" && written[5]["items"]?[0]?["amount"] == nil)
    }

    /// Numbers in parsed form, so that 66.0 equals 66.
    private func text(_ value: JSONValue) -> [String: String] {
        var members: [String: String] = [:]
        func note(_ value: JSONValue, _ path: String) {
            if let object = value.object {
                for (key, value) in object { note(value, path + "." + key) }
            } else if let array = value.array {
                for (index, element) in array.enumerated() { note(element, "\(path)[\(index)]") }
            } else if let number = value.double {
                members[path] = "\(number)"
            } else {
                members[path] = value.string ?? "\(value)"
            }
        }
        note(value, "")
        return members
    }

    @Test(
        "A written scenario file contains stored text of any length and escapes only what JSON requires",
        arguments: [
            (0x7F, "\u{7F}"), (0x85, "\u{85}"), (0xA0, "\u{A0}"), (0x2028, "\u{2028}"), (0xFEFF, "\u{FEFF}"),
            (0xFFFE, "\u{FFFE}"), (0xFFFF, "\u{FFFF}"), (0x1F600, "😀"), (0x0, #"\u0000"#), (0x22, #"\""#), (0x7E, "~"),
        ] as [(UInt32, String)])
    func escapes(scalar: UInt32, written: String) throws {
        let content = "a\\\"" + String(Unicode.Scalar(scalar).map(Character.init) ?? "?") + "\n"
        let data = UserData(id: ExactString(content))
        let text = WorldData(users: [data]).scenarioFile(name: "a", guide: .union, seed: 1, clock: .real)
        let expected = "{\"id\":\"a\\\\\\\"" + written + "\\n\"}]}"
        #expect(String(decoding: text, as: UTF8.self).hasSuffix(expected))
        #expect(try user(data)["id"]?.string?.unicodeScalars.elementsEqual(content.unicodeScalars) == true)
    }
}
