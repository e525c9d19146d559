import Foundation
import Judging
import Sockets
import TestSupport
import Testing

@testable import ContractSuite
@testable import fitiq_mock

@Suite("test-client with an adapter")
struct TestClientRunTests {
    /// Plays the first cases with a shell script, whose `$0` is its own folder.
    ///
    /// The run uses a separate thread, because it blocks, and the cases need the pool's threads.
    ///
    /// - Returns: The number of cases with a result, and why other cases have no result.
    private static func play(
        _ script: String, cases count: Int, failsFast: Bool = false
    ) async throws -> (count: Int, reason: String?) {
        try await offPool {
            let done = try run(script, cases: count, failsFast: failsFast)
            return (count: done.outputs.count, reason: done.reason)
        }
    }

    private static func run(_ script: String, cases count: Int, failsFast: Bool) throws -> Jobs<CaseResult>.Done {
        try ScratchFolder.lend { folder in
            let server = try Harness.startServer()
            defer { server.stop() }
            let run = TestClientRun(
                adapter: ProcessAdapter(["sh", "-c", script, folder]), server: server,
                cases: Array(ContractCase.all.prefix(count)), isStrict: false, failsFast: failsFast, knownBroken: .none,
                progress: nil)
            let wait = try MainWait(signals: [])
            let jobs = Jobs<CaseResult>(count: count, wait.mailbox)
            try jobs.start(1) { run.play(jobs) }
            return try jobs.finished(wait) {}
        }
    }

    /// An adapter that starts one case, and dies before each of the others starts.
    private static let mortal = #"""
        cd "$0"; echo >> begun; [ $(wc -l < begun) = 1 ] || exit 4
        read -r line; echo '{"ok":true,"clock":"suite"}'
        read -r line; echo '{"unsupported":true}'
        read -r line; echo '{"ok":true}'
        """#

    @Test("An adapter that dies twice in a row before its first answer ends the run")
    func deaths() async throws {
        let more = try await Self.play(Self.mortal, cases: 4)
        #expect(more.count == 3 && more.reason == fitiq_mock.Messages.adapterDies)
        let all = try await Self.play(Self.mortal, cases: 3)
        #expect(all.count == 3 && all.reason == nil)
    }

    @Test("An adapter that exits immediately makes the command exit with code 2")
    func neverAlive() async {
        let failure = await #expect(throws: Failure.self) { try await Self.play("exit 3", cases: 2) }
        #expect(failure?.exitCode == 2)
    }

    @Test("--fail-fast stops at the first failing case")
    func failFast() async throws {
        let skipped = try await Self.play(EndedCommand.idleAdapter, cases: 2, failsFast: true)
        #expect(skipped.count == 2 && skipped.reason == nil)
        // The adapter runs until it gets work.
        let script = #"read -r line; echo '{"ok":true,"clock":"suite"}'; read -r line; exit 5"#
        let failed = try await Self.play(script, cases: 2, failsFast: true)
        #expect(failed.count == 1 && failed.reason == fitiq_mock.Messages.failedFast)
    }

    @Test("An incomplete report lists the slowest cases")
    func slowest() {
        let results = zip(ContractCase.all, [Duration.seconds(2), .milliseconds(99), .milliseconds(2050)]).map {
            contractCase, time in
            var result = CaseResult(contractCase, mode: .union)
            result.systemTime = time
            return result
        }
        let names = results.map(\.contractCase.address)
        #expect(
            fitiq_mock.Messages.incomplete("Why", results, of: 9)
                == "Why: 3 of 9 cases are in this report. The slowest: \(names[0]) (2.0 s), \(names[2]) (2.0 s).")
        #expect(fitiq_mock.Messages.incomplete("Why", [], of: 9) == "Why: 0 of 9 cases are in this report.")
    }
}
