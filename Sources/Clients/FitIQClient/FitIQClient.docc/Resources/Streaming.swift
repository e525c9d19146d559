import FitIQAPI
import FitIQClient

/// Shows each state of a growing answer.
func stream(_ question: String, to show: (String) -> Void, with client: FitIQClient) async throws {
    _ = try await client.startConsultation(persona: .nutritionist)
    let states = client.states
    client.perform(.send(text: question))
    for await state in states {
        guard let line = state.transcript.last, line.role == .assistant else { continue }
        show(line.text)
        if line.isComplete { break }
    }
    await client.close()
}
