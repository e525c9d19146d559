import Testing

@testable import fitiq_mock

@Suite("Commands that show and compare sessions")
struct SessionCommandTests {
    @Test("The session commands' messages match the expected text")
    func messages() {
        #expect(Messages.width(59, allowed: 60...100) == "--width must be from 60 to 100, not 59.")
        #expect(["a clause", "A sentence."].map(Messages.sentence) == ["a clause.", "A sentence."])
    }

    @Test("The session commands parse their options")
    func options() throws {
        let plain = try ShowCommand.parse(["a.har"])
        #expect(plain.session == "a.har" && !plain.bodies && plain.width == 120)
        let all = try ShowCommand.parse(["a.har", "--bodies", "--width", "80"])
        #expect(all.bodies && all.width == 80)
        #expect(throws: (any Error).self) { try ShowCommand.parse([]) }
        let diff = try DiffCommand.parse(["a", "b"])
        #expect(diff.first == "a" && diff.second == "b")
        #expect(throws: (any Error).self) { try DiffCommand.parse(["a"]) }
    }
}
