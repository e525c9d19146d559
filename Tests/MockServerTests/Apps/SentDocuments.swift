import FitIQAPI
import TestSupport
import Testing

@testable import MockServer

/// Valid bodies for each collection, and requests with these bodies; the clock shows 2025-01-29T10:30:00Z.
enum SentDocuments {
    static let operations = Endpoint.allCases.filter { $0.documents != nil }
    static let unknown = "00000000-0000-4000-8000-000000000000"

    static let bodies: [DocumentCollection: String] = [
        .moodEntries: #"{"valence":0.5,"labels":["calm"],"logged_at":"2025-01-29T09:00:00.250Z"}"#,
        .journal: #"{"content":"Slept well","tags":["sleep"],"logged_at":"2025-01-29T08:00:00Z"}"#,
        .insights:
            #"{"insight_type":"weekly","title":"A week","content":"Seven days","period_start":"2025-01-22T00:00:00Z"}"#,
        .progress: #"{"type":"weight","quantity":61.5,"logged_at":"2025-01-28T07:00:00Z"}"#,
        .sleep: """
        {"start_time":"2025-01-28T22:00:00Z","end_time":"2025-01-29T06:00:00Z","source":"healthkit","source_id":"hk-1",\
        "stages":[{"stage":"rem","start_time":"2025-01-29T02:00:00Z","end_time":"2025-01-29T06:00:00Z"},\
        {"stage":"core","start_time":"2025-01-28T22:30:00Z","end_time":"2025-01-29T01:30:00Z"}]}
        """,
        .workouts: #"{"activity_type":"Running","started_at":"2025-01-29T07:00:00Z","intensity":6}"#,
        .profileMetrics: """
        {"recorded_at":"2025-01-29T07:30:00Z","metrics":[{"metric_type":"bmi","quantity":22.5,"unit":"%"}]}
        """,
        .workoutTemplates: """
        {"name":"Legs","is_public":false,"exercises":[{"user_exercise_id":"my_lunge","order_index":1},\
        {"exercise_id":"goblet-squat","order_index":0,"sets":3,"reps":10,"weight_kg":12}]}
        """,
    ]

    /// An operation's body and query.
    static func body(of endpoint: Endpoint) -> String? {
        switch endpoint {
        case .generateInsights: #"{"insight_type":"weekly"}"#
        case .shareWorkoutTemplate:
            #"{"shared_with_user_ids":["bert"],"professional_type":"sports_coach","notes":"Slowly"}"#
        case _ where endpoint.body == .required: endpoint.documents.flatMap { bodies[$0] }
        default: nil
        }
    }

    static func target(of endpoint: Endpoint, _ id: String = unknown) -> String {
        let query =
            switch endpoint {
            case .analyzeMoodEntries: "?from=2025-01-01&to=2025-01-31&include_daily_breakdown=true"
            case .searchJournal: "?q=slept"
            default: ""
            }
        return endpoint.template.replacing("{id}", with: id).replacing("{userId}", with: "bert") + query
    }

    static func request(_ endpoint: Endpoint, _ id: String = unknown, as user: String? = nil) -> Request {
        let target = target(of: endpoint, id)
        let request =
            user.map { .authorized(endpoint.method, target, as: $0) }
            ?? Request(method: endpoint.method, target: target)
        return body(of: endpoint).map(request.json) ?? request
    }

    /// The id of the only document in a collection of ``state``.
    static func id(_ collection: DocumentCollection) -> String {
        let number = DocumentCollection.allCases.firstIndex(of: collection) ?? 0
        return "abcdef00-0000-4000-8000-00000000000\(number)"
    }

    /// A world where a user has a document in each collection.
    static func state(_ user: String = TestUser.anna, sharedWith: [String] = []) -> String {
        let lists = DocumentCollection.allCases.map { collection in
            let shares = sharedWith.map { #""\#($0)""# }.joined(separator: ",")
            let more = collection == .workoutTemplates ? #","shared_with":[\#(shares)]"# : ""
            let members = bodies[collection, default: ""].dropFirst().dropLast()
            return #""\#(collection.rawValue)":[{"id":"\#(id(collection))"\#(more),\#(members)}]"#
        }
        return #"{"name":"a","users":[{"id":"\#(user)","documents":{\#(lists.joined(separator: ","))}}]}"#
    }

    static func network(sharedWith: [String] = []) throws -> VirtualNetwork {
        let network = VirtualNetwork.manual()
        let planted = try network.admin(.put, "state", state(sharedWith: sharedWith))
        try #require(planted.status == 200, "\(planted.text)")
        return network
    }
}
