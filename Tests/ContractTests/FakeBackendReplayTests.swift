import FakeBackend
import Foundation
import Scenarios
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A recorded session as the backend of a test")
struct FakeBackendReplayTests {
    /// A session with one request, replayed.
    private static func scenario(match: String) -> Scenario {
        let text = """
            {"name": "take", "replay": {"match": "\(match)", "session": {"log": {"version": "1.2", "entries": [{
              "startedDateTime": "2025-01-29T10:30:00.000Z", "time": 0,
              "request": {"method": "GET", "url": "https://api.fitiq.example/api/v1/goals", "headers": []},
              "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": "[1]"}},
              "timings": {"send": 0, "wait": 0, "receive": 0}}]}}}}
            """
        do {
            return try Scenario.read(text)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private func get(_ path: String) async throws -> String {
        let url = try #require(URL(string: FakeBackend.current.url + path))
        return String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
    }

    @Test(
        "A strict replay answers the recorded requests",
        .fakeBackend(scenario: scenario(match: "strict")).allowing("auth/credentials-on-every-request"))
    func followed() async throws {
        #expect(try await FakeBackend.current.replayFailures().count == 1)
        #expect(try await get("/api/v1/goals") == "[1]")
        #expect(try await FakeBackend.current.replayFailures() == [])
    }

    @Test(
        "A strict replay reports an issue for a recorded request that the test never sends",
        .foundOut("The client deviated from the session: Recorded request 1, GET /api/v1/goals, was never sent."),
        .fakeBackend(scenario: scenario(match: "strict")))
    func neverAsked() {}

    @Test(
        "A replay that is not strict reports no issue for a recorded request that the test never sends",
        .fakeBackend(scenario: scenario(match: "route")))
    func route() async throws {
        #expect(try await get("/nowhere").contains("NOT_FOUND"))
        #expect(try await FakeBackend.current.replayFailures().count == 2)
    }

    @Test("A backend without a session reports no replay failures", .fakeBackend())
    func none() async throws {
        #expect(try await FakeBackend.current.replayFailures() == [])
    }
}
