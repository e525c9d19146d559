import Foundation
import SampleClient
import Testing

@Test("Goals load")
func goals() async throws {
    #expect(try await SampleClient(environment: ProcessInfo.processInfo.environment).loadGoals() == 200)
}
