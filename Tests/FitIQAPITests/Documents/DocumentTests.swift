import JSON
import Testing

@testable import FitIQAPI

@Suite("The apps' documents") struct DocumentTests {
    static let marks: [(object: JSONObject, isOpen: Bool, isUnread: Bool)] = [
        (["is_public": true], true, true), (["is_system": true], true, true),
        (["is_public": false, "is_system": false, "is_read": true], false, false),
        (["is_archived": true], false, false), (["is_read": false, "is_archived": false], false, true),
        (["is_public": "true", "is_system": 1, "is_read": 1, "is_archived": "true"], false, true), ([:], false, true),
    ]

    @Test("A document's flags determine whether it is open or unread", arguments: marks)
    func mark(object: JSONObject, isOpen: Bool, isUnread: Bool) {
        for collection in [DocumentCollection.workoutTemplates, .insights] {
            let document = Document(collection, object)
            #expect(document.isOpen == isOpen && document.isUnread == isUnread)
        }
    }

    @Test("A document's size counts its values and its shares")
    func byteCount() {
        let numbers: JSONObject = ["a": .array(Array(repeating: 0, count: 100))]
        #expect(Document(.journal, numbers).byteCount == 24 * 102 + 192)
        let shares = [("ab", nil), ("c", "né")].map { user, notes in
            TemplateShare(
                id: .numbered(2), user: ExactString(user), professionalType: "nutritionist", notes: notes,
                sharedAt: .example)
        }
        #expect(Document(.journal, numbers, sharedWith: shares).byteCount == 24 * 102 + 192 + 2 * 192 + 6 * (3 + 3))
        let text = Document(.journal, ["a": .string(String(repeating: "x", count: 1000))])
        #expect(text.byteCount == text.encoded.count + 192)
    }

    @Test("A document's stored JSON takes up at most 64 KiB and has a limited depth")
    func size() throws {
        func refused(_ body: String) -> APIError? {
            refusal(try DocumentRequest.object(body.bytes, for: .sleep, at: .example))
        }
        let times = #""start_time":"2025-01-28T22:00:00Z","end_time":"2025-01-29T06:00:00Z""#
        let usual = #","source":"manual","source_id":null,"notes":null,"a":""}"#
        func long(_ count: Int) -> String {
            #"{"id":"0123456789",\#(times),"a":"\#(String(repeating: "a", count: count))"}"#
        }
        let room = 65_536 - 1 - times.utf8.count - usual.utf8.count
        #expect(refused(long(room)) == nil)
        #expect(refused(long(room + 1)) == .documentTooLarge("sleep session", limit: 65_536, got: 65_537))
        func deep(_ count: Int) -> String {
            #"{\#(times),"a":\#(String(repeating: "[", count: count) + String(repeating: "]", count: count))}"#
        }
        #expect(refused(deep(31)) == nil && refused(deep(32))?.code == .invalidJSON)
    }

    @Test("A change keeps members that are absent from its body, but a replacement removes them")
    func changed() throws {
        let old: JSONObject = [
            "name": "Legs", "description": "d", "is_system": true, "is_public": true, "x": 1, "exercises": [],
            "status": "draft",
        ]
        let body = #"{"description":null,"is_system":false,"y":2}"#.bytes
        let changed = try DocumentRequest.object(body, for: .workoutTemplates, changing: old, at: .example)
        let kept: JSONObject = [
            "name": "Legs", "is_system": true, "is_public": true, "x": 1, "y": 2, "status": "draft",
            "description": nil, "category": nil,
        ]
        for (name, value) in kept { #expect(changed[name] == value, "\(name)") }
        func refused(_ json: String, changing old: JSONObject?) -> String? {
            refusal(try DocumentRequest.object(json.bytes, for: .workoutTemplates, changing: old, at: .example))?
                .message
        }
        #expect(refused(#"{"y":2}"#, changing: nil)?.contains("'name' is required") == true)
        #expect(refused(#"{"name":null}"#, changing: old)?.contains("'name' is required") == true)
    }

    @Test("A mood may be at most five minutes ahead of the clock")
    func moods() throws {
        func refused(_ time: String) -> String? {
            let body = #"{"valence":0,"logged_at":"\#(time)"}"#.bytes
            return refusal(try DocumentRequest.object(body, for: .moodEntries, at: .example))?.message
        }
        #expect(refused("2025-01-29T10:35:00.999Z") == nil)
        #expect(refused("2025-01-29T10:35:01Z")?.contains("'logged_at' is in the future") == true)
        for source in ["manual", "healthkit", "api"] {
            let mood = try Document.read(
                .moodEntries,
                #"{"valence":0,"logged_at":"2025-01-29T10:30:00Z","source":"\#(source)","is_healthkit":"x"}"#)
            #expect(try JSON.parse(mood.encoded)["is_healthkit"] == .bool(source == "healthkit"))
        }
    }

    @Test("A progress entry has the same time in date and in logged_at")
    func progress() throws {
        let entry = try JSON.parse(
            try Document.read(
                .progress, #"{"type":"weight","quantity":0,"logged_at":"2025-01-28T23:00:00.5-01:00","date":"x"}"#
            ).encoded)
        #expect(entry["date"] == "2025-01-29T00:00:00Z" && entry["logged_at"] == "2025-01-29T00:00:00Z")
    }

    @Test("A template keeps the order of its exercises and derives their ids and names")
    func exercises() throws {
        let json = """
            {"name":"Legs","exercises":[
              {"exercise_id":"b","order_index":2,"id":"x","template_id":"x","created_at":"x"},
              {"exercise_id":"goblet-squat","user_exercise_id":"u","order_index":1},
              {"user_exercise_id":"my_own lunge","order_index":2,"exercise_name":null},
              {"exercise_id":"c","order_index":0,"exercise_name":"Chin-up"}]}
            """
        let template = try JSON.parse(try Document.read(.workoutTemplates, json).encoded)
        let exercises = try #require(template["exercises"]?.array)
        #expect(exercises.map { $0["exercise_name"]?.string } == ["Chin-up", "Goblet squat", "B", "My own lunge"])
        #expect(template["exercise_count"] == 4)
        let ids = exercises.compactMap { $0["id"]?.string.flatMap { ResourceID($0) } }
        #expect(Set(ids).count == 4 && !ids.contains(.numbered(1)))
        for exercise in exercises {
            #expect(exercise["template_id"]?.string == ResourceID.numbered(1).description)
            #expect(exercise["created_at"] == "2025-01-29T10:30:00Z")
        }
        let other = Document(
            id: .numbered(2), user: "user-1", object: try #require(template.object), in: .workoutTemplates,
            createdAt: .example, updatedAt: .example)
        let otherIDs = try JSON.parse(other.encoded)["exercises"]?.array?.compactMap { $0["id"]?.string }
        #expect(otherIDs?.count == 4 && Set(otherIDs ?? []).isDisjoint(with: ids.map(\.description)))
        #expect(
            refusal(
                try DocumentRequest.object(
                    #"{"name":"a","exercises":[{"exercise_id":"a","order_index":0},{"order_index":1}]}"#.bytes,
                    for: .workoutTemplates, at: .example))?.message.contains("'exercises[1].exercise_id' is required")
                == true)
    }

    @Test("A system document has no owner")
    func system() throws {
        let template = try JSON.parse(Document(.workoutTemplates, ["is_system": true]).encoded)
        #expect(template.object?["user_id"] == .null)
    }
}
