import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import FitIQAPI

@Suite("The nearest endpoints")
struct EndpointNearMissTests {
    static let id = "910a2dec-8902-4cc1-beeb-8da1658eec67"

    static let table: KeyValuePairs<String, [String]> = [
        "GET /api/v1/goals": ["listGoals 100", "createGoal 85"], "HEAD /api/v1/goals": ["listGoals 100"],
        "TRACE /api/v1/goals/\(id)": ["getGoal 85 TRACE→GET"],
        "POST /api/v1/meal-logs": ["listMealLogs 85 POST→GET", "createMealLog 80 +natural"],
        "GET /goals": ["listGoals 90 prefix", "createGoal 75"], "GET /v1/goals": ["listGoals 90 prefix"],
        "GET /api/goals": ["listGoals 90 prefix"], "GET /api/v1/api/v1/goals": ["listGoals 90 prefixes"],
        "GET /api/v1/goals/": ["listGoals 95 slash/"], "GET /api/v1/goals//": ["listGoals 90 slash/ //"],
        "GET /api/v1/consultations//messages": ["listMessages 85 +{id}"],
        "GET /api/v1/Goals": ["listGoals 95 Goals≠goals"], "GET /API/v1/goals": ["listGoals 95 API≠api"],
        "GET /api/v2/goals": ["listGoals 75 v2~v1"], "GET /api/v1/gaols": ["listGoals 78 gaols~goals"],
        "GET /api/v1/consultation": ["listConsultations 88 consultation~consultations"],
        "GET /api/v1/consultations/\(id)/message": ["listMessages 87 message~messages"],
        "GET /api/v1/consultations/\(id.uppercased())/message": [
            "listMessages 82 \(id.uppercased())^ message~messages"
        ], "GET /api/v1/consultations/5/messages/": ["listMessages 85 slash/ 5?"],
        "GET /api/v1/consultations/\(id)/messages/9": ["listMessages 60 -9"],
        "GET /ws": ["openSocket 55 prefix +consultations +{id}"],
        "GET /api/v1/ws": ["openSocket 65 +consultations +{id}"],
        "GET /ws/meal-log": ["openMealSocket 87 meal-log~meal-logs"],
        "GET /api/v1/ws/meal-logs": ["openMealSocket 90 -api/v1"],
        "GET /consultations/\(id)/ws": ["openSocket 90 prefix"],
        "GET /api/v1/goals/natural": ["listGoals 60 -natural"], "GET /api/v1/goals/17/": ["getGoal 85 slash/ 17?"],
        // If two explanations have the same score, the winner is the one whose extra and missing segments come first.
        "GET /api/v1/goals/5/x": ["getGoal 50 -5 x?"], "GET /api/v1//preferences": ["getPreferences 55 +users +me //"],
        "GET /ws/batch": [], "GET /api": [], "GET /api/": [], "GET /api/v1": [],
        "GET /favicon.ico": [], "GET /": [], "GET /api/v1/animals": [], "GET /api/v1/people/\(id)": [],
        "GET /" + String(repeating: "a/", count: 12): [], "GET /" + String(repeating: "a", count: 300): [],
    ]

    private static func text(_ difference: EndpointNearMiss.Difference) -> String {
        switch difference {
        case .missingPrefix: "prefix"
        case .repeatedPrefix: "prefixes"
        case .emptySegment: "//"
        case .trailingSlash: "slash/"
        case .segment(let got, let expected): "\(got)~\(expected)"
        case .segmentCase(let got, let expected): "\(got)≠\(expected)"
        case .idCase(let got): "\(got)^"
        case .malformedID(let got): "\(got)?"
        case .missingSegment(let expected): "+\(expected)"
        case .extraSegment(let got): "-\(got)"
        case .method(let got, let expected): "\(got)→\(expected)"
        }
    }

    private func nearest(_ request: String, in mode: GuideMode = .union) throws -> [EndpointNearMiss] {
        let parts = request.split(separator: " ")
        return EndpointNearMiss.nearest(
            to: try #require(HTTPRequest.Method(String(parts[0]))),
            segments: parts[1].dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init),
            in: mode)
    }

    @Test("Paths longer than the limit have no near misses")
    func longestPath() throws {
        let path = "/api/v1/goals/" + String(repeating: "x", count: EndpointNearMiss.longestPath - 14)
        #expect(try !nearest("GET \(path)").isEmpty && nearest("GET \(path)x").isEmpty)
    }

    @Test("Paths with more than twelve segments have no near misses")
    func mostSegments() throws {
        let path = "/api/v1/goals" + String(repeating: "/", count: EndpointNearMiss.mostSegments - 3)
        #expect(try nearest("GET \(path)").first?.score == 55 && nearest("GET \(path)/").isEmpty)
    }

    @Test("Near misses are sorted by similarity and list their differences", arguments: table)
    func finds(request: String, expected: [String]) throws {
        let nearest = try nearest(request)
        #expect(nearest.count <= 3 && nearest.allSatisfy { $0.score > 40 })
        #expect(nearest.isEmpty == expected.isEmpty)
        for (found, row) in zip(nearest, expected) {
            let text = (["\(found.endpoint.name) \(found.score)"] + found.differences.map(Self.text)).joined(
                separator: " ")
            #expect(text == row || text.hasPrefix(row + " "), "\(text)")
        }
    }

    @Test("Only endpoints that the mode serves count as near misses")
    func modes() throws {
        #expect(try nearest("GET /goals", in: .mealLogWebSocket).isEmpty)
        #expect(try nearest("GET /goals", in: .goalLinking).first?.endpoint == .listGoals)
    }

    @Test("A near miss has the operation's name from the OpenAPI description")
    func names() throws {
        let lines = try textOfPackage("openapi/openapi.yaml").split(separator: "\n")
        let operations = Set(
            lines.compactMap { line in
                line.contains("operationId: ") ? line.split(separator: " ").last.map(String.init) : nil
            })
        for endpoint in Endpoint.allCases {
            #expect(operations.contains(endpoint.name))
            #expect(Endpoint(name: endpoint.name) == endpoint)
        }
        #expect(Endpoint(name: "CreateGoal") == nil)
    }
}
