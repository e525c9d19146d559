import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import FitIQBackend

extension World {
    mutating func post(
        _ object: JSONObject, in collection: DocumentCollection = .journal, by user: UserID
    ) throws -> JSONValue {
        try data(try backend.createDocument(object, in: collection, by: user, &turn))
    }

    // Backend and turn are changed together, which a captured variable does not allow.
    mutating func create(_ object: JSONObject, in collection: DocumentCollection, by user: UserID) throws(APIError)
        -> [UInt8]
    { try backend.createDocument(object, in: collection, by: user, &turn) }

    mutating func replace(
        _ id: String, with object: JSONObject, in collection: DocumentCollection, by user: UserID
    ) throws(APIError) -> [UInt8] {
        try backend.replaceDocument(id, with: object, in: collection, by: user, &turn)
    }

    mutating func mark(
        _ id: String, _ member: String, as value: Bool?, in collection: DocumentCollection, by user: UserID
    ) throws(APIError) -> [UInt8] {
        try backend.markDocument(id, member, as: value, in: collection, by: user, &turn)
    }

    mutating func generate(by user: UserID) throws(APIError) -> [UInt8] {
        try backend.generateInsight(by: user, &turn)
    }

    mutating func copy(_ id: String, changing members: JSONObject, by user: UserID) throws(APIError) -> [UInt8] {
        try backend.copyTemplate(id, changing: members, by: user, &turn)
    }

    func documents(
        _ collection: DocumentCollection = .journal, _ query: [(name: String, value: String)] = [], for user: UserID
    ) throws -> JSONValue {
        try data(
            backend.documents(in: collection, try DocumentListQuery(query: query, searches: true), for: user).make())
    }

    func data(_ body: [UInt8]) throws -> JSONValue { try JSON.parse(body)["data"] ?? .null }
}

@Suite("A document") struct DocumentTests {
    @Test("is kept as it was sent, but for what the world sets")
    func kept() throws {
        var world = World()
        let user = try world.backend.user("user-1")
        let body =
            #"{"id":"mine","a":{"b":[1,null,1.50]},"user_id":"x","created_at":1,"updated_at":2,"é":"\u0000","a":2}"#
        let object = try DocumentRequest.object(Array(body.utf8), for: .journal)
        let document = try world.post(object, by: user)
        let id = try #require(document["id"]?.string)
        #expect(ResourceID(id) != nil)
        #expect(
            "\(document)"
                == #"{"id":"\#(id)","user_id":"user-1","created_at":"2025-01-29T10:30:00Z","#
                + #""updated_at":"2025-01-29T10:30:00Z","a":2,"é":"\u0000"}"#)
        #expect(try world.documents(for: user)["journal"]?[0] == document)
    }

    @Test("replaced keeps its id and creation, and nothing else; deleted, it is gone")
    func changed() throws {
        var world = World()
        let user = try world.backend.user("user-1")
        let first = try world.post(["a": 1, "b": 2], by: user)
        let id = try #require(first["id"]?.string)
        world.pass(milliseconds: 5000)
        let second = try world.data(
            try world.replace(id, with: ["b": 3], in: .journal, by: user))
        #expect(second["id"] == first["id"] && second["created_at"] == first["created_at"])
        #expect(second["updated_at"] == "2025-01-29T10:30:05Z" && second["a"] == nil && second["b"] == 3)
        let bytes = world.backend.users[user].byteCount
        try world.backend.deleteDocument(id, in: .journal, by: user)
        #expect(world.backend.storedBytes == bytes)
        #expect(
            refusal { () throws(APIError) in try world.backend.deleteDocument(id, in: .journal, by: user) }
                == .unknownDocument(id, in: .journal))
    }

    @Test("is not found by another user, in another collection, or by an id in upper case")
    func foreign() throws {
        var world = World()
        let (owner, stranger) = (try world.backend.user("user-1"), try world.backend.user("user-2"))
        let id = try #require(try world.post(["is_public": true], by: owner)["id"]?.string)
        for (id, collection, user) in [
            (id, DocumentCollection.journal, stranger), (id, .moodEntries, owner), (id.uppercased(), .journal, owner),
            ("", .journal, owner),
        ] {
            let refusals = [
                refusal { () throws(APIError) in try world.backend.document(id, in: collection, for: user) },
                refusal { () throws(APIError) in try world.backend.deleteDocument(id, in: collection, by: user) },
                refusal { () throws(APIError) in
                    try world.replace(id, with: [:], in: collection, by: user)
                },
                refusal { () throws(APIError) in
                    try world.mark(id, "is_read", as: true, in: collection, by: user)
                },
            ]
            #expect(refusals.allSatisfy { $0 == .unknownDocument(id, in: collection) && $0?.status == .notFound })
        }
        #expect(APIError.unknownDocument(id.uppercased(), in: .journal).message.contains("lower-case it to \"\(id)\""))
        #expect(try world.documents(for: stranger)["total"] == 0)
    }

    @Test("is found by page, time, status and words")
    func lists() throws {
        var world = World()
        let user = try world.backend.user("user-1")
        for number in 1...5 {
            _ = try world.post(["n": .number(JSONNumber(number)), "status": number > 3 ? "done" : "open"], by: user)
            world.pass(milliseconds: 86_400_000)
        }
        _ = try world.post(["text": ["deep": ["Ünder the Bridge"]], "under": true], by: user)
        func numbers(_ name: String, _ value: String) throws -> [Int?] {
            try #require(try world.documents(.journal, [(name, value)], for: user)["journal"]?.array).map {
                $0["n"]?.int
            }
        }
        #expect(try numbers("limit", "2") == [nil, 5])
        #expect(try numbers("offset", "4") == [2, 1])
        #expect(try numbers("offset", "\(Int.max)") == [])
        #expect(try numbers("from", "2025-02-02") == [nil, 5])
        #expect(try numbers("to", "2025-01-29") == [1])
        #expect(try numbers("status", "done") == [5, 4])
        #expect(try numbers("q", "üNDER THE") == [nil])
        #expect(try numbers("q", "deep") == [])
        let page = try world.documents(.journal, [("limit", "4"), ("offset", "1")], for: user)
        #expect(page["total"] == 6 && page["total_count"] == 6 && page["limit"] == 4 && page["offset"] == 1)
        #expect(page["has_more"] == true)
        #expect(try world.documents(.journal, [("offset", "2")], for: user)["has_more"] == false)
    }

    @Test("of the fake's limits: so many in a collection, so large, and no larger world")
    func limits() throws {
        var limits = Limits()
        limits.documents = 2
        var world = World(limits: limits)
        let user = try world.backend.user("user-1")
        for _ in 1...2 { _ = try world.post([:], by: user) }
        #expect(
            refusal { () throws(APIError) in
                try world.create([:], in: .journal, by: user)
            } == .storeFull("documents of this user in journal", limit: 2))
        _ = try world.post([:], in: .sleep, by: user)
        func size(_ count: Int) -> APIError? {
            let body = Array(#"{"id":"0123456789","a":"\#(String(repeating: "a", count: count))"}"#.utf8)
            return refusal { () throws(APIError) in try DocumentRequest.object(body, for: .sleep) }
        }
        #expect(size(65_528) == nil)
        #expect(size(65_529) == .documentTooLarge("sleep session", limit: 65_536, got: 65_537))
        func depth(_ count: Int) -> APIError? {
            let lists = String(repeating: "[", count: count) + String(repeating: "]", count: count)
            return refusal { () throws(APIError) in
                try DocumentRequest.object(Array("{\"a\":\(lists)}".utf8), for: .sleep)
            }
        }
        #expect(depth(31) == nil)
        #expect(depth(32)?.code == .invalidJSON)
        world.backend.storageRoom = StorageRoom(bytes: world.backend.storedBytes, limit: 7)
        #expect(
            refusal { () throws(APIError) in
                try world.create([:], in: .sleep, by: user)
            } == .storeFull("bytes", limit: 7))
    }

    @Test("that is an insight is read, turned into a favorite and back, archived, counted and made")
    func insights() throws {
        var world = World()
        let user = try world.backend.user("user-1")
        _ = try world.post([:], in: .sleep, by: user)
        let made = try world.data(try world.generate(by: user))
        let id = try #require(made["insights"]?[0]?["id"]?.string)
        #expect(made["count"] == 1 && made["insights"]?[0]?["content"]?.string?.contains("sleep: 1,") == true)
        for member in ["is_read", "is_favorite", "is_archived"] {
            #expect(made["insights"]?[0]?[member] == false, "\(member)")
        }
        func unread() throws -> JSONValue? { try world.data(world.backend.unreadInsights(of: user))["count"] }
        #expect(try unread() == 1)
        for (member, value, expected) in [
            ("is_read", true, true), ("is_read", true, true), ("is_favorite", nil, true), ("is_favorite", nil, false),
            ("is_archived", true, true), ("is_archived", false, false),
        ] as [(String, Bool?, Bool)] {
            let marked = try world.data(
                try world.mark(id, member, as: value, in: .insights, by: user))
            #expect(marked[member] == .bool(expected))
            #expect(try world.documents(.insights, for: user)["insights"]?[0] == marked)
        }
        #expect(try unread() == 0)
    }

    @Test("that is a mood entry is summed up")
    func analytics() throws {
        var world = World()
        let user = try world.backend.user("user-1")
        func sums(_ query: [(name: String, value: String)] = []) throws -> JSONValue {
            try world.data(world.backend.moodAnalytics(try DocumentListQuery(query: query), for: user).make())
        }
        #expect(
            "\(try sums())" == #"{"total_entries":0,"first_entry_at":null,"last_entry_at":null,"members":{}}"#)
        for valence in [1.0, -2, 4] {
            _ = try world.post(
                ["valence": .number(JSONNumber(valence)), "big": 1e300, "text": "5"], in: .moodEntries, by: user)
            world.pass(milliseconds: 86_400_000)
        }
        #expect(
            "\(try sums())"
                == #"{"total_entries":3,"first_entry_at":"2025-01-29T10:30:00Z","last_entry_at":"2025-01-31T10:30:00Z","#
                + #""members":{"valence":{"count":3,"minimum":-2,"maximum":4,"average":1}}}"#)
        #expect(try sums([("from", "2025-01-31")])["members"]?["valence"]?["count"] == 1)
        // The largest number that counts.
        _ = try world.post(["big": 1e15], in: .moodEntries, by: user)
        #expect(try sums()["members"]?["big"]?["count"] == 1)
    }

    @Test("that is a workout template is read and copied by those who may")
    func sharing() throws {
        var limits = Limits()
        limits.shares = 2
        var world = World(limits: limits)
        let (anna, bert, carl) = (
            try world.backend.user("anna"), try world.backend.user("bert"), try world.backend.user("carl")
        )
        let id = try #require(
            try world.post(["name": "Legs"], in: .workoutTemplates, by: anna)["id"]?.string)
        func share(_ users: String, by user: UserID) throws(APIError) -> [UInt8] {
            try world.backend.shareTemplate(id, ShareDocumentRequest(body: Array(users.utf8)), by: user)
        }
        func canRead(_ user: UserID) -> Bool {
            refusal { () throws(APIError) in try world.backend.document(id, in: .workoutTemplates, for: user) } == nil
        }
        func shared(_ user: UserID) throws -> Int? {
            let list = try world.backend.templatesShared(with: user, DocumentListQuery(query: [])).make()
            return try world.data(list)["total"]?.int
        }
        #expect(!canRead(bert))
        #expect(refusal { () throws(APIError) in try share(#"{"user_id":"carl"}"#, by: bert) }?.status == .notFound)
        let answer = try world.data(try share(#"{"user_ids":["bert","bert","later"]}"#, by: anna))
        #expect("\(answer)" == #"{"template_id":"\#(id)","shared_with":["bert","later"],"count":2}"#)
        #expect(
            refusal { () throws(APIError) in try share(#"{"user_id":"carl"}"#, by: anna) }
                == .storeFull("users of a shared template", limit: 2))
        #expect(canRead(bert) && !canRead(carl))
        #expect(try shared(bert) == 1 && shared(anna) == 0 && shared(carl) == 0)
        #expect(try shared(try world.backend.user("later")) == 1)
        let copy = try world.data(
            try world.copy(id, changing: ["note": "mine"], by: bert))
        #expect(copy["user_id"] == "bert" && copy["name"] == "Legs" && copy["note"] == "mine")
        #expect(copy["id"]?.string != id && copy["shared_with"] == nil)
        // Reading is all that others may do.
        #expect(
            refusal { () throws(APIError) in try world.backend.deleteDocument(id, in: .workoutTemplates, by: bert) }
                == .unknownDocument(id, in: .workoutTemplates))
        try world.backend.unshareTemplate(id, with: "bert", by: anna)
        #expect(!canRead(bert))
        #expect(
            refusal { () throws(APIError) in try world.backend.unshareTemplate(id, with: "bert", by: anna) }?.status
                == .notFound)
        _ = try world.replace(id, with: ["is_public": true], in: .workoutTemplates, by: anna)
        #expect(canRead(carl))
        let open = try world.data(world.backend.publicTemplates(try DocumentListQuery(query: [])).make())
        #expect(open["workout_templates"]?[0]?["id"]?.string == id && open["total"] == 1)
        world.backend.removeDocuments(of: anna)
        #expect(!canRead(anna) && !canRead(carl))
    }

    @Test(
        "is not shared with what is not a list of users",
        arguments: [
            "{}", "[]", #"{"user_ids":[]}"#, #"{"user_ids":["a",1]}"#, #"{"user_ids":"a"}"#, #"{"user_id":""}"#,
        ])
    func badShares(body: String) {
        #expect(
            refusal { () throws(APIError) in try ShareDocumentRequest(body: Array(body.utf8)) }?.code
                == .validationFailed)
    }
}
