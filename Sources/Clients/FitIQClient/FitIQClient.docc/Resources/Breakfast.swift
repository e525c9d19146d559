import FitIQAPI
import FitIQClient

/// Asks a coach one question and returns the answer.
func breakfast(url: String, token: String, apiKey: String) async throws -> String {
    let client = try FitIQClient(url: url, credentials: Credentials(token: token, apiKey: apiKey))
    _ = try await client.startConsultation(persona: .nutritionist)
    let answer = try await client.send("What should I eat for breakfast?")
    await client.close()
    return answer
}
