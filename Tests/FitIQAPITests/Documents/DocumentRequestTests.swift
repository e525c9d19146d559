import JSON
import Testing

@testable import FitIQAPI

@Suite("Document requests without a document in the body") struct DocumentRequestTests {
    static let periods: [(body: String, first: String, last: String)] = [
        (#"{"insight_type":"daily"}"#, "2025-01-29T00:00:00Z", "2025-01-29T23:59:59Z"),
        (#"{"insight_type":"weekly"}"#, "2025-01-23T00:00:00Z", "2025-01-29T23:59:59Z"),
        (#"{"insight_type":"pattern"}"#, "2025-01-16T00:00:00Z", "2025-01-29T23:59:59Z"),
        (#"{"insight_type":"monthly"}"#, "2024-12-31T00:00:00Z", "2025-01-29T23:59:59Z"),
        (#"{"insight_type":"milestone"}"#, "2024-12-31T00:00:00Z", "2025-01-29T23:59:59Z"),
        (
            #"{"insight_type":"daily","period_start":"2025-01-01T01:00:00.5+01:00"}"#, "2025-01-01T00:00:00Z",
            "2025-01-29T23:59:59Z"
        ),
        (
            #"{"insight_type":"weekly","period_end":"2025-01-07T23:59:59Z","period_start":null}"#,
            "2025-01-01T00:00:00Z", "2025-01-07T23:59:59Z"
        ),
        (
            #"{"insight_type":"weekly","period_start":"2025-01-02T00:00:00Z","period_end":"2025-01-02T00:00:00Z"}"#,
            "2025-01-02T00:00:00Z", "2025-01-02T00:00:00Z"
        ),
    ]

    @Test(
        "An insight covers the period of its type unless the request sets a period", arguments: periods
    )
    func period(body: String, first: String, last: String) throws {
        let request = try GenerateInsightRequest(body: Array(body.utf8), at: .example)
        #expect(request.period.lowerBound.wireText == first && request.period.upperBound.wireText == last)
        #expect(body.contains("\"\(request.type)\""))
    }

    static let refused: [(read: String, body: String, told: String)] = [
        ("insight", "{}", "'insight_type' is required"), ("insight", #"{"insight_type":"wellness"}"#, "'insight_type'"),
        ("insight", #"{"insight_type":"daily","period_start":"2025-01-29"}"#, "'period_start'"),
        ("insight", #"{"insight_type":"daily","period_end":7}"#, "'period_end'"),
        (
            "insight", #"{"insight_type":"daily","period_start":"2025-01-30T00:00:00Z"}"#,
            "'period_end' must not be before"
        ),
        ("share", "{}", "'shared_with_user_ids' is required"),
        ("share", #"{"shared_with_user_ids":["a"]}"#, "'professional_type' is required"),
        (
            "share", #"{"shared_with_user_ids":["a"],"professional_type":"doctor"}"#,
            #"'professional_type' must be one of "personal_trainer""#
        ),
        ("share", #"{"user_ids":["a"],"professional_type":"doctor"}"#, "'professional_type' must be one of"),
        ("share", #"{"user_ids":[]}"#, "'shared_with_user_ids'"),
        ("share", #"{"user_ids":["a",1]}"#, "'shared_with_user_ids[1]'"),
        ("share", #"{"user_ids":"a"}"#, "'shared_with_user_ids'"),
        ("share", #"{"user_id":""}"#, "'shared_with_user_ids[0]'"),
        ("share", #"{"user_id":"a","notes":7}"#, "'notes'"), ("copy", #"{"new_name":""}"#, "'new_name'"),
        ("copy", #"{"new_name":7}"#, "'new_name'"), ("copy", "[]", "JSON object"),
    ]

    @Test("An error message names the invalid member", arguments: refused)
    func refuses(read: String, body: String, told: String) {
        let bytes = Array(body.utf8)
        let refusal = refusal { () throws(APIError) in
            switch read {
            case "insight": _ = try GenerateInsightRequest(body: bytes, at: .example)
            case "share": _ = try ShareDocumentRequest(body: bytes)
            default: _ = try CopyTemplateRequest(body: bytes)
            }
        }
        #expect(refusal?.status == .badRequest && refusal?.message.contains(told) == true, "\(refusal as Any)")
    }

    @Test("A share request may be in the apps' form or the product's form")
    func shares() throws {
        func read(_ body: String) throws(APIError) -> ShareDocumentRequest {
            try ShareDocumentRequest(body: Array(body.utf8))
        }
        let full = try read(#"{"shared_with_user_ids":["A","b"],"professional_type":"nutritionist","notes":"n"}"#)
        #expect(full.users == ["A", "b"] && full.professionalType == "nutritionist" && full.notes == "n")
        let short = try read(#"{"user_ids":["a"]}"#)
        #expect(short.users == ["a"] && short.notes == nil && !short.professionalType.isEmpty)
        #expect(try read(#"{"user_id":"a","notes":null}"#) == short)
        func refused(users: Int, notes: Int) -> Bool {
            let list = Array(repeating: #""a""#, count: users).joined(separator: ",")
            let notes = String(repeating: "n", count: notes)
            return refusal { () throws(APIError) in try read(#"{"user_ids":[\#(list)],"notes":"\#(notes)"}"#) } != nil
        }
        #expect(!refused(users: 100, notes: 500) && refused(users: 101, notes: 0) && refused(users: 1, notes: 501))
    }

    @Test("A copy keeps the original's name unless the request sets a name")
    func copies() throws {
        #expect(try CopyTemplateRequest(body: []).name == nil)
        #expect(try CopyTemplateRequest(body: Array("{}".utf8)).name == nil)
        #expect(try CopyTemplateRequest(body: Array(#"{"new_name":"Mine"}"#.utf8)).name == "Mine")
    }

    static let analytics: [(query: Query, told: String)] = [
        ([], "'from' is required"), ([("from", "2025-01-01")], "'to' is required"),
        ([("to", "2025-01-01")], "'from' is required"),
        ([("from", "2025-01-02"), ("to", "2025-01-01")], "'to' must not be before from"),
        ([("from", "2025-01-02T00:00:01Z"), ("to", "2025-01-02T00:00:00Z")], "'to' must not be before from"),
        ([("from", "x"), ("to", "2025-01-01")], "'from'"),
        ([("from", "2025-01-01"), ("to", "2025-01-01"), ("top_labels_limit", "0")], "'top_labels_limit'"),
        ([("from", "2025-01-01"), ("to", "2025-01-01"), ("top_labels_limit", "21")], "'top_labels_limit'"),
        ([("from", "2025-01-01"), ("to", "2025-01-01"), ("top_associations_limit", "21")], "'top_associations_limit'"),
        (
            [("from", "2025-01-01"), ("to", "2025-01-01"), ("include_daily_breakdown", "1")],
            "'include_daily_breakdown'"
        ),
    ]

    @Test("Analytics require both ends of the range", arguments: analytics)
    func refusesAnalytics(query: Query, told: String) throws {
        let refusal = refusal { () throws(APIError) in try MoodAnalyticsQuery(query: query) }
        #expect(refusal?.status == .badRequest && refusal?.message.contains(told) == true, "\(refusal as Any)")
    }

    @Test("Analytics default to whole days, ten labels, ten associations and no daily breakdown")
    func analyzes() throws {
        let usual = try MoodAnalyticsQuery(query: [("from", "2025-01-01"), ("to", "2025-01-01")])
        #expect(usual.first.wireText == "2025-01-01T00:00:00Z" && usual.last.wireText == "2025-01-01T23:59:59Z")
        #expect(!usual.includesDays && usual.labelLimit == 10 && usual.associationLimit == 10)
        let full = try MoodAnalyticsQuery(query: [
            ("from", "2025-01-01T10:00:00.5Z"), ("to", "2025-01-01T10:00:00Z"), ("include_daily_breakdown", "true"),
            ("top_labels_limit", "20"), ("top_associations_limit", "1"),
        ])
        #expect(full.first == full.last && full.includesDays && full.labelLimit == 20 && full.associationLimit == 1)
    }
}
