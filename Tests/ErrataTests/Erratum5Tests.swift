import FitIQAPI
import Foundation
import GuideModels
import Testing

extension Errata {
    @Suite("5: goal-linking's ids and its retry")
    struct Erratum5Tests {
        typealias Guide = GoalLinkingGuide

        static let snippets = [
            Snippet("goal-linking.backend-id"), Snippet("goal-linking.equal-errors"), Snippet("goal-linking.retry"),
            Snippet("goal-linking.test-goals"),
        ]

        @Test("The snippet does not compile or compiles with warnings", .timeLimit(.minutes(15)), arguments: snippets)
        func doesNotCompile(snippet: Snippet) async throws {
            try await snippet.check()
        }

        @Test("Decoding the answer to PATCH as the local Goal loses both ids")
        func patchLosesIDs() throws {
            let answer = try ServerAnswers.goal()
            let local = try #require(UUID(uuidString: "11111111-1111-4111-8111-111111111111"))
            let goal = try Guide.decoder.decode(Guide.Goal.self, from: answer)
            #expect(goal.id != local)
            #expect(
                goal.id.uuidString.lowercased() == ServerAnswers.id, "the backend's id stands in the local one's place")
            #expect(goal.backendId == nil, "and where it belongs there is none")
        }

        @Test("Decoding as BackendGoal preserves the local goal's id")
        func patchFixed() throws {
            let answer = try ServerAnswers.goal()
            let goal = try Guide.decoder.decode(Guide.BackendGoal.self, from: answer)
            #expect(goal.id == ServerAnswers.id)
        }

        @Test("The guide's printed conversation does not decode because its id is not a UUID")
        func conversationExample() throws {
            let printed = try GuideFixture("goal-linking", "conversation").data
            #expect(DecodingFailure.of(Guide.Conversation.self, Guide.decoder, printed) == .dataCorrupted("id"))
        }

        @Test("The client sends a conversation's UUID in uppercase, and the backend rejects it")
        func upperCase() throws {
            let conversation = try Guide.decoder.decode(Guide.Conversation.self, from: ServerAnswers.consultation())
            let sent = conversation.id.uuidString
            #expect(sent != ServerAnswers.id)
            #expect(ResourceID.read(sent) == .wrongCase)
            let refusal = FitIQAPI.APIError.unknownConsultation(sent)
            #expect(refusal.status == .notFound)
            #expect(refusal.message.contains("lower-case it to \"\(ServerAnswers.id)\""))
            guard case .id = ResourceID.read(sent.lowercased()) else {
                Issue.record("Lower-cased it is known.")
                return
            }
        }

        /// `chatAboutGoal` and its retry, without the network; every request times out.
        struct Chat {
            var requests = 0
            var chatError: String?

            mutating func createConversation() throws {
                requests += 1
                throw URLError(.timedOut)
            }

            /// As in the listing, the error is shown on the screen but not rethrown.
            mutating func chatAboutGoal() {
                do { try createConversation() } catch { chatError = "\(error)" }
            }

            /// `chatAboutGoalWithRetry` without its waits, for an attempt that may throw.
            mutating func withRetry(_ attempt: (inout Chat) throws -> Void) {
                var retryCount = 0
                let maxRetries = 3
                while retryCount < maxRetries {
                    do {
                        try attempt(&self)
                        return
                    } catch {
                        retryCount += 1
                    }
                }
                chatError = "Unable to connect. Please try again later."
            }
        }

        @Test("The retry never happens because chatAboutGoal swallows the errors")
        func retrySeesNothing() {
            var listed = Chat()
            listed.withRetry { $0.chatAboutGoal() }
            #expect(listed.requests == 1)
            #expect(listed.chatError?.isEmpty == false)

            var fixed = Chat()
            fixed.withRetry { try $0.createConversation() }
            #expect(fixed.requests == 3)
            #expect(fixed.chatError == "Unable to connect. Please try again later.")
        }
    }
}
