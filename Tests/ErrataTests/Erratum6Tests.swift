import Testing

extension Errata {
    @Suite("6: enhanced-consultations' views and missing types")
    struct Erratum6Tests {
        static let snippets = [
            Snippet("enhanced-consultations.create-with-title"), Snippet("enhanced-consultations.message-bubble"),
            Snippet("enhanced-consultations.outgoing-message"), Snippet("enhanced-consultations.persona-color"),
            Snippet("enhanced-consultations.undefined-types"),
        ]

        @Test("The snippet does not compile or compiles with warnings", .timeLimit(.minutes(15)), arguments: snippets)
        func doesNotCompile(snippet: Snippet) async throws {
            try await snippet.check()
        }
    }
}
