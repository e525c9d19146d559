import Testing

extension Errata {
    @Suite("3: consultation-websocket's Quick Start and its reconnecting")
    struct Erratum3Tests {
        static let snippets = [
            Snippet("consultation-websocket.private-in-tests"), Snippet("consultation-websocket.quick-start"),
        ]

        @Test("The snippet does not compile", .timeLimit(.minutes(15)), arguments: snippets)
        func doesNotCompile(snippet: Snippet) async throws {
            try await snippet.check()
        }

        @Test("The client never stops after five attempts and never increases its delay")
        func limitNeverBites() {
            var manager = ListedReconnecting()
            manager.connect()
            for _ in 0..<100 where manager.isTrying { manager.receiveFails() }
            #expect(manager.isTrying)
            #expect(manager.handshakes == 101)
            #expect(manager.delays == Array(repeating: 1, count: 100))
        }

        @Test("A client that resets the count only at 'connected' stops after five attempts with increasing delays")
        func limitBites() {
            var manager = ListedReconnecting(.resetsWhenConnected)
            manager.connect()
            while manager.isTrying { manager.receiveFails() }
            #expect(manager.delays == [1, 2, 3, 4, 5])
            #expect(manager.handshakes == 6)
        }

        @Test(
            "A successful connection resets the count", arguments: [[], ListedReconnecting.Fixes.resetsWhenConnected])
        func successResets(fixes: ListedReconnecting.Fixes) {
            var manager = ListedReconnecting(fixes)
            manager.connect()
            manager.receiveFails()
            manager.serverSaysConnected()
            manager.receiveFails()
            #expect(manager.delays == [1, 1])
        }

        @Test("disconnect() reconnects")
        func disconnectReconnects() {
            var manager = ListedReconnecting()
            manager.connect()
            manager.serverSaysConnected()
            manager.disconnect()
            #expect(manager.handshakes == 2)
            #expect(manager.isConnected)
        }

        @Test("A client that stores the disconnect() call reconnects only after a failure")
        func disconnectCloses() {
            var manager = ListedReconnecting(.remembersDisconnect)
            manager.connect()
            manager.receiveFails()
            #expect(manager.handshakes == 2)
            manager.disconnect()
            #expect(manager.handshakes == 2)
            #expect(!manager.isConnected && !manager.isTrying)
        }
    }
}
