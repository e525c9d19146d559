import FitIQAPI
import Scenarios
import Testing
import Text

@Suite("Scenarios in front of a real server")
struct UpstreamTests {
    private func upstream(_ yaml: String) throws -> Upstream {
        try #require(try Scenario.read("name: x\n" + yaml).upstream)
    }

    @Test("If an upstream has only a URL, the real server answers every request")
    func url() throws {
        let upstream = try upstream("upstream: https://API.example.com")
        #expect(upstream.url?.description == "https://api.example.com")
        #expect(upstream.answerer(of: .listGoals) == .real)
        #expect(upstream.answerer(of: nil) == .real)
    }

    @Test("Exceptions apply to their endpoints, and `answers` applies to all others")
    func exceptions() throws {
        let upstream = try upstream(
            """
            upstream:
              answers: real-else-fake
              except:
                - {on: GET /api/v1/goals, answers: fake}
                - {on: [POST /api/v1/goals, GET /ws/meal-logs], answers: real}
            """)
        #expect(upstream.url == nil)
        #expect(upstream.answerer(of: .listGoals) == .fake)
        #expect(upstream.answerer(of: .createGoal) == .real)
        #expect(upstream.answerer(of: .mealSocket) == .real)
        #expect(upstream.answerer(of: nil) == .realElseFake)
        let named = try Optional(upstream).completed(by: self.upstream("upstream: http://a:1"))
        #expect(named?.url?.description == "http://a:1" && named?.answers == .realElseFake)
    }

    @Test(
        "The reader explains each error in an upstream",
        arguments: [
            "upstream: ftp://a": "upstream does not name a server: the upstream URL begins with \"ftp\"",
            "upstream: {url: 'http://a/b'}": "upstream.url does not name a server: \"http://a/b\" has a path",
            "upstream: {answers: both}": "upstream.answers must be fake, real or real-else-fake",
            "upstream: {except: [{on: GET /nothing, answers: fake}]}":
                "upstream.except[0].on must be a method and a path such as GET /api/v1/goals, or several; got",
            "upstream: {except: [{on: GET /api/v1/goals}]}": "upstream.except[0].answers is missing",
            "upstream: {except: [{on: [GET /api/v1/goals, GET /api/v1/goals], answers: fake}]}":
                "upstream.except[0].on[1] is already in an earlier exception",
            "upstream: http://a\nreplay: a.har": "upstream",
        ] as KeyValuePairs<String, String>)
    func mistakes(_ yaml: String, expected: String) throws {
        let error = try #require(throws: ScenarioErrors.self) { try Scenario.read("name: x\n" + yaml) }
        #expect(error.description.contains(expected), "\(error)")
    }
}
