import Foundation
import GuideModels
import Testing

extension Errata {
    @Suite("4: meal-log-websocket's models and view model")
    struct Erratum4Tests {
        typealias Guide = MealLogWebSocketGuide

        static let snippets = [
            Snippet("meal-log-websocket.completed"), Snippet("meal-log-websocket.main-actor"),
            Snippet("meal-log-websocket.missing-brace"), Snippet("meal-log-websocket.private-in-tests"),
            Snippet("meal-log-websocket.test-message"),
        ]

        @Test("The snippet does not compile", .timeLimit(.minutes(15)), arguments: snippets)
        func doesNotCompile(snippet: Snippet) async throws {
            try await snippet.check()
        }

        @Test("The closed enumeration of types cannot decode a chat frame on a shared consultation")
        func closedTypes() throws {
            let chunk = try ServerAnswers.streamChunk()
            #expect(DecodingFailure.of(Guide.WebSocketMessage.self, Guide.decoder, chunk) == .dataCorrupted("type"))
        }

        @Test("An enumeration with a text case decodes every frame")
        func openTypes() throws {
            struct WebSocketMessage: Codable { let type: String }
            let chunk = try Guide.decoder.decode(WebSocketMessage.self, from: ServerAnswers.streamChunk())
            #expect(chunk.type == "stream_chunk")
            let frames = try [
                ServerAnswers.frame(.connected(user: nil)), ServerAnswers.mealEvent(.completed),
                ServerAnswers.mealEvent(.failed),
                ServerAnswers.frame(.error(.binaryFrame)), ServerAnswers.frame(.pong),
            ]
            let types = try frames.map { try Guide.decoder.decode(WebSocketMessage.self, from: $0).type }
            #expect(types == Guide.WebSocketMessage.MessageType.allCases.map(\.rawValue))
        }

        @Test("A completed meal's data decodes from the whole frame once the frame's type is known")
        func completedData() throws {
            let frame = try ServerAnswers.mealEvent(.completed, in: .mealLogWebSocket)
            let message = try Guide.decoder.decode(Guide.MealLogMessage<Guide.MealLogCompletedData>.self, from: frame)
            #expect(message.type == .mealLogCompleted)
            #expect(message.data.items.count == 1)
            // The listing's own decoding drops the items, because MessageData has no such property.
            let listed = try Guide.decoder.decode(Guide.WebSocketMessage.self, from: frame)
            #expect(listed.data?.mealLogId == nil)
            #expect(listed.data?.totalCalories == 198)
        }

        /// `submitMealLog`, statement by statement, without the network.
        struct Form {
            var isSubmitting = false
            var resetsWhenDone: Bool

            /// The view disables its button while this is false.
            var canSubmit: Bool { !isSubmitting }

            mutating func submit(_ create: () throws -> Void) {
                isSubmitting = true
                defer { if resetsWhenDone { isSubmitting = false } }
                try? create()
            }
        }

        @Test(
            "The button stays disabled after the first meal because no code resets isSubmitting",
            arguments: [true, false])
        func submitsOnce(fails: Bool) {
            for resets in [false, true] {
                var form = Form(resetsWhenDone: resets)
                form.submit { if fails { throw URLError(.timedOut) } }
                #expect(form.canSubmit == resets)
            }
        }
    }
}
