import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import FitIQBackend

@Suite("Workout templates") struct WorkoutTemplateTests {
    private static let squat = #"{"exercise_id":"goblet-squat","order_index":0,"sets":3}"#

    private static func json(_ name: String, _ more: String = "") -> String {
        #"{"name":"\#(name)","exercises":[\#(squat)]\#(more)}"#
    }

    /// Anna's and Bert's private and public templates, one of Bert's that is shared with Anna, and the system's
    /// templates.
    private struct Gym {
        var world = World()
        let anna, bert, system: UserID
        var ids: [String: String] = [:]

        init() throws {
            (anna, bert, system) = (
                try world.backend.user("anna"), try world.backend.user("bert"), try world.backend.user("system")
            )
            let templates: [(String, UserID, String)] = [
                ("a-private", anna, #","category":"strength","difficulty_level":"beginner""#),
                ("b-private", bert, ""), ("b-shared", bert, #","category":"strength""#),
                ("a-public", anna, #","is_public":true,"category":"cardio""#),
                ("b-public", bert, #","is_public":true,"category":"strength","difficulty_level":"beginner""#),
            ]
            for (name, user, more) in templates {
                ids[name] = try world.id(of: WorkoutTemplateTests.json(name, more), in: .workoutTemplates, by: user)
                world.pass(milliseconds: 1000)
            }
            let object: JSONObject = ["name": "system", "is_system": true, "category": "strength", "exercises": []]
            ids["system"] = try world.post(object, in: .workoutTemplates, by: system)["id"]?.string
            _ = try world.share(
                id("b-shared"), #"{"shared_with_user_ids":["anna"],"professional_type":"nutritionist","notes":"N"}"#,
                by: bert)
        }

        func id(_ name: String) -> String { ids[name] ?? "" }
    }

    static let lists: [(query: World.Query, names: [String])] = [
        ([], ["a-public", "a-private"]), ([("source", "owned")], ["a-public", "a-private"]),
        ([("source", "system")], ["system"]), ([("source", "shared")], ["b-shared"]),
        ([("include_public", "false")], ["a-public", "a-private"]),
        ([("include_public", "true")], ["system", "b-public", "a-public", "a-private"]),
        ([("source", "owned"), ("include_public", "true")], ["a-public", "a-private"]),
        ([("category", "strength")], ["a-private"]),
        ([("category", "strength"), ("include_public", "true")], ["system", "b-public", "a-private"]),
        ([("difficulty", "beginner"), ("include_public", "true")], ["b-public", "a-private"]),
        ([("source", "shared"), ("category", "cardio")], []),
    ]

    @Test("A user's list contains the user's own templates", arguments: lists)
    func listed(query: World.Query, names: [String]) throws {
        let gym = try Gym()
        let page = try gym.world.templates(query, for: gym.anna)
        #expect(page.texts("templates", "name") == names)
        #expect(page["total"]?.int == names.count && page["has_more"] == false)
    }

    @Test("The public list contains public and system templates")
    func publicList() throws {
        let gym = try Gym()
        let all = try gym.world.publicTemplates()
        #expect(all.texts("templates", "name") == ["system", "b-public", "a-public"])
        #expect(all.texts("templates", "user_id") == [nil, "bert", "anna"])
        #expect(all["templates"]?[0]?.object?["user_id"] == .null)
        let some = try gym.world.publicTemplates([("category", "strength"), ("difficulty", "beginner")])
        #expect(some.texts("templates", "name") == ["b-public"])
        let page = try gym.world.publicTemplates([("limit", "1"), ("offset", "1")])
        #expect(page.texts("templates", "name") == ["b-public"] && page["total"] == 3 && page["has_more"] == true)
    }

    /// Anna's rights to each.
    static let rights: [(name: String, reads: Bool, owns: Bool)] = [
        ("a-private", true, true), ("a-public", true, true), ("b-private", false, false), ("b-shared", true, false),
        ("b-public", true, false), ("system", true, false), ("none", false, false),
    ]

    @Test("Only the owner can change a template, but readers can copy it", arguments: rights)
    func allowed(name: String, reads: Bool, owns: Bool) throws {
        let gym = try Gym()
        let id = name == "none" ? "00000000-0000-4000-8000-000000000000" : gym.id(name)
        let (anna, templates) = (gym.anna, DocumentCollection.workoutTemplates)
        func status(_ attempt: (inout World) throws -> Void) -> Int? {
            var world = gym.world
            return refusal(try attempt(&world))?.status.code
        }
        let readings = [
            status { _ = try $0.backend.document(id, in: templates, for: anna) },
            status { _ = try $0.copy(id, by: anna) },
        ]
        #expect(readings == Array(repeating: reads ? nil : 404, count: 2))
        let changes = [
            status { _ = try $0.backend.documentMembers(id, in: templates, of: anna) },
            status { _ = try $0.replace(id, with: ["name": "x"], in: templates, by: anna) },
            status { try $0.backend.deleteDocument(id, in: templates, by: anna) },
            status { _ = try $0.share(id, #"{"user_id":"carl"}"#, by: anna) },
        ]
        let refused = owns ? nil : reads ? 403 : 404
        #expect(changes == Array(repeating: refused, count: 4))
        // The owner's own templates are not shared.
        #expect(status { _ = try $0.unshare(id, with: "carl", by: anna) } == (owns ? 404 : refused))
    }

    private static let uuid = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"

    @Test(
        "A template can be shared with a user's UUID in upper or lower case",
        arguments: [
            (uuid, uuid), (uuid, uuid.uppercased()), (uuid.uppercased(), uuid), (uuid.uppercased(), uuid.uppercased()),
        ])
    func sharedByUUID(subject: String, sent: String) throws {
        var gym = try Gym()
        let (id, carl) = (gym.id("b-private"), try gym.world.backend.user(ExactString(subject)))
        _ = try gym.world.share(id, #"{"user_id":"\#(sent)"}"#, by: gym.bert)
        _ = try gym.world.backend.document(id, in: .workoutTemplates, for: carl)
        _ = try gym.world.unshare(id, with: sent, by: gym.bert)
        #expect(refusal(try gym.world.backend.document(id, in: .workoutTemplates, for: carl))?.status == .notFound)
    }

    @Test("Even its owner cannot change a system template")
    func systems() throws {
        var gym = try Gym()
        let id = gym.id("system")
        #expect(
            refusal(try gym.world.backend.deleteDocument(id, in: .workoutTemplates, by: gym.system))
                == .notYours(template: id))
    }

    @Test("Replacing a template keeps its exercises, its shares and the computed members")
    func replaced() throws {
        var gym = try Gym()
        let id = gym.id("b-shared")
        func show() throws -> JSONValue {
            try gym.world.data(try gym.world.backend.document(id, in: .workoutTemplates, for: gym.bert))
        }
        let before = try show()
        gym.world.pass(milliseconds: 5000)
        let old = try gym.world.backend.documentMembers(id, in: .workoutTemplates, of: gym.bert)
        let object = try DocumentRequest.object(
            #"{"name":"New","is_system":true,"id":"x","exercise_count":9}"#.bytes, for: .workoutTemplates,
            changing: old, at: gym.world.turn.date)
        let after = try gym.world.data(try gym.world.replace(id, with: object, in: .workoutTemplates, by: gym.bert))
        for (name, value) in try #require(before.object) {
            switch name {
            case "name": #expect(after[name] == "New")
            case "updated_at": #expect(after[name] == "2025-01-29T10:30:10Z")
            default: #expect(after[name] == value, "\(name)")
            }
        }
        #expect(try gym.world.sharedTemplates(with: gym.anna).texts("templates", "name") == ["New"])
    }

    @Test("A user has at most one share of a template")
    func sharing() throws {
        var (world, anna, bert) = try World(limits: .with { $0.shares = 3 }).withTwoUsers("anna", "bert")
        let reader = "7D3F2B60-5A52-4C1E-9A54-0F6F1C1D2E3A"
        let id = try world.id(of: Self.json("Legs"), in: .workoutTemplates, by: anna)
        let first = try world.data(
            try world.share(
                id,
                """
                {"shared_with_user_ids":["bert","\(reader)","bert"],"professional_type":"sports_coach","notes":null}
                """, by: anna))
        #expect(first["template_id"]?.string == id && first["template_name"] == "Legs" && first["total_shared"] == 2)
        #expect(first["professional_type"] == "sports_coach")
        #expect(first.texts("shared_with", "user_id") == ["bert", reader.lowercased()])
        #expect(first.texts("shared_with", "shared_at") == ["2025-01-29T10:30:00Z", "2025-01-29T10:30:00Z"])
        let ids = first.texts("shared_with", "share_id").compactMap { $0.flatMap { ResourceID($0) } }
        #expect(Set(ids).count == 2)
        world.pass(milliseconds: 5000)
        // Existing shares stay unchanged.
        let second = try world.data(try world.share(id, #"{"user_ids":["bert","later"]}"#, by: anna))
        #expect(second.texts("shared_with", "shared_at") == ["2025-01-29T10:30:00Z", "2025-01-29T10:30:05Z"])
        #expect(second.texts("shared_with", "share_id")[0] == ids[0].description && second["total_shared"] == 2)
        let before = world.data
        #expect(
            refusal(try world.share(id, #"{"user_id":"carl"}"#, by: anna))
                == .storeFull("users of a shared template", limit: 3))
        #expect(world.data == before)
        let later = try world.backend.user("later")
        #expect(try world.sharedTemplates(with: later)["total"] == 1)
        let copy = try world.copy(id, by: bert)
        let revoked = try world.data(try world.unshare(id, with: "bert", by: anna))
        let answer: JSONValue = [
            "template_id": .string(id), "revoked_from_user_id": "bert", "revoked_at": "2025-01-29T10:30:05Z",
        ]
        #expect(revoked == answer)
        #expect(refusal(try world.unshare(id, with: "bert", by: anna))?.status == .notFound)
        let other = try world.data(try world.unshare(id, with: reader, by: anna))
        #expect(other["revoked_from_user_id"]?.string == reader.lowercased())
        #expect(
            refusal(try world.backend.document(id, in: .workoutTemplates, for: bert))
                == .unknownDocument(id, in: .workoutTemplates))
        // The copy survives the original.
        #expect(try world.templates(for: bert)["templates"]?[0] == world.data(copy)["new_template"])
        world.backend.removeDocuments(of: anna)
        #expect(try world.sharedTemplates(with: later)["total"] == 0)
    }

    @Test("Each entry in the list of shared templates has the owner, the profession and the content")
    func sharedWithMe() throws {
        var gym = try Gym()
        let more = #","description":"D","difficulty_level":"expert","estimated_duration_minutes":30"#
        let id = try gym.world.id(of: Self.json("second", more), in: .workoutTemplates, by: gym.bert)
        _ = try gym.world.share(
            id, #"{"shared_with_user_ids":["anna"],"professional_type":"sports_coach"}"#, by: gym.bert)
        let all = try gym.world.sharedTemplates(with: gym.anna)
        let bert = try gym.world.data(gym.world.backend.profile(of: gym.bert, at: gym.world.turn.date))["name"]
        #expect(bert?.string?.isEmpty == false)
        let expected: JSONValue = [
            "template_id": .string(id), "name": "second", "exercise_count": 1, "description": "D", "category": nil,
            "difficulty_level": "expert", "estimated_duration_minutes": 30, "professional_name": bert ?? .null,
            "professional_type": "sports_coach", "shared_at": "2025-01-29T10:30:05Z", "notes": nil,
        ]
        #expect(all["templates"]?[0] == expected)
        #expect(all.texts("templates", "name") == ["second", "b-shared"] && all["total"] == 2)
        #expect(all["templates"]?[1]?["notes"] == "N")
        let nutrition = try gym.world.sharedTemplates(with: gym.anna, [("professional_type", "nutritionist")])
        #expect(nutrition.texts("templates", "name") == ["b-shared"] && nutrition["total"] == 1)
        let page = try gym.world.sharedTemplates(with: gym.anna, [("limit", "1"), ("offset", "1")])
        #expect(page.texts("templates", "name") == ["b-shared"] && page["total"] == 2 && page["has_more"] == false)
        #expect(try gym.world.sharedTemplates(with: gym.bert)["total"] == 0)
    }

    @Test("A reader's copy of a template is private and has its own ids")
    func copies() throws {
        var gym = try Gym()
        let more = #","is_public":true,"status":"draft","category":"cardio","x":1"#
        let id = try gym.world.id(of: Self.json("draft", more), in: .workoutTemplates, by: gym.bert)
        let original = try gym.world.data(try gym.world.backend.document(id, in: .workoutTemplates, for: gym.anna))
        for (name, expected) in [(nil, "draft"), ("Mine", "Mine")] {
            let answer = try gym.world.data(try gym.world.copy(id, as: name, by: gym.anna))
            #expect(answer["original_template_id"]?.string == id)
            let copy = try #require(answer["new_template"])
            #expect(copy["name"]?.string == expected && copy["user_id"] == "anna")
            #expect(copy["is_public"] == false && copy["is_system"] == false && copy["status"] == "published")
            #expect(copy["category"] == "cardio" && copy["x"] == 1 && copy["id"] != original["id"])
            let (exercise, old) = (copy["exercises"]?[0], original["exercises"]?[0])
            #expect(exercise?["exercise_name"] == "Goblet squat" && exercise?["sets"] == 3)
            #expect(exercise?["template_id"] == copy["id"] && exercise?["id"] != old?["id"])
        }
        let system = try gym.world.data(try gym.world.copy(gym.id("system"), by: gym.anna))["new_template"]
        #expect(system?["is_system"] == false && system?["user_id"] == "anna")
        #expect(try gym.world.publicTemplates()["total"] == 4)
    }
}
