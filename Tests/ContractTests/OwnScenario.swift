import FakeBackend
import Scenarios
import Testing

@Test(
    "A list that fails once with 404 loads on the second request",
    .fakeBackend(yaml: "name: once\nfaults:\n  - {on: GET /api/v1/goals, requests: 1, status: 404}\n"))
func writtenAsText() async throws { #expect(try await statuses(of: 2) == [404, 200]) }

@Test(
    "The server refuses an expired token",
    .fakeBackend(scenario: Scenario(name: "short", tokenLifetime: 25_000_000_000), clock: .manual))
func writtenInSwift() async throws {
    try await FakeBackend.current.advance(by: .seconds(26))
    #expect(try await statuses(of: 1) == [401])
}
