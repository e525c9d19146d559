import Foundation
import GuideModels
import JSON
import Testing

@testable import FitIQAPI

/// Decodes the table's own examples with the apps' models.
@Suite("The apps' decoders") struct DocumentDecoderTests {
    private static func decode<Model: Decodable>(_ model: Model.Type, _ json: [UInt8]) throws -> Model {
        try AppModels.decoder.decode(model, from: Data(json))
    }

    private static func check(_ collection: DocumentCollection, _ object: [UInt8]) throws {
        switch collection {
        case .moodEntries: _ = try decode(AppModels.MoodEntry.self, object)
        case .journal: _ = try decode(AppModels.JournalEntry.self, object)
        case .insights: _ = try decode(AppModels.Insight.self, object)
        case .progress: _ = try decode(AppModels.ProgressEntry.self, object)
        case .sleep: _ = try decode(AppModels.SleepSession.self, object)
        case .workouts: _ = try decode(AppModels.Workout.self, object)
        case .profileMetrics: _ = try decode(AppModels.ProfileMetrics.self, object)
        case .workoutTemplates: _ = try decode(AppModels.WorkoutTemplate.self, object)
        }
    }

    private static func document(_ collection: DocumentCollection, _ object: JSONObject) throws -> Document {
        let read = try DocumentRequest.object(JSONValue.object(object).encoded(), for: collection, at: .example)
        return Document(
            id: .numbered(1), user: "00000000-0000-4000-8000-000000000002", object: read, in: collection,
            createdAt: .example, updatedAt: .example)
    }

    /// The members that an app requires to decode an object.
    static let needed: KeyValuePairs<DocumentCollection, String> = [
        .moodEntries: "id user_id valence labels associations logged_at source is_healthkit created_at updated_at",
        .journal:
            "id user_id content content_format entry_type tags privacy_level is_favorite logged_at created_at updated_at",
        .insights: "id user_id insight_type title content is_read is_favorite is_archived created_at updated_at",
        .progress: "id type quantity date",
        .sleep: """
        id user_id start_time end_time time_in_bed_minutes total_sleep_minutes sleep_efficiency_percentage \
        awake_minutes rem_minutes core_minutes deep_minutes source created_at updated_at
        """, .workouts: "id user_id activity_type started_at created_at updated_at",
        .profileMetrics: "id user_id recorded_at metrics", .workoutTemplates: "id name is_public created_at updated_at",
    ]

    @Test("The decoders accept an object with all members or with only the required members", arguments: needed)
    func objects(collection: DocumentCollection, needed: String) throws {
        let example = try #require(TableMember.example(of: collection).object)
        let document = try Self.document(collection, example)
        try Self.check(collection, document.encoded)
        let required = TableMember.all.filter { $0.collection == collection && $0.steps.count == 1 && $0.isRequired }
        let least = JSONObject(example.filter { member in required.contains { $0.path == member.key } })
        try Self.check(collection, try Self.document(collection, least).encoded)
        // Decoding fails if and only if a required member is missing.
        let object = try #require(try JSON.parse(document.encoded).object)
        for name in object.keys {
            let rest = JSONValue.object(JSONObject(object.filter { $0.key != name })).encoded()
            let isRead = (try? Self.check(collection, rest)) != nil
            #expect(isRead != needed.split(separator: " ").contains(Substring(name)), "\(name)")
        }
    }

    @Test("The decoders require fractional seconds in insights and reject them elsewhere")
    func fractions() throws {
        let mood = try Self.document(.moodEntries, ["valence": 0, "logged_at": "2025-01-29T10:30:00.123Z"])
        #expect(text(mood.encoded).contains(#""logged_at":"2025-01-29T10:30:00Z""#))
        try Self.check(.moodEntries, mood.encoded)
        let broken = text(mood.encoded).replacing("10:30:00Z", with: "10:30:00.123Z")
        #expect(throws: DecodingError.self) { try Self.check(.moodEntries, broken.bytes) }
        let insight = try Self.document(.insights, ["insight_type": "daily", "title": "t", "content": "c"])
        let cut = text(insight.encoded).replacing(".000Z", with: "Z")
        #expect(throws: DecodingError.self) { try Self.check(.insights, cut.bytes) }
    }

    @Test("The decoders accept a list with one object and an empty list", arguments: DocumentCollection.allCases)
    func lists(collection: DocumentCollection) throws {
        let endpoint = try #require(Endpoint.allCases.first { $0.documents == collection && $0.method == .get })
        let query = try DocumentListQuery(query: [("limit", "1")], of: endpoint, in: collection, at: .example)
        let item = try Self.document(collection, try #require(TableMember.example(of: collection).object)).encoded
        for (items, total) in [([], 0), ([item], 1), ([item], 2)] {
            let body = DocumentAnswers.list(items, query, total: total)
            if collection == .profileMetrics {
                let data = try Self.decode(AppModels.Answer<[AppModels.ProfileMetrics]>.self, body).data
                #expect(data.count == items.count)
                continue
            }
            let (count, totals) = try Self.page(of: collection, body)
            #expect(count == items.count && totals.total == total && totals.limit == 1 && totals.offset == 0)
            #expect(totals.hasMore == (total > 1))
        }
    }

    private static func page(
        of collection: DocumentCollection, _ body: [UInt8]
    ) throws -> (count: Int, totals: AppModels.Totals) {
        func page<List: Decodable>(_ list: List.Type) throws -> AppModels.Page<List> {
            try decode(AppModels.Answer<AppModels.Page<List>>.self, body).data
        }
        switch collection {
        case .moodEntries:
            let page = try page(AppModels.Entries<AppModels.MoodEntry>.self)
            return (page.list.entries.count, page.totals)
        case .journal:
            let page = try page(AppModels.Entries<AppModels.JournalEntry>.self)
            return (page.list.entries.count, page.totals)
        case .progress:
            let page = try page(AppModels.Entries<AppModels.ProgressEntry>.self)
            return (page.list.entries.count, page.totals)
        case .insights:
            let page = try page(AppModels.Insights.self)
            #expect(page.list.totalPages == page.totals.total)
            return (page.list.insights.count, page.totals)
        case .sleep:
            let page = try page(AppModels.Sessions.self)
            return (page.list.sessions.count, page.totals)
        case .workouts:
            let page = try page(AppModels.Workouts.self)
            return (page.list.workouts.count, page.totals)
        case .workoutTemplates:
            let page = try page(AppModels.Templates<AppModels.WorkoutTemplate>.self)
            return (page.list.templates.count, page.totals)
        case .profileMetrics: preconditionFailure("They have no totals.")
        }
    }
}
