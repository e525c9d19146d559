import FitIQMockSwiftTesting
import Testing

@testable import Coach

@Suite("The app's client", .mockWorld("conflict"))
struct CoachClientTests {
    @Test("An existing consultation is continued")
    func continues() async throws {
        let world = try MockWorld.current
        let client = CoachClient(baseURL: world.url, headers: world.headers)
        #expect(try await client.messages(in: try await client.start(with: "nutritionist")).count == 2)
    }
}
