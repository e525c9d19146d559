import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import FitIQBackend

@Suite("Documents") struct DocumentTests {
    @Test("A replaced document keeps only its id and its creation time")
    func changed() throws {
        var (world, user) = try World().withUser()
        let first = try world.post(["a": 1, "b": 2], by: user)
        let id = try #require(first["id"]?.string)
        world.pass(milliseconds: 5000)
        let second = try world.data(try world.replace(id, with: ["b": 3], in: .journal, by: user))
        #expect(second["id"] == first["id"] && second["created_at"] == first["created_at"])
        #expect(second["updated_at"] == "2025-01-29T10:30:05Z" && second["a"] == nil && second["b"] == 3)
        let bytes = world.backend.users[user].byteCount
        try world.backend.deleteDocument(id, in: .journal, by: user)
        #expect(world.backend.storedBytes == bytes)
        #expect(
            refusal(try world.backend.deleteDocument(id, in: .journal, by: user)) == .unknownDocument(id, in: .journal))
    }

    @Test("A document cannot be found by other users, in other collections or under an uppercase id")
    func foreign() throws {
        var (world, owner, stranger) = try World().withTwoUsers()
        let id = try #require(try world.post(["is_public": true], by: owner)["id"]?.string)
        for (id, collection, user) in [
            (id, DocumentCollection.journal, stranger), (id, .moodEntries, owner), (id.uppercased(), .journal, owner),
            ("", .journal, owner),
        ] {
            let refusals = [
                refusal(try world.backend.document(id, in: collection, for: user)),
                refusal(try world.backend.documentMembers(id, in: collection, of: user)),
                refusal(try world.backend.deleteDocument(id, in: collection, by: user)),
                refusal(try world.replace(id, with: [:], in: collection, by: user)),
            ]
            #expect(refusals.allSatisfy { $0 == .unknownDocument(id, in: collection) && $0?.status == .notFound })
            #expect(refusal(try world.mark(id, "is_read", as: true, by: user)) == .unknownDocument(id, in: .insights))
        }
        #expect(APIError.unknownDocument(id.uppercased(), in: .journal).message.contains("lower-case it to \"\(id)\""))
        #expect(try world.documents(for: stranger)["total"] == 0)
    }

    /// A body whose time is on a certain day in January, and the list with its page size.
    static let lists: [(DocumentCollection, body: @Sendable (Int) -> String, list: String)] = [
        (.moodEntries, { #"{"valence":0,"n":\#($0),"logged_at":"2025-01-\#($0)T08:00:00Z"}"# }, "entries"),
        (.journal, { #"{"content":"c","n":\#($0),"logged_at":"2025-01-\#($0)T08:00:00Z"}"# }, "entries"),
        (.progress, { #"{"type":"bmi","quantity":1,"n":\#($0),"logged_at":"2025-01-\#($0)T08:00:00Z"}"# }, "entries"),
        (
            .sleep,
            {
                #"{"start_time":"2025-01-\#($0)T00:00:00Z","end_time":"2025-01-\#($0)T08:00:00Z","n":\#($0)}"#
            }, "sessions"
        ), (.workouts, { #"{"activity_type":"Run","n":\#($0),"started_at":"2025-01-\#($0)T08:00:00Z"}"# }, "workouts"),
    ]

    @Test("Documents are listed from newest to oldest in pages with totals", arguments: lists)
    func paging(collection: DocumentCollection, body: @Sendable (Int) -> String, list: String) throws {
        var (world, user, other) = try World().withTwoUsers()
        for day in [12, 14, 11, 15, 13] { try world.send(body(day), to: collection, by: user) }
        try world.send(body(16), to: collection, by: other)
        let pages: [(World.Query, numbers: [Int], hasMore: Bool)] = [
            ([], [15, 14, 13, 12, 11], false), ([("limit", "2")], [15, 14], true),
            ([("limit", "2"), ("offset", "3")], [12, 11], false), ([("limit", "1"), ("offset", "3")], [12], true),
            ([("offset", "5")], [], false), ([("offset", "\(Int.max)")], [], false),
            ([("limit", "2"), ("page", "2")], [13, 12], true),
        ]
        for (query, numbers, hasMore) in pages {
            let page = try world.documents(collection, query, for: user)
            #expect(page[list]?.array?.map { $0["n"]?.int } == numbers, "\(query)")
            #expect(page["total"] == 5 && page["has_more"] == .bool(hasMore), "\(query)")
            for (name, value) in query where name != "page" { #expect(page[name]?.int.map(String.init) == value) }
        }
        let range = try world.documents(
            collection, [("from", "2025-01-12"), ("to", "2025-01-14"), ("limit", "2")], for: user)
        #expect(range[list]?.array?.map { $0["n"]?.int } == [14, 13])
        #expect(range["total"] == 3 && range["has_more"] == true && range["offset"] == 0)
    }

    @Test("Among documents with the same time, the most recently created document comes first")
    func ties() throws {
        var (world, user) = try World().withUser()
        for number in 1...3 {
            try world.send(
                #"{"content":"c","n":\#(number),"logged_at":"2025-01-29T08:00:00Z"}"#, to: .journal, by: user)
            if number == 2 { world.pass(milliseconds: 1000) }
        }
        #expect(try world.documents(for: user)["entries"]?.array?.map { $0["n"]?.int } == [3, 2, 1])
    }

    @Test("A list of profile metrics has its array directly in data")
    func metrics() throws {
        var (world, user) = try World().withUser()
        for day in ["28", "29"] {
            try world.send(
                """
                {"recorded_at":"2025-01-\(day)T08:00:00.5Z","metrics":[{"metric_type":"bmi","quantity":21.5,"unit":"%"}]}
                """, to: .profileMetrics, by: user)
        }
        let all = try world.documents(.profileMetrics, for: user)
        #expect(all.array?.map { $0["recorded_at"] } == ["2025-01-29T08:00:00Z", "2025-01-28T08:00:00Z"])
        let some = try world.documents(
            .profileMetrics, [("start_date", "2025-01-28T08:00:00.000Z"), ("end_date", "2025-01-29T07:59:59.999Z")],
            for: user)
        #expect(some.array?.map { $0["recorded_at"] } == ["2025-01-28T08:00:00Z"])
        #expect(try world.documents(.profileMetrics, [("limit", "1")], for: user).array?.count == 1)
    }

    @Test("A mood from HealthKit cannot be changed")
    func healthKit() throws {
        var (world, user) = try World().withUser()
        let mood = { (source: String) in
            #"{"valence":0.5,"notes":"n","logged_at":"2025-01-29T10:30:00Z","source":"\#(source)"}"#
        }
        let change: JSONObject = ["valence": 1, "logged_at": "2025-01-29T10:30:00Z"]
        let own = try world.id(of: mood("manual"), in: .moodEntries, by: user)
        let edited = try world.data(try world.replace(own, with: change, in: .moodEntries, by: user))
        #expect(edited["valence"] == 1 && edited["notes"] == nil)
        let foreign = try world.id(of: mood("healthkit"), in: .moodEntries, by: user)
        #expect(refusal(try world.replace(foreign, with: change, in: .moodEntries, by: user)) == .editedHealthKit)
        let kept = try world.documents(.moodEntries, [("source", "healthkit")], for: user)["entries"]?[0]
        #expect(kept?["valence"] == 0.5)
        try world.backend.deleteDocument(foreign, in: .moodEntries, by: user)
    }

    @Test("A sleep session with a source id that the user already has is not stored again")
    func nights() throws {
        var (world, user, other) = try World().withTwoUsers()
        func night(_ source: String, minutes: Int, by user: UserID) throws -> (isNew: Bool, body: JSONValue) {
            let json = """
                {"start_time":"2025-01-28T22:00:00Z","end_time":"2025-01-29T06:\(minutes):00Z","source_id":\(source)}
                """
            let object = try DocumentRequest.object(json.bytes, for: .sleep, at: world.turn.date)
            let created = try world.add(object, to: .sleep, by: user)
            return (created.isNew, try world.data(created.body))
        }
        let first = try night(#""HK-\"1""#, minutes: 10, by: user)
        #expect(first.isNew && first.body["time_in_bed_minutes"] == 490)
        world.pass(milliseconds: 1000)
        let again = try night(#""HK-\"1""#, minutes: 20, by: user)
        #expect(!again.isNew && again.body == first.body)
        #expect(try night(#""HK-\"1""#, minutes: 30, by: other).isNew)
        for source in [#""HK-""#, #""hk-\"1""#, "null", "null", #""HK-\"12""#] {
            #expect(try night(source, minutes: 40, by: user).isNew, "\(source)")
        }
        #expect(try world.documents(.sleep, for: user)["total"] == 6)
    }

    @Test("Sleep averages cover all matches, not just the page")
    func averages() throws {
        var (world, user) = try World().withUser()
        #expect(try world.documents(.sleep, for: user).object?["averages"] == .null)
        // The minutes asleep and in bed: 480 of 480, 420 of 480, and 241 of 482.
        for (day, end, stage) in [(20, "06:00", ""), (21, "06:00", "05:00"), (22, "06:02", "02:01")] {
            let stages =
                stage.isEmpty
                ? ""
                : #","stages":[{"stage":"core","start_time":"2025-01-\#(day)T22:00:00Z","#
                    + #""end_time":"2025-01-\#(day + 1)T\#(stage):00Z"}]"#
            try world.send(
                #"{"start_time":"2025-01-\#(day)T22:00:00Z","end_time":"2025-01-\#(day + 1)T\#(end):00Z"\#(stages)}"#,
                to: .sleep, by: user)
        }
        let expected: JSONValue = [
            "avg_time_in_bed_minutes": 481, "avg_total_sleep_minutes": 380,
            "avg_sleep_efficiency_percentage": .number(JSONNumber((100 + 87.5 + 50) / 3.0)),
        ]
        #expect(try world.documents(.sleep, [("limit", "1")], for: user)["averages"] == expected)
        let last = try world.documents(.sleep, [("from", "2025-01-22")], for: user)
        #expect(last["averages"]?["avg_sleep_efficiency_percentage"] == 50)
        #expect(try world.documents(.sleep, [("from", "2025-01-25")], for: user).object?["averages"] == .null)
    }

    @Test("The number of documents is limited for each collection and for the world")
    func limits() throws {
        var (world, user) = try World(limits: .with { $0.documents = 2 }).withUser()
        for _ in 1...2 { _ = try world.post([:], by: user) }
        #expect(
            refusal(try world.create([:], in: .journal, by: user))
                == .storeFull("documents for this user in journal", limit: 2))
        _ = try world.post([:], in: .sleep, by: user)
        world.backend.storageRoom = StorageRoom(bytes: world.backend.storedBytes, limit: 7)
        #expect(refusal(try world.create([:], in: .sleep, by: user)) == .storeFull("bytes", limit: 7))
    }
}
