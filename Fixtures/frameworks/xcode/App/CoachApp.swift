import SwiftUI

@main
struct CoachApp: App {
    var body: some Scene {
        WindowGroup { ConversationView(client: .fromEnvironment) }
    }
}

extension CoachClient {
    /// The backend that a test names, or else the fake on this Mac.
    static var fromEnvironment: CoachClient {
        let variables = ProcessInfo.processInfo.environment
        let url = variables["FITIQ_MOCK_URL"].flatMap(URL.init) ?? URL(string: "http://127.0.0.1:8080")!
        let token = variables["FITIQ_MOCK_TOKEN"] ?? ""
        return CoachClient(
            baseURL: url,
            headers: [
                "Authorization": "Bearer \(token)", "X-API-Key": variables["FITIQ_MOCK_API_KEY"] ?? "fitiq-mock-key",
            ])
    }
}

struct ConversationView: View {
    let client: CoachClient
    @State private var messages: [String] = []
    @State private var failure: String?

    var body: some View {
        List {
            if let failure { Text(failure).accessibilityIdentifier("failure") }
            ForEach(messages, id: \.self) { Text($0).accessibilityIdentifier("message") }
        }
        .task {
            do {
                messages = try await client.messages(in: try await client.start(with: "nutritionist"))
            } catch {
                failure = "The coach does not answer."
            }
        }
    }
}
