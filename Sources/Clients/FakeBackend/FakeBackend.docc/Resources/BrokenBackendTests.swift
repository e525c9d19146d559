import FakeBackend
import Testing

@Suite("The goal book while the backend fails") struct BrokenBackendTests {
    @Test("The book contains the goal exactly once after the backend recovers", .fakeBackend("flaky-500"))
    func flaky() async throws {
        let backend = try FakeBackend.current
        let book = GoalBook(url: backend.url, token: backend.token, apiKey: backend.apiKey)
        _ = try await book.create("Run 5 km")
        #expect(try await book.all().map(\.title) == ["Run 5 km"])
        // What the server concluded from the client's requests.
        let verdicts = try await backend.verdicts()
        #expect(verdicts.first { $0.obligation.id == "retry/backoff-on-5xx" }?.outcome == .kept)
    }
}
