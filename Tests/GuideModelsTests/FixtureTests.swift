import GuideModels
import JSON
import Testing

@Suite("What the guides print")
struct FixtureTests {
    @Test(
        "is here in full",
        arguments: [("consultation-websocket", 8), ("goal-linking", 6), ("websocket-architecture", 2)])
    func isComplete(guide: String, count: Int) {
        #expect(GuideFixture.all.filter { $0.guide == guide }.count == count)
    }

    @Test("is JSON, and has its own shape", arguments: GuideFixture.all)
    func isJSON(fixture: GuideFixture) throws {
        #expect(try Shape(fixture).differences(from: fixture.value) == [])
    }

    @Test("is a file of a guide that there is")
    func isOfAGuide() {
        #expect(
            Set(GuideFixture.all.map(\.guide)) == ["consultation-websocket", "goal-linking", "websocket-architecture"])
    }
}
