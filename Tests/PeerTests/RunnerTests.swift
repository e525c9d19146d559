import Foundation
import TestSupport
import Testing

/// `Tests/runner`, which runs the tests for `scripts/test`, with a stand-in for the test program.
@Suite("The test runner")
struct RunnerTests {
    private static let folder = URL.packageRoot.appending(path: "Tests/runner")

    private func run(_ way: String, _ options: [String] = []) async throws -> Command {
        let files = try ScratchFolder()
        defer { files.remove() }
        let standIn = Self.folder.appending(path: "stand_in.py").path
        return try await Command(
            try Programs.named("python3"),
            [Self.folder.path, "--program", standIn, "--folder", files.url.path, "--filter", way] + options)
    }

    @Test("The runner counts passed tests and says why others were skipped")
    func passes() async throws {
        let run = try await run("passes")
        #expect(run.status == 0, "\(run.transcript)")
        #expect(run.output.contains("test: chosen: 3 of 3 tests, "), "\(run.transcript)")
        #expect(run.output.contains("test: 1 skipped: Not today.\ntest: 2 tests passed in "), "\(run.transcript)")
    }

    @Test("The runner lists failures in full at the end and ignores known issues")
    func fails() async throws {
        let run = try await run("fails")
        #expect(run.status == 1)
        let report = """

            Things: are 7 (SomeTests/Some.swift:7)
                at SomeTests/Some.swift:8
                Expectation failed: a == b
                  a → “…”

            Things: are 7 (SomeTests/Some.swift:7)
                at SomeTests/Some.swift:9
                Expectation failed: c

            test: 2 failed, see above;
            """
        #expect(run.output.contains(report), "\(run.transcript)")
    }

    @Test(
        "The runner reports how tests ended early, which tests were running and the last output",
        arguments: [
            ("crashes", "the tests were ended by SIGTRAP\n", "    Fatal error: index out of range\n"),
            ("leaves", "the tests exited with 0 before their end\n", ""),
            ("nothing", "no test fits --filter nothing\n", ""),
        ])
    func ends(way: String, how: String, last: String) async throws {
        let run = try await run(way)
        #expect(run.status == 1)
        #expect(run.output.contains(how), "\(run.transcript)")
        #expect(last.isEmpty || run.output.contains(last), "\(run.transcript)")
        let running = "    was running: Things: are 7 (SomeTests/Some.swift:7)\n"
        #expect(run.output.contains(running) == (way == "crashes"), "\(run.transcript)")
        #expect(run.output.contains("\ntest: 1 failed, see above;"), "\(run.transcript)")
    }

    @Test("The runner repeats a group once if Foundation crashed in libdispatch")
    func races() async throws {
        let run = try await run("races")
        #expect(run.status == 0, "\(run.transcript)")
        #expect(run.output.contains("test: chosen: Foundation crashed below libdispatch; these tests run once more\n"))
        #expect(run.output.contains("\ntest: 2 tests passed in "), "\(run.transcript)")
    }

    @Test("The runner stops tests that produce no event for too long", .timeLimit(.minutes(1)))
    func hangs() async throws {
        let run = try await run("hangs", ["--silence", "0.5"])
        #expect(run.status == 1)
        #expect(run.output.contains("the tests were ended by SIGKILL\n    was running: Things: are 7 ("))
    }

    #if os(Linux)
        @Test("The runner lists each test's processor time, largest first", .timeLimit(.minutes(1)))
        func profile() async throws {
            let run = try await run("works", ["--profile"])
            let seconds = #/\n +([0-9.]+) s +[0-9.]+ %  Things: are 7 \(/#
            let taken = try #require(run.output.firstMatch(of: seconds), "\(run.transcript)")
            #expect(try 0.2...0.6 ~= #require(Double(taken.1)), "\(run.transcript)")
            #expect(run.output.contains("2 tests took "))
        }
    #endif
}
