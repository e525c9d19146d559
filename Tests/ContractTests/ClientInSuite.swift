import ContractSuite
import FitIQAPI
import FitIQClient
import MockServer
import Testing

// An example of how a team wraps its client for the contract suite (docs/swift-tests.md); this client uses the system
// clock.

/// The client as the suite drives it: it takes the user's actions and reports what the user sees.
struct ClientInSuite: ClientUnderTest {
    let client: FitIQClient

    func perform(_ instruction: ClientInstruction) async throws {
        switch instruction {
        case .startConsultation(let persona): client.perform(.startConsultation(persona: persona))
        case .send(let text): client.perform(.send(text: text))
        case .disconnect: client.perform(.disconnect)
        default: throw UnsupportedInstruction(instruction)
        }
    }

    func report() async throws -> ClientReport { client.state }
    func end() async { await client.close() }
}

private let server = Result { try LocalServer() }

@Test("The client keeps the contract", arguments: ContractCase.all.filter { $0.isSelected(by: "chat/personas") })
func contract(_ contractCase: ContractCase) async throws {
    var runner = CaseRunner(on: try server.get())
    let result = try await runner.run(contractCase) { here in
        let credentials = Credentials(token: here.token, apiKey: here.apiKey)
        return ClientInSuite(client: try FitIQClient(url: here.url, credentials: credentials))
    }
    #expect(result.isPassed)
}
