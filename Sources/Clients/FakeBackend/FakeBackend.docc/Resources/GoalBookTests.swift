import FakeBackend
import Testing

private func book() throws -> GoalBook {
    let backend = try FakeBackend.current
    return GoalBook(url: backend.url, token: backend.token, apiKey: backend.apiKey)
}

@Suite("The goal book", .fakeBackend()) struct GoalBookTests {
    @Test("The book contains a created goal") func create() async throws {
        let goal = try await book().create("Run 5 km")
        #expect(try await book().all().map(\.id) == [goal.id])
    }

    @Test("Each test starts with an empty book") func world() async throws {
        #expect(try await book().all().isEmpty)
    }
}
