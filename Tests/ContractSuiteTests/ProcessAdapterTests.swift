import FitIQAPI
import Foundation
import TestSupport
import Testing

@testable import ContractSuite

/// The adapters here are shell scripts, because those run on every machine.
@Suite("Adapters as processes", .timeLimit(.minutes(15)))
struct ProcessAdapterTests {
    private func adapter(_ script: String, _ change: (inout AdapterLimits) -> Void = { _ in }) -> ProcessAdapter {
        var limits = AdapterLimits()
        change(&limits)
        return ProcessAdapter(["sh", "-c", script], limits: limits)
    }

    /// The failure at a case's first command, if any.
    private func failure(of script: String, _ change: (inout AdapterLimits) -> Void = { _ in }) async -> String {
        let adapter = adapter(script, change)
        defer { adapter.kill() }
        let error = await #expect(throws: AdapterError.self) {
            _ = try await adapter.begin(ProcessLineTests.surroundings)
        }
        await adapter.stop()
        return error?.description ?? "nothing"
    }

    @Test("The session printed on the protocol page works")
    func page() async throws {
        let session = try Page.session()
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let file = folder["session"]
        try Data(session.map { $0 + "\n" }.joined().utf8).write(to: file)
        // This adapter answers as the page shows, as long as the commands match the page.
        let script = """
            while IFS= read -r asked && IFS= read -r wanted <&3 && IFS= read -r answer <&3; do
                [ "> $asked" = "$wanted" ] || { echo "asked: $asked" >&2; exit 1; }
                printf '%s\\n' "${answer#< }"
            done 3<'\(file.path)'
            """
        let adapter = adapter(script)
        let client = try await adapter.begin(ProcessLineTests.surroundings, case: "chat/stream/answer")
        let start = ProcessLineTests.surroundings.now
        func after(_ nanoseconds: Int64) -> Timestamp { start.advanced(byNanoseconds: nanoseconds) }
        #expect(client.clock == .suite)
        try await client.perform(.startConsultation(persona: .nutritionist))
        #expect(try await client.settle(at: start) == after(25_000_000_000))
        let question = #"Is oatmeal "good" for me?"#
        try await client.perform(.send(text: question))
        #expect(try await client.settle(at: after(1_500_000_000)) == after(26_500_000_000))
        var report = ClientReport()
        report.consultation = "c1"
        report.connection = .connected
        report.isBusy = true
        report.transcript = [
            .init(role: .user, text: question), .init(role: .assistant, text: "Oats are", isComplete: false),
        ]
        #expect(try await client.report() == report)
        try await client.perform(.logMeal(text: "2 eggs and toast", type: .breakfast))
        let goal = ClientInstruction.createGoal(title: "Run 5 km", description: "By summer")
        await #expect(throws: UnsupportedInstruction(goal)) { try await client.perform(goal) }
        let error = await #expect(throws: AdapterError.self) { try await client.perform(.chatAboutGoal(id: "g1")) }
        #expect(error?.reason == .refused("The screen of goals is not there."))
        #expect(try await client.settle(at: after(5_000_000_001)) == nil)
        report.connection = .failed
        report.isBusy = false
        report.transcript.removeLast()
        report.problems = [
            .init(kind: .unavailable, message: "The chat is gone."),
            .init(kind: .meal, message: "Could not understand the meal."),
        ]
        report.goals = [.init(id: "g1", title: "Sleep more")]
        report.meals = [
            .init(
                id: "m1", text: "2 eggs and toast", status: .completed, calories: 305, protein: 20.5,
                items: ["Egg", "Toast"]),
            .init(text: "asdf", status: .failed, error: "Could not understand the meal."),
        ]
        report.templates = [.init(type: "meal", name: "Dinner")]
        report.quickActions = ["What can I eat?"]
        #expect(try await client.report() == report)
        for instruction in [
            ClientInstruction.archive, .disconnect, .loadGoals, .loadQuickActions, .listenToMeals,
            .openConsultation(id: "c2"),
            .signIn(email: "ada@example.com", password: "correct horse"),
        ] { try await client.perform(instruction) }
        await client.end()
        await adapter.stop()
        // The page must contain every command.
        let named = Set(session.compactMap { $0.split(separator: "\"").dropFirst(3).first.map(String.init) })
        #expect(named.isSuperset(of: Page.commands))
    }

    @Test("The protocol page documents every word that the reader accepts")
    func words() throws {
        let page = try Page.text()
        let words =
            Persona.allCases.map(\.rawValue) + MealType.allCases.map(\.rawValue)
            + MealLogStatus.allCases.map(\.rawValue) + MessageRole.allCases.map(\.rawValue)
            + ClientReport.Connection.allCases.map(\.rawValue) + ClientReport.Problem.Kind.allCases.map(\.rawValue)
            + ClientReport.adapterMembers + [
                "id", "title", "conversation", "text", "calories", "protein", "items", "error", "kind", "type", "name",
            ]
        for word in words { #expect(page.contains("`\(word)`"), "\(word)") }
        #expect(page.contains("| 1 MiB |") && AdapterLimits.lineBytes == 1 << 20)
        #expect(page.contains("within 10 s") && AdapterLimits().answerTime == .seconds(10))
        #expect(page.contains("within 2 s") && AdapterLimits().endTime == .seconds(2))
    }

    @Test("The error for a misbehaving adapter says what the adapter did")
    func misbehaving() async throws {
        #expect(
            await failure(of: "exit 3").contains("exited with status 3 instead of answering {\"command\":\"begin\""))
        #expect(await failure(of: "kill -9 $$").contains("was terminated by signal 9 instead of answering"))
        #expect(await failure(of: "exec >&-; cat >/dev/null").contains("closed its standard output"))
        let hanging = await failure(of: "cat >/dev/null") { $0.answerTime = .milliseconds(50) }
        #expect(hanging.hasPrefix(#"The adapter did not answer {"command":"begin""#), "\(hanging)")
        #expect(hanging.contains("in time. It must answer immediately, and flush its output"), "\(hanging)")
        // The adapter's child keeps the streams open, but nothing waits for the child.
        #expect(await failure(of: "sleep 300 & exit 4").contains("exited with status 4 instead of answering"))
        #expect(await failure(of: "read line; yes aaaaaaaaaaaaaaaaaaaa | tr -d '\\n'").contains("is longer than 1 MiB"))
        #expect(await failure(of: "read line; echo hello; cat").contains("it is not valid JSON at column 1"))
        #expect(await failure(of: "read line; echo '{\"ok\":true}'; cat").contains("'clock' is missing"))
        let words = await failure(of: "printf 'one\\ntwo\\nthree\\n\\033[2Jfour\\n' >&2; exit 3")
        #expect(words.hasSuffix("Its last lines on standard error: two / three / \u{FFFD}[2Jfour"), "\(words)")
        let many = await failure(of: "yes a | tr -d '\\n' | head -c 5000 >&2; exit 3")
        #expect(many.hasSuffix("standard error: " + String(repeating: "a", count: 400) + "…"), "\(many)")
        #expect(await failure(of: "exit 3").hasSuffix("The adapter wrote nothing to standard error."))
        let gone = ProcessAdapter(["./fitiq-no-such-adapter"])
        let error = await #expect(throws: AdapterError.self) { _ = try await gone.begin(ProcessLineTests.surroundings) }
        #expect(
            error?.description.hasPrefix("The adapter is not running: cannot start './fitiq-no-such-adapter'") == true)
    }

    @Test("An extra line is reported at the next command")
    func talkative() async throws {
        let adapter = adapter(#"while read line; do printf '{"ok":true,"clock":"system"}\nhello\n'; done"#)
        let client = try await adapter.begin(ProcessLineTests.surroundings)
        let error = await #expect(throws: AdapterError.self) { _ = try await client.report() }
        #expect(error?.reason == .unasked)
        await adapter.stop()
    }

    @Test("A client on the system's clock does not settle")
    func systemClock() async throws {
        let adapter = adapter(#"read line; echo '{"ok":true,"clock":"system"}'; read line; echo '{"ok":true}'"#)
        let client = try await adapter.begin(ProcessLineTests.surroundings)
        #expect(client.clock == .system)
        #expect(try await client.settle(at: ProcessLineTests.surroundings.now) == nil)
        try await client.perform(.archive)
        await adapter.stop()
    }

    @Test("One adapter process serves all cases until it dies during a case")
    func restart() async throws {
        let script = #"""
            while read line; do
                case $line in
                *begin*) echo '{"ok":true,"clock":"system"}' ;;
                *archive*) exit 1 ;;
                *) echo "{\"ok\":false,\"error\":\"$$\"}" ;;
                esac
            done
            """#
        let adapter = adapter(script)
        func process(_ client: ProcessClient) async -> AdapterError.Reason? {
            await #expect(throws: AdapterError.self) { try await client.perform(.disconnect) }?.reason
        }
        let first = try await adapter.begin(ProcessLineTests.surroundings)
        let number = await process(first)
        let second = try await adapter.begin(ProcessLineTests.surroundings)
        #expect(await process(second) == number)
        var error = await #expect(throws: AdapterError.self) { try await second.perform(.archive) }
        #expect(error?.reason == .ended("exited with status 1"))
        error = await #expect(throws: AdapterError.self) { try await second.perform(.disconnect) }
        #expect(error?.reason == .notRunning)
        let third = try await adapter.begin(ProcessLineTests.surroundings)
        let other = await process(third)
        #expect(other != number && other != .notRunning)
        await adapter.stop()
    }

    @Test("An adapter that ends before its first answer is not restarted")
    func startedOnce() async throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let told = await failure(of: "echo started >> '\(folder["log"].path)'; exit 3")
        #expect(told.contains("exited with status 3"), "\(told)")
        #expect(try folder.read("log") == "started\n")
    }

    @Test("An adapter may exit after each case")
    func leaving() async throws {
        let script = #"read line; echo '{"ok":true,"clock":"system"}'; read line; echo '{"ok":true}'"#
        let adapter = adapter(script)
        for _ in 0..<5 {
            let client = try await adapter.begin(ProcessLineTests.surroundings)
            await client.end()
        }
        await adapter.stop()
    }

    @Test("A killed adapter does not block the run")
    func killed() async throws {
        let adapter = adapter(#"read line; echo '{"ok":true,"clock":"system"}'; cat > /dev/null"#)
        let client = try await adapter.begin(ProcessLineTests.surroundings)
        async let report: ClientReport = client.report()
        adapter.kill()
        do {
            _ = try await report
            Issue.record("Nobody was there to report.")
        } catch {
            #expect(
                [.ended("was terminated by signal 9"), .notRunning].contains((error as? AdapterError)?.reason),
                "\(error)")
        }
        await adapter.stop()
    }
}

private enum Page {
    static let commands: Set<String> = [
        "begin", "sign_in", "start_consultation", "open_consultation", "send", "archive", "disconnect", "create_goal",
        "chat_about_goal", "log_meal", "load_goals", "load_quick_actions", "listen_to_meals", "report", "settle", "end",
    ]

    static func text() throws -> String { try textOfPackage("Fixtures/adapters/README.md") }

    static func session() throws -> [String] {
        try text().split(separator: "\n").map(String.init).filter { $0.hasPrefix("> {") || $0.hasPrefix("< {") }
    }
}
