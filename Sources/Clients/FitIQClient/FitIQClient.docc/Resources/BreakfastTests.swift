import FakeBackend
import FitIQAPI
import FitIQClient
import Testing

@Suite("Breakfast", .fakeBackend("drop-mid-stream")) struct BreakfastTests {
    @Test("The coach recommends breakfast in whole sentences despite a drop") func whole() async throws {
        let backend = try FakeBackend.current
        let answer = try await breakfast(url: backend.url, token: backend.token, apiKey: backend.apiKey)
        #expect(answer.hasPrefix("For breakfast, I recommend"))
    }

    @Test("The screen shows the recommendation as it grows") func growing() async throws {
        let backend = try FakeBackend.current
        let credentials = Credentials(token: backend.token, apiKey: backend.apiKey)
        let client = try FitIQClient(url: backend.url, credentials: credentials)
        var shown: [String] = []
        try await stream("What should I eat for breakfast?", to: { shown.append($0) }, with: client)
        #expect(shown.count > 2 && shown.last?.hasPrefix("For breakfast, I recommend") == true)
    }
}
