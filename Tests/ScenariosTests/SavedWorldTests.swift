import FitIQBackend
import JSON
import Scenarios
import Testing

@Suite("Times in saved worlds")
struct SavedWorldTests {
    @Test("A token's expiry may be beyond a clock's range only in a saved world")
    func tokens() throws {
        let ticket: JSONValue = ["id": "6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab", "expires_at": "2250-01-01T00:00:00Z"]
        let user: JSONValue = ["id": "u", "email": "u@b.c", "password": "abcdefgh", "refresh_tokens": [ticket]]
        let value: JSONValue = ["name": "a", "users": [user]]
        let saved = try Scenario.read(json: value, isSaved: true)
        #expect(saved.data.users.first?.account?.refreshTokens.map(\.expiresAt) == [8_835_955_200])
        #expect(throws: ScenarioErrors.self) { try Scenario.read(json: value) }
    }

    @Test("A clock in a saved world has the usual range of years", arguments: [false, true])
    func clocks(isSaved: Bool) throws {
        func value(_ start: String) -> JSONValue { ["name": "a", "clock": ["manual": .string(start)]] }
        #expect(throws: Never.self) { try Scenario.read(json: value("1970-01-01T00:00:00Z"), isSaved: isSaved) }
        #expect(throws: ScenarioErrors.self) {
            try Scenario.read(json: value("1969-12-31T23:59:59Z"), isSaved: isSaved)
        }
    }
}
