import CoachClient
import FitIQMockSwiftTesting
import Testing

@Suite("The coach client")
struct CoachClientTests {
    private func client(in world: MockWorld) -> CoachClient {
        CoachClient(baseURL: world.url, headers: world.headers)
    }

    @Test("A consultation begins", .mockWorld())
    func begins() async throws {
        let world = try MockWorld.current
        let id = try await client(in: world).start(with: "nutritionist")
        #expect(try await world.consultations().map(\.id) == [id.uuidString.lowercased()])
    }

    @Test("An existing consultation is continued", .mockWorld("conflict"))
    func continues() async throws {
        let client = client(in: try MockWorld.current)
        let id = try await client.start(with: "nutritionist")
        #expect(try await client.messages(in: id).count == 2)
    }

    @Test("A consultation is archived", .mockWorld("conflict"))
    func archives() async throws {
        let client = client(in: try MockWorld.current)
        await client.archive(try await client.start(with: "nutritionist"))
    }
}
