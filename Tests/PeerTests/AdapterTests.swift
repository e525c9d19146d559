import Foundation
import TestSupport
import Testing

extension LongPeers {
    /// `fitiq-mock test-client` with the adapters in `Fixtures/adapters`.
    @Suite("Adapters")
    struct AdapterTests {
        private static let adapters = URL.fixtures.appending(path: "adapters")

        private func testClient(
            _ options: [String], _ adapter: URL, _ arguments: [String] = []
        ) async throws -> Command {
            try await Command(
                try Programs.fitiqMock(),
                ["test-client"] + options + ["--", try Programs.python().path, adapter.path] + arguments)
        }

        @Test("The complete Python client faces and keeps every obligation")
        func complete() async throws {
            let list = try await Command(try Programs.fitiqMock(), ["test-client", "--list"])
            let cases = list.output.split(separator: "\n").count
            let run = try await testClient(["--strict"], Self.adapters.appendingPathComponent("python/adapter.py"))
            #expect(run.status == 0, "\(run.transcript)")
            #expect(run.output.contains(" kept and 0 not exercised. \(cases) cases, 0 failed. The run passes."))
            #expect(run.output.contains("\n\nNothing is broken.\n\n"), "\(run.output)")
            #expect(!run.output.contains("✗") && !run.output.contains("!"), "\(run.output)")
            let passed = run.errors.split(separator: "\n").filter { $0.hasSuffix(": passed") }
            #expect(passed.count == cases, "\(run.errors)")
        }

        /// A client with a mistake, the case that detects it, and the message about it.
        struct Mistake: CustomTestStringConvertible, Sendable {
            let client: String
            let address: String
            let words: String
            var testDescription: String { client }

            init(_ client: String, _ address: String, _ words: String) {
                (self.client, self.address, self.words) = (client, address, words)
            }
        }

        private func breaks(_ mistake: Mistake, _ arguments: [String] = []) async throws -> Command {
            let adapter = Programs.peers.appendingPathComponent("broken_adapters.py")
            let python = Self.adapters.appendingPathComponent("python").path
            let run = try await testClient(
                ["--quiet", "--case", mistake.address], adapter, [python, mistake.client] + arguments)
            #expect(run.output.contains(mistake.words), "\(run.transcript)")
            return run
        }

        @Test(
            "The suite finds each Python client's bug through the case that the client fails",
            arguments: [
                Mistake("Impatient", "interruption/drop/mid-stream", "✗ ws/reconnect-backoff (must)"),
                Mistake("Hasty", "meal/polling/never-finishes", "✗ meal/polling-cadence (must)"),
                Mistake(
                    "Credulous", "chat/answer/never-ends",
                    "Expected every answer shown as complete to match one on the server"),
                Mistake(
                    "Deaf", "chat/error/surfaces", #"a problem of kind chat that contains "The coach is overloaded.""#),
                Mistake("Mute", "socket/leave/closes-and-stays-away", "! ws/close-handshake (should)"),
                Mistake("Steady", "interruption/drop/pauses-grow", "! ws/reconnect-backoff (should)"),
                Mistake("Plodding", "consultation/create/500-twice", "! retry/backoff-on-5xx (should)"),
                Mistake("Forgetful", "chat/answer/as-scripted", "✗ inside/transcript-equals-chunks (must)"),
                Mistake(
                    "Echoing", "interruption/drop/answer-goes-on",
                    "Expected the server to store each user message once"),
                Mistake("Brittle", "chat/frames/undecodable-are-survived", "Expected the connection to be connected"),
                Mistake(
                    "Misspelling", "goal/create/links-what-the-coach-suggested", "✗ goal/links-created-goal (must)"),
                Mistake("Patient", "meal/connected/failure-surfaces", "✗ inside/failed-meal-surfaces (must)"),
                Mistake("Thrifty", "auth/refresh/revoked-is-not-repeated", "✗ auth/refresh-token-once (must)"),
                Mistake("Absent", "interruption/drop/mid-stream", "! ws/reconnects (should)"),
                Mistake("Greedy", "meal/polling/completes", "✗ meal/polling-cadence (must)"),
                Mistake("Chatty", "chat/answer/is-the-sum-of-its-chunks", "! ws/no-send-while-streaming (should)"),
                Mistake("Insistent", "meal/create/answer-lost", "! retry/creates-once (should)"),
                Mistake("Insistent", "goal/create/answer-lost", "! retry/creates-once (should)"),
                Mistake(
                    "Mixing", "meal/connected/events-in-another-order", "✗ inside/event-of-its-own-meal (must)"),
                Mistake("Startled", "chat/frames/unknown-are-ignored", "✗ inside/unknown-is-ignored (must)"),
                Mistake("Abrupt", "chat/frames/unknown-are-ignored", "✗ inside/unknown-is-ignored (must)"),
                Mistake("Choosy", "chat/persona/unknown-is-shown", "✗ inside/unknown-is-ignored (must)"),
                Mistake("Choosy", "goal/chat/unknown-persona", "✗ inside/unknown-is-ignored (must)"),
                Mistake("Rigid", "goal/list/unknown-status", "✗ inside/unknown-is-ignored (must)"),
                Mistake("Stern", "meal/polling/unknown-status", "✗ inside/unknown-is-ignored (must)"),
                Mistake("Taciturn", "quick-actions/load/are-shown", "Expected questions to be suggested"),
                Mistake(
                    "Nostalgic", "goal/chat/404-clears-the-conversation", "✗ inside/gone-conversation-cleared (must)"),
                Mistake("Attached", "goal/chat/deleted-while-open", "✗ inside/gone-conversation-cleared (must)"),
                Mistake("Ambitious", "template/created/is-no-goal", "✗ inside/template-by-its-type (must)"),
                Mistake("Ambitious", "template/created/is-shown", "✗ inside/template-by-its-type (must)"),
                Mistake("Starving", "meal/create/nothing-entered", "✗ request/shape (must)"),
                Mistake("Wordless", "meal/create/nothing-entered", "a problem of kind refused"),
                Mistake("Hoarding", "consultation/open/newest-100-messages", "✗ inside/keeps-100-messages (must)"),
                Mistake("Sprawling", "consultation/open/newest-100-messages", "✗ inside/keeps-100-messages (must)"),
                Mistake("Counting", "meal/connected/contents-are-shown", "✗ inside/meal-contents-shown (must)"),
                Mistake("Discreet", "consultation/create/400-surfaces", "✗ inside/refusal-surfaces (must)"),
                Mistake("Discreet", "meal/create/400-surfaces", "✗ inside/refusal-surfaces (must)"),
                Mistake("Discreet", "goal/create/400-surfaces", "✗ inside/refusal-surfaces (must)"),
                Mistake("Discreet", "quick-actions/load/failure-surfaces", "✗ inside/refusal-surfaces (must)"),
                Mistake("Hurried", "goal/chat/time-out-is-retried", "Expected the connection to be connected"),
                Mistake("Crashing", "meal/polling/completes", "KeyError('no such member')"),
            ])
        func mistaken(_ mistake: Mistake) async throws {
            let run = try await breaks(mistake)
            let warns = ["Mute", "Plodding", "Steady", "Chatty", "Insistent"].contains(mistake.client)
            #expect((run.status == 0) == warns, "only a should may pass: \(run.transcript)")
            // Expect only this mistake, and therefore one heading in addition to the legend and the table.
            #expect(run.output.count { $0 == "✗" || $0 == "!" } <= 5, "\(run.output)")
        }

        @Test(
            "The report describes how an adapter misbehaves during a case",
            arguments: [
                ("dies", "The adapter exited with status 3 instead of answering {"),
                ("raises", "The adapter exited with status 1 instead of answering {"),
                ("is_killed", "The adapter was terminated by signal 9 instead of answering {"),
                ("leaves_a_child_behind", "The adapter exited with status 4 instead of answering {"),
                ("closes_its_output", "The adapter closed its standard output instead of answering {"),
                ("writes_garbage", "human-readable output belongs on standard error"),
                ("writes_much", "is longer than 1 MiB"),
                ("prints_to_the_answers", "is 2 eggs are logged: it is not valid JSON"),
            ])
        func troublesome(_ trouble: String, _ words: String) async throws {
            let run = try await breaks(Mistake("Trouble", "meal/polling/completes", words), [trouble])
            #expect(run.status != 0 && run.status != 3, "the adapter failed, and not the harness: \(run.transcript)")
            // The report must not contain control characters that a terminal would interpret.
            #expect(!run.output.unicodeScalars.contains { $0.value < 32 && $0 != "\n" }, "\(run.transcript)")
            if trouble == "raises" { #expect(run.errors.contains("RuntimeError: out of eggs")) }
        }

        @Test("An adapter that dies during a chat does not break a socket obligation")
        func collapsing() async throws {
            let run = try await breaks(
                Mistake("Collapsing", "chat/answer/is-the-sum-of-its-chunks", "The adapter exited with status 3"))
            #expect(run.status == 1 && !run.output.contains("✗ ws/") && !run.output.contains("! ws/"), "\(run.output)")
        }

        @Test("The Python client's output goes to standard error and does not affect the run")
        func printing() async throws {
            let run = try await breaks(
                Mistake("Trouble", "meal/polling/completes", "1 case, 0 failed. The run passes."), ["prints"])
            #expect(run.status == 0 && run.errors == "2 eggs and toast is logged\n", "\(run.transcript)")
        }

        @Test("The Python client also works on the system clock without the suite")
        func app() async throws {
            try await RunningServer.serve { server in
                let run = try await Command.peer(
                    "python_client", [server.readyFile.path, try Programs.fitiqMock().path])
                #expect(run.status == 0 && run.errors.isEmpty, "\(run.transcript)")
            }
        }

        @Test("The twenty-line adapter plays its cases and skips the rest")
        func minimal() async throws {
            let cases = ["meal/polling/failure-surfaces", "guide/websocket-architecture/polling"]
            let run = try await testClient(
                (cases + ["goal/create/500-twice"]).flatMap { ["--case", $0] },
                Self.adapters.appendingPathComponent("minimal/adapter.py"))
            #expect(run.status == 0, "\(run.transcript)")
            for address in cases { #expect(run.errors.contains("\(address): passed"), "\(run.errors)") }
            #expect(run.errors.contains("goal/create/500-twice: skipped: The client does not support create_goal"))
            let kept = run.output.split(separator: "\n").first { $0.hasPrefix("Kept wherever faced: ") }
            #expect(kept?.contains("meal/polling-cadence") == true, "\(run.output)")
            let page = try textOfPackage("docs/adapters.md")
            let source = try textOfPackage("Fixtures/adapters/minimal/adapter.py")
            #expect(page.contains("```python\n\(source)```"), "the page shows the file as it is")
        }
    }
}
