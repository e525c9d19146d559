import JSON
import Testing

@testable import FitIQAPI

@Suite("Document requests without a document in the body") struct DocumentRequestTests {
    /// Bodies, and the first and the last second of the insight's period.
    static let periods: KeyValuePairs<String, [String]> = [
        #"{"insight_type":"daily"}"#: ["2025-01-29T00:00:00Z", "2025-01-29T23:59:59Z"],
        #"{"insight_type":"weekly"}"#: ["2025-01-23T00:00:00Z", "2025-01-29T23:59:59Z"],
        #"{"insight_type":"pattern"}"#: ["2025-01-16T00:00:00Z", "2025-01-29T23:59:59Z"],
        #"{"insight_type":"monthly"}"#: ["2024-12-31T00:00:00Z", "2025-01-29T23:59:59Z"],
        #"{"insight_type":"milestone"}"#: ["2024-12-31T00:00:00Z", "2025-01-29T23:59:59Z"],
        #"{"insight_type":"daily","period_start":"2025-01-01T01:00:00.5+01:00"}"#:
            ["2025-01-01T00:00:00Z", "2025-01-29T23:59:59Z"],
        #"{"insight_type":"weekly","period_end":"2025-01-07T23:59:59Z","period_start":null}"#:
            ["2025-01-01T00:00:00Z", "2025-01-07T23:59:59Z"],
        #"{"insight_type":"weekly","period_start":"2025-01-02T00:00:00Z","period_end":"2025-01-02T00:00:00Z"}"#:
            ["2025-01-02T00:00:00Z", "2025-01-02T00:00:00Z"],
    ]

    @Test("An insight covers the period of its type unless the request sets a period", arguments: periods)
    func period(body: String, ends: [String]) throws {
        let request = try GenerateInsightRequest(body: body.bytes, at: .example)
        #expect([request.period.lowerBound, request.period.upperBound].map(\.wireText) == ends)
        #expect(body.contains("\"\(request.type)\""))
    }

    static let refusedInsights: KeyValuePairs<String, String> = [
        "{}": "'insight_type' is required", #"{"insight_type":"wellness"}"#: "'insight_type'",
        #"{"insight_type":"daily","period_start":"2025-01-29"}"#: "'period_start'",
        #"{"insight_type":"daily","period_end":7}"#: "'period_end'",
        #"{"insight_type":"daily","period_start":"2025-01-30T00:00:00Z"}"#: "'period_end' must not be before",
    ]
    static let refusedShares: KeyValuePairs<String, String> = [
        "{}": "'shared_with_user_ids' is required",
        #"{"shared_with_user_ids":["a"]}"#: "'professional_type' is required",
        #"{"shared_with_user_ids":["a"],"professional_type":"doctor"}"#:
            #"'professional_type' must be one of "personal_trainer""#,
        #"{"user_ids":["a"],"professional_type":"doctor"}"#: "'professional_type' must be one of",
        #"{"user_ids":[]}"#: "'shared_with_user_ids'", #"{"user_ids":["a",1]}"#: "'shared_with_user_ids[1]'",
        #"{"user_ids":"a"}"#: "'shared_with_user_ids'", #"{"user_id":""}"#: "'shared_with_user_ids[0]'",
        #"{"user_id":"a","notes":7}"#: "'notes'",
    ]
    static let refusedCopies: KeyValuePairs<String, String> = [
        #"{"new_name":""}"#: "'new_name'", #"{"new_name":7}"#: "'new_name'", "[]": "JSON object",
    ]

    private func expect(_ refusal: APIError?, tells told: String) {
        #expect(refusal?.status == .badRequest && refusal?.message.contains(told) == true, "\(refusal as Any)")
    }

    @Test("The error for a request to generate an insight names the invalid member", arguments: refusedInsights)
    func refusesInsight(body: String, told: String) {
        expect(refusal(try GenerateInsightRequest(body: body.bytes, at: .example)), tells: told)
    }

    @Test("The error for a share request names the invalid member", arguments: refusedShares)
    func refusesShare(body: String, told: String) {
        expect(refusal(try ShareDocumentRequest(body: body.bytes)), tells: told)
    }

    @Test("The error for a copy request names the invalid member", arguments: refusedCopies)
    func refusesCopy(body: String, told: String) {
        expect(refusal(try CopyTemplateRequest(body: body.bytes)), tells: told)
    }

    @Test("A share request may be in the apps' form or the product's form")
    func shares() throws {
        func read(_ body: String) throws(APIError) -> ShareDocumentRequest {
            try ShareDocumentRequest(body: body.bytes)
        }
        let full = try read(#"{"shared_with_user_ids":["A","b"],"professional_type":"nutritionist","notes":"n"}"#)
        #expect(full.users == ["A", "b"] && full.professionalType == "nutritionist" && full.notes == "n")
        let short = try read(#"{"user_ids":["a"]}"#)
        #expect(short.users == ["a"] && short.notes == nil && !short.professionalType.isEmpty)
        #expect(try read(#"{"user_id":"a","notes":null}"#) == short)
        func refused(users: Int, notes: Int) -> Bool {
            let list = Array(repeating: #""a""#, count: users).joined(separator: ",")
            let notes = String(repeating: "n", count: notes)
            return refusal(try read(#"{"user_ids":[\#(list)],"notes":"\#(notes)"}"#)) != nil
        }
        #expect(!refused(users: 100, notes: 500) && refused(users: 101, notes: 0) && refused(users: 1, notes: 501))
    }

    @Test("A copy keeps the original's name unless the request sets a name")
    func copies() throws {
        let names = try ["", "{}", #"{"new_name":"Mine"}"#].map { try CopyTemplateRequest(body: $0.bytes).name }
        #expect(names == [nil, nil, "Mine"])
    }

    static let analytics: KeyValuePairs<Query, String> = [
        []: "'from' is required", [("from", "2025-01-01")]: "'to' is required",
        [("to", "2025-01-01")]: "'from' is required",
        [("from", "2025-01-02"), ("to", "2025-01-01")]: "'to' must not be before from",
        [("from", "2025-01-02T00:00:01Z"), ("to", "2025-01-02T00:00:00Z")]: "'to' must not be before from",
        [("from", "x"), ("to", "2025-01-01")]: "'from'",
        [("from", "2025-01-01"), ("to", "2025-01-01"), ("top_labels_limit", "0")]: "'top_labels_limit'",
        [("from", "2025-01-01"), ("to", "2025-01-01"), ("top_labels_limit", "21")]: "'top_labels_limit'",
        [("from", "2025-01-01"), ("to", "2025-01-01"), ("top_associations_limit", "21")]: "'top_associations_limit'",
        [("from", "2025-01-01"), ("to", "2025-01-01"), ("include_daily_breakdown", "1")]: "'include_daily_breakdown'",
    ]

    @Test("Analytics require both ends of the range", arguments: analytics)
    func refusesAnalytics(query: Query, told: String) {
        expect(refusal(try MoodAnalyticsQuery(query: query)), tells: told)
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
