import ContractSuite
import FakeBackend
import FitIQClient
import Testing

// An app's types have the same names as types in these modules' dependencies, and must not conflict with them.

private struct APIError: Error {}
private struct Goal { var title: String }
private struct Message { var text: String }
private struct Persona { var name: String }
private struct Scenario { var name: String }
private struct Timestamp { var seconds: Int }
private struct Verdict { var isGood: Bool }
private struct Endpoint { var path: String }
private struct Condition { var text: String }
private struct Request { var path: String }

@Test("An app's types may have the same names as the library's types", .fakeBackend())
func ownNames() async throws {
    let backend = try FakeBackend.current
    #expect(Goal(title: "Run").title == "Run" && Message(text: "a").text == "a" && Persona(name: "a").name == "a")
    #expect(Scenario(name: "a").name == "a" && Timestamp(seconds: 1).seconds == 1 && Verdict(isGood: true).isGood)
    #expect(Endpoint(path: "/").path == "/" && Condition(text: "").text.isEmpty && Request(path: "/").path == "/")
    await #expect(throws: FakeBackend.Refusal.self) { try await backend.setFault("none", isEnabled: true) }
    #expect(throws: APIError.self) { throw APIError() }
    #expect(try await backend.requests().isEmpty)
}
