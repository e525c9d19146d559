import FakeBackend
import FitIQClient
import Testing

@Test("A client completes an answer after the connection drops", .fakeBackend("drop-mid-stream"))
func cutOff() async throws {
    let backend = try FakeBackend.current
    let credentials = Credentials(token: backend.token, apiKey: backend.apiKey)
    let client = try FitIQClient(url: backend.url, credentials: credentials)  // Your client goes here.
    _ = try await client.startConsultation(persona: .nutritionist)
    #expect(try await client.send("What should I eat for breakfast?").hasPrefix("For breakfast, I recommend"))
    await client.close()
}
