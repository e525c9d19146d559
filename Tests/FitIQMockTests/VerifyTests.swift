import ContractSuite
import FitIQAPI
import Foundation
import JSON
import Judging
import Sockets
import TestSupport
import Testing
import Traffic

@testable import fitiq_mock

@Suite("Judging clients on the command line")
struct VerifyTests {
    @Test("Everything after -- belongs to the command")
    func options() throws {
        let verify = try Verify.parse([
            "--scenario", "conflict", "--scenario", "a.yaml", "--time-limit", "90s", "--seed", "7", "--", "run",
            "--all", "--",
        ])
        #expect(verify.scenarios == ["conflict", "a.yaml"] && verify.timeLimit.seconds == 90 && verify.seed == 7)
        #expect(verify.command == ["run", "--all", "--"] && !verify.all)
        #expect(try Verify.parse(["--", "x"]).timeLimit.seconds == 60)
        let test = try TestClient.parse(["--case", "a", "--case", "b/c", "--trace", "--", "./adapter", "-v"])
        #expect(test.cases == ["a", "b/c"] && test.trace && test.command == ["./adapter", "-v"])
        #expect(test.skipped.isEmpty && !test.failFast && test.timeLimit == nil && test.reports.annotations == nil)
        let short = try TestClient.parse([
            "--skip", "a", "--skip", "b", "--fail-fast", "--time-limit", "5m", "--annotations", "github", "--", "x",
        ])
        #expect(short.skipped == ["a", "b"] && short.failFast && short.timeLimit?.seconds == 300)
        #expect(short.reports.annotations == .github)
        #expect(try Verify.parse(["--jobs", "4", "--", "x"]).jobs == 4 && verify.jobs == 1)
        #expect(throws: (any Error).self) { try Verify.parse(["--annotations", "gitlab", "--", "x"]) }
    }

    @Test("Each scenario runs once in the given order")
    func plan() throws {
        func names(_ given: [String], all: Bool = false) throws -> [String] {
            try VerifyPlan(names: given, all: all, guide: nil, seed: nil).names
        }
        #expect(try names([]) == ["default"])
        #expect(try names(["flaky-500", "conflict", "flaky-500"]) == ["flaky-500", "conflict"])
        let all = try names(["conflict"], all: true)
        #expect(all.first == "default" && all.count > 20 && all.count { $0 == "conflict" } == 1)
        let plan = try VerifyPlan(names: ["default"], all: false, guide: "goal-linking", seed: 9)
        #expect(plan.scenarios[0].guide == .goalLinking && plan.scenarios[0].seed == 9)
        let request = try #require(try plan.requests().first)
        #expect(request["judged"] == true && request["scenario"] == "default" && request["seed"] == "9")
    }

    @Test("Frames and requests are counted separately")
    func traffic() {
        var traffic = fitiq_mock.Traffic()
        let frame = JournalEvent.frame(RecordedFrame(sender: .client, opcode: .text, payload: Array("x".utf8)))
        for (number, event) in [(3, frame), (4, frame), (5, .note("x"))] {
            let time = Timestamp(secondsSinceEpoch: 1_738_146_600)
            traffic.count(JournalEntry(number: number, time: time, connection: 1, event: event))
        }
        #expect(traffic == fitiq_mock.Traffic(lastNumber: 5, requests: 0, frames: 2))
    }

    @Test("A plan covers the obligations of its scenarios and all obligations that need no scenario")
    func faced() throws {
        func faced(_ names: [String], all: Bool = false) throws -> Set<String> {
            try VerifyPlan(names: names, all: all, guide: nil, seed: nil).faced
        }
        #expect(try faced([], all: true) == Set(Judge.obligations.map(\.id)))
        let usual = try faced([])
        #expect(usual.contains("ids/lowercase") && !usual.contains("consultation/conflict-continues-existing"))
        #expect(try faced(["conflict"]).contains("consultation/conflict-continues-existing"))
    }

    @Test("--case selects cases, and --skip excludes cases")
    func skipped() throws {
        let all = try CaseSelection.cases(prefixes: [], guide: nil).map(\.address)
        let left = try CaseSelection.cases(prefixes: [], skipping: ["chat", all[0]], guide: nil).map(\.address)
        #expect(left == all.dropFirst().filter { !$0.hasPrefix("chat/") } && left.count < all.count - 1)
        #expect(throws: Failure.self) { try CaseSelection.cases(prefixes: [], skipping: ["nothing"], guide: nil) }
        let error = #expect(throws: Failure.self) {
            try CaseSelection.cases(prefixes: ["chat"], skipping: ["chat"], guide: nil)
        }
        #expect(error?.message == Messages.allSkipped)
    }

    @Test("Scenarios with the same name are distinguished by their files")
    func sameNames() {
        let scenarios: [(String, ScenarioSource)] = [
            ("a", .file("x/a.yaml")), ("b", .file("b.yaml")), ("a", .file("y/a.yaml")), ("c", .builtIn("c")),
            ("c", .file("c.yaml")),
        ]
        #expect(VerifyPlan.told(scenarios) == ["a (x/a.yaml)", "b", "a (y/a.yaml)", "c", "c (c.yaml)"])
    }

    @Test("One known-broken list serves every command, and verify refuses a misspelt scenario")
    func knownBroken() async throws {
        try await withFolder { folder in
            let lines = ["limit-reached command", "against/default", "explore/command", "conform/listGoals"]
            let cases = ContractCase.all.prefix(1).map(\.address)
            let path = folder["known"].path
            try Data((lines + cases).joined(separator: "\n").utf8).write(to: folder["known"])
            for checks in [VerifyRun.checks, Symptom.ids, Conformance.addresses, []] {
                #expect(try ReportOptions.knownBroken(in: path, checks: checks).lines.count == lines.count + 1)
            }
            try Data("limit-reachd command".utf8).write(to: folder["known"])
            let failure = #expect(throws: Failure.self) {
                try Verify.parse(["--known-broken", path, "--quiet", "--", "true"]).run()
            }
            #expect(failure?.exitCode == 2 && failure?.message.contains("Did you mean 'limit-reached'?") == true)
        }
    }

    @Test(
        "The command's outcome distinguishes an exit, a signal and a timeout",
        arguments: [
            (.exited(0), false, .exited(0)), (.exited(3), false, .exited(3)), (.signalled(9), false, .signalled(9)),
            (.signalled(15), true, .timedOut(2_000_000_000)), (.exited(0), true, .timedOut(2_000_000_000)),
        ] as [(ChildProcess.Outcome, Bool, Report.CommandOutcome)])
    func outcomes(ending: ChildProcess.Outcome, isTimeUp: Bool, outcome: Report.CommandOutcome) {
        #expect(Report.CommandOutcome(ending, isTimeUp: isTimeUp, limit: .seconds(2)) == outcome)
    }

    @Test("External names and lines cannot control the terminal")
    func hostileText() {
        let text = "a \u{1B}[31mb\nc"
        func line(isTerminal: Bool) -> String {
            JobProgress(noun: "case", count: 1, isTerminal: isTerminal).line(0, text, "runs", isPassing: true)
        }
        #expect(line(isTerminal: false) == "fitiq-mock: case 1 of 1, a \u{FFFD}[31mb c: runs\n")
        #expect(line(isTerminal: true) == "\r\u{1B}[Kfitiq-mock: case 1 of 1, a \u{FFFD}[31mb c: runs")
        #expect(TestClient.told(.received, Array(text.utf8)[...]) == "< a \u{FFFD}[31mb c\n")
    }

    @Test("A line that is redrawn fits the terminal and shortens the name first")
    func narrowLine() {
        let progress = JobProgress(noun: "case", count: 12, isTerminal: true)
        func line(_ name: String, isPassing: Bool = true, columns: Int) -> String {
            String(progress.line(3, name, "7 s, 2 requests", isPassing: isPassing, columns: columns).dropFirst(4))
        }
        let (start, end) = ("fitiq-mock: case 4 of 12, ", ": 7 s, 2 requests")
        for (name, columns, shown) in [
            ("abcdefgh", 52, "abcdefgh" + end), ("abcdefgh", 51, "abcdef…" + end),
            (String(repeating: "a", count: 400), 50, "aaaaa…" + end), ("界界界界", 51, "界界界…" + end),
            ("abcdefgh", 30, "…:…"),
        ] { #expect(line(name, columns: columns) == start + shown) }
        #expect(line("abcdefgh", isPassing: false, columns: 30) == start + "abcdefgh" + end + "\n")
    }

    @Test("Jobs run once and in order until a job ends the run")
    func jobs() throws {
        let wait = try MainWait(signals: [])
        let all = Jobs<Int>(count: 100, wait.mailbox)
        try all.start(4) { while let job = all.take() { #expect(all.finish(job, 2 * job)) } }
        let done = try all.finished(wait) {}
        #expect(done.outputs == (0..<100).map { 2 * $0 } && done.reason == nil && done.signal == nil)

        let ended = Jobs<Int>(count: 3, wait.mailbox)
        try ended.start(1) {
            while let job = ended.take() {
                #expect(ended.finish(job, job))
                if job == 1 { ended.end(.success("enough")) }
            }
        }
        let rest = try ended.finished(wait) {}
        #expect(rest.outputs == [0, 1] && rest.reason == "enough" && ended.isOver)

        let failed = Jobs<Int>(count: 3, wait.mailbox)
        try failed.start(1) { while failed.take() != nil { failed.end(.failure(.configuration("no"))) } }
        #expect(throws: Failure.self) { try failed.finished(wait) {} }

        // The job is waiting to be told to end, which happens at the deadline.
        let (taken, stop) = (try Gate(), try Gate())
        let late = Jobs<Int>(count: 2, wait.mailbox)
        try late.start(1) {
            while let job = late.take() {
                taken.open()
                stop.wait()
                #expect(!late.finish(job, job))
            }
        }
        taken.wait()
        let cut = try late.finished(wait, limit: .zero) { stop.open() }
        #expect(cut.outputs.isEmpty && cut.reason == Messages.timeIsUp(.zero))
    }

    @Test("The verify command's messages match the expected text")
    func messages() {
        #expect(
            Messages.noCommand("verify", example: Messages.verifyExample)
                == "verify needs a command after '--': fitiq-mock verify --scenario conflict -- ./run-my-tests. See 'fitiq-mock verify --help'."
        )
        #expect(Messages.badTimeLimit == "--time-limit must be from 1s to 1d.")
        #expect(Messages.noServer("it is gone.") == "the internal server failed: it is gone.")
        #expect(Messages.noWorld("No room.") == "the internal server could not create a world for a scenario: No room.")
        #expect(
            Messages.worldIsGone("x")
                == "the command deleted the world for the scenario 'x' through the admin API, so the client cannot be "
                + "judged."
        )
        #expect(Messages.badJobs == "--jobs must be from 1 to 16.")
        #expect(
            Messages.incomplete(Messages.timeIsUp(.seconds(90)), played: 1, of: 70, "case")
                == "The time limit of 90 s was reached: 1 of 70 cases is in this report.")
        #expect(
            Messages.incomplete(Messages.interruptedRun, played: 2, of: 3, "scenario")
                == "Interrupted: 2 of 3 scenarios are in this report.")
        #expect(
            Messages.clockStands("/__admin/clock")
                == #"the server's clock is stopped, so nothing arrives until you move it: POST /__admin/clock {"advance": "10s"}"#
        )
        #expect(Messages.mealCompleted("2 eggs", calories: 143) == "2 eggs: 143 kcal")
        #expect(Messages.unknownChatCommand("/x") == "there is no command '/x'. See /help.")
        #expect(Messages.interrupted == "interrupted; the command was stopped, and nothing was judged.")
        #expect(
            Messages.processesLeft
                == "some processes that the command started could not be stopped and may still be running; find "
                + "them with ps and kill them.")
        for (outcome, how) in [
            (.exited(1), " exited with 1"), (.signalled(9), " was terminated by signal 9"),
            (.timedOut(1), " reached its time limit"),
        ] as [(Report.CommandOutcome, String)] {
            #expect(Messages.commandEnded(outcome, tenths: 125) == "the command\(how) after 12.5 s")
        }
        #expect(fitiq_mock.Traffic(requests: 1, frames: 40).inWords == "1 request, 40 frames")
        #expect(
            Messages.unknownCase("x", nearest: nil)
                == "there is no case 'x', and no case below it. --list shows the cases.")
        #expect(Messages.unknownCase("x", nearest: "y").contains(" Did you mean 'y'? "))
        #expect(
            Messages.noCaseOfGuide("g")
                == "none of these cases uses the guide 'g'. See 'fitiq-mock test-client --list'.")
    }

    @Test("verify rejects a server's verdicts unless it knows all of them")
    func foreignVerdicts() {
        func judgement(_ id: String, _ outcome: String = "broken", guide: String = "union") -> JSONValue {
            [
                "scenario": "conflict", "guide": .string(guide), "world_count": 2, "has_connected": true,
                "verdicts": [["id": .string(id), "verdict": .string(outcome), "exercised": 1, "finding_count": 1]],
            ]
        }
        let made = RemoteRun.made(judgement("ids/lowercase"), in: "default")
        #expect(made?.worldCount == 2 && made?.run.scenario == "default > conflict")
        #expect(made?.run.verdicts.map(\.obligation.id) == ["ids/lowercase"])
        for strange in [
            judgement("ids/of-another-version"), judgement("ids/lowercase", "bent"),
            judgement("ids/lowercase", guide: "newer-guide"), ["guide": "union"],
        ] { #expect(RemoteRun.made(strange, in: "default")?.run.scenario == nil) }
        #expect(
            Messages.judgesOtherwise("a:1")
                == "a:1 returns verdicts that this fitiq-mock does not support: use the same version on both sides.")
    }
}
