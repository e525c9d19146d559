import FitIQAPI
import Judging
import Testing

@testable import ContractSuite

@Suite("The case runner")
struct CaseRunnerTests {
    private static let meals = ContractCase(
        "meal/polling/completes", "A meal is worked out",
        Clause(.webSocketArchitecture, "Option 1", "Poll every 5 seconds."), setting: .builtIn("meal-completes"),
        steps: [
            .logMeal("2 eggs"), .until(.meal("2 eggs", .processing), within: .seconds(1)),
            .until(.all([.meal("2 eggs", .completed, calories: 263), .idle]), within: .seconds(30)), .pass(.hours(2)),
        ])
    private static let failing = ContractCase(
        "meal/polling/fails", "A meal fails",
        Clause(.webSocketArchitecture, "Option 1", "Poll every 5 seconds."), setting: .builtIn("meal-fails"),
        steps: [
            .logMeal("the usual"), .until(.mealError("the usual", containing: "Failed to parse"), within: .seconds(30)),
        ])
    private static let mealWhileConnected = Step.until(
        .all([.connection(.connected), .meal("2 eggs", .completed, calories: 263)]), within: .minutes(1))

    private static func made(_ steps: [Step], faces: [String] = []) -> ContractCase {
        ContractCase("x/y", "Made up", .ours("It is."), faces: faces, steps: steps)
    }

    private func play(
        _ contractCase: ContractCase, _ manner: MealClient.Manner, _ change: (inout CaseRunner) -> Void = { _ in }
    ) async throws -> CaseResult {
        let stage = try TestStage()
        var runner = CaseRunner(on: stage)
        runner.stepLimit = 5_000
        change(&runner)
        return try await runner.run(contractCase) { MealClient(manner, on: stage, $0) }
    }

    @Test("A correct client passes a case that lasts two hours on the contract's clock")
    func passes() async throws {
        let result = try await play(Self.meals, .right)
        #expect(result.isPassed, "\(result)")
        #expect(result.description == "meal/polling/completes was kept.")
        // The poll 5 s after the meal was logged finds it completed; then two hours pass.
        #expect(result.contractTime == .seconds(7205))
        #expect(result.hasConnected && result.skipped == nil && result.brokenChecks.isEmpty)
        #expect(result.verdicts.contains { $0.obligation.id == "ids/lowercase" && $0.outcome == .kept })
    }

    @Test("A client that shows wrong calories fails the case")
    func miscounts() async throws {
        let result = try await play(Self.meals, .miscounts)
        #expect(!result.isPassed && result.brokenChecks.isEmpty)
        #expect(
            result.failures.map(\.message) == [
                #"Expected the meal "2 eggs" to be completed with 263 kcal, but the client showed it as completed "#
                    + "with 270 kcal. (30 s into the case, after waiting for 30 s)"
            ])
        // The following step is invalid, so the two hours do not pass.
        #expect(result.contractTime == .seconds(30))
    }

    @Test("A client that hides errors fails the internal check for failed meals")
    func hidesErrors() async throws {
        #expect(try await play(Self.failing, .right).isPassed)
        let result = try await play(Self.failing, .hidesErrors)
        #expect((result.brokenChecks, result.looked) == ([.failedMeal], [.failedMeal]))
        let broken = result.insideVerdicts.filter { $0.outcome == .broken }
        #expect(broken.map(\.obligation.id) == ["inside/failed-meal-surfaces"])
        #expect(broken.first?.findings.count == 1 && broken.first?.failsRun == true)
    }

    @Test("The runner reports no internal finding if the client broke a must on the wire")
    func followsFromBroken() async throws {
        var result = try await play(Self.failing, .hidesErrors)
        let obligation = try #require(Judge.obligations.first { $0.level == .must })
        result.verdicts = [
            Verdict(
                obligation: obligation, outcome: .broken, exercisedCount: 1,
                findings: [Finding(level: .must, message: "It is broken.", evidence: [])], findingCount: 1)
        ]
        #expect(result.brokenChecks.isEmpty && !result.isPassed)
        let inside = result.insideVerdicts.first { $0.obligation.id == "inside/failed-meal-surfaces" }
        #expect(inside?.outcome == .notExercised && inside?.findings.isEmpty == true)
    }

    @Test("Uppercase ids cause no internal finding, even in a mode that allows uppercase")
    func capitals() async throws {
        let contractCase = try #require(ContractCase.all.first { $0.address == "meal/polling/unknown-status" })
        #expect(try await play(contractCase, .right).isPassed)
        let result = try await play(contractCase, .capitals)
        #expect(result.mode == .webSocketArchitecture && !result.isPassed)
        #expect(result.failures.map(\.check) == [.unknown] && result.brokenChecks.isEmpty)
        let inside = result.insideVerdicts.first { $0.obligation.id == "inside/unknown-is-ignored" }
        #expect(inside?.outcome == .notExercised)
    }

    @Test("A client that never settles fails its case")
    func restless() async throws {
        let result = try await play(Self.meals, .restless)
        #expect(result.failures.map(\.message) == [Messages.neverQuiet(looks: 5_000)])
    }

    @Test("An error that the client throws fails the case but does not stop the runner")
    func breaks() async throws {
        let result = try await play(Self.meals, .breaks)
        #expect(result.failures.map(\.message) == ["The client could no longer be driven: Broken()"])
        // The reason is not visible in the client's traffic.
        #expect(result.advice.isEmpty)
        let stage = try TestStage()
        var runner = CaseRunner(on: stage)
        let unmade = try await runner.run(Self.meals) { _ in throw MealClient.Broken() }
        #expect(unmade.failures.map(\.message) == ["The client could not be created: Broken()"])
        #expect(!unmade.isPassed && !unmade.hasConnected)
        #expect(!unmade.isAboutSwift, "it never said so")
    }

    @Test(
        "A case that needs an instruction the client does not support is skipped and passes, even if it failed before",
        arguments: [ClientExpectation.idle, .goal("Run")])
    func unsupported(before: ClientExpectation) async throws {
        let result = try await play(Self.made([.expect(before), .start(.nutritionist)]), .right)
        #expect(result.skipped == "The client does not support start_consultation, which the case needs.")
        #expect(result.isPassed && result.failures.isEmpty && result.unfaced.isEmpty, "\(result)")
    }

    @Test("For a client without a chat, the runner plays a case's other steps and lists those it omitted")
    func withoutChat() async throws {
        let limit = try #require(ContractCase.all.first { $0.address == "limit/requests/429-waits" })
        let part = try #require(limit.withoutChat)
        let chat: [Step] = [.start(.nutritionist), .untilReady, .disconnect]
        let rest = limit.steps.filter { !chat.contains($0) }
        #expect(part.steps == rest + [.until(.all([.idle]), within: .seconds(30))])
        let contractCase = ContractCase(
            "meal/connected/x", "A meal is processed while a chat is open", .ours("It is."),
            setting: .builtIn("meal-completes"), faces: ["meal/no-poll-while-connected", "meal/polling-cadence"],
            steps: [
                .start(.nutritionist), .untilReady, .logMeal("2 eggs"), .send("Hello?"), .untilAnswered(1),
                Self.mealWhileConnected, .disconnect,
            ])
        let result = try await play(contractCase, .right)
        #expect(result.skipped == nil && result.isPassed, "\(result)")
        #expect(
            result.description
                == "meal/connected/x was kept. The client does not support start_consultation, so the case was played without its chat."
        )
        #expect(result.contractCase.faces == ["meal/polling-cadence"] && result.unfaced.isEmpty)
        let wrong = try await play(contractCase, .miscounts)
        #expect(!wrong.isPassed && wrong.description.contains("played without its chat"), "\(wrong)")
    }

    @Test("A client without WebSockets needs no connection and skips socket cases")
    func overREST() async throws {
        let stage = try TestStage()
        var runner = CaseRunner(on: stage)
        runner.stepLimit = 5_000
        let contractCase = ContractCase(
            "meal/connected/x", "A meal", .ours("It is."), setting: .builtIn("meal-completes"),
            steps: [.logMeal("2 eggs"), Self.mealWhileConnected])
        let bound = try await runner.run(contractCase) { MealClient(.right, on: stage, $0) }
        #expect(!bound.isPassed && bound.description.contains("the connection to be connected"))
        let free = try await runner.run(contractCase) { MealClient(.right, on: stage, $0, usesSockets: false) }
        #expect(free.isPassed && free.skipped == nil, "\(free)")
        let sockets = try #require(ContractCase.all.first { $0.topic == "socket" })
        let skipped = try await runner.run(sockets) { MealClient(.right, on: stage, $0, usesSockets: false) }
        #expect(skipped.skipped == Messages.needsSockets && skipped.isPassed)
        // The next case gets a new client.
        #expect(try await !runner.run(contractCase) { MealClient(.right, on: stage, $0) }.isPassed)
    }

    @Test("Every case that does not test sockets has a REST variant")
    func forms() {
        let none = ContractCase.all.filter { $0.overREST == nil }
        let others = none.filter { !["socket", "interruption"].contains($0.topic) }
        let faults = others.map { (try? $0.setting.scenario())?.faults ?? [] }
        #expect(faults.allSatisfy { !$0.isEmpty }, "\(others.map(\.address))")
        #expect(others.count < 15 && none.count > 10, "\(others.map(\.address))")
        for part in ContractCase.all.compactMap(\.overREST) + ContractCase.all.compactMap(\.withoutChat) {
            #expect(!part.faces.contains { $0.hasPrefix("ws/") } && !part.steps.isEmpty, "\(part)")
        }
    }

    @Test("The runner waits in real time for a client on the system clock but skips cases that take hours")
    func systemClock() async throws {
        let result = try await play(Self.meals, .idle)
        #expect(result.skipped == Messages.takesTooLong(.hours(2), patience: .seconds(30)))
        let short = Self.made([
            .pass(.milliseconds(30)), .until(.goal("Run"), within: .milliseconds(100)), .pass(.seconds(20)),
            .expect(.goal("Walk")),
        ])
        let late = try await play(short, .idle)
        // After the first failed step, the runner neither waits nor checks.
        #expect(late.failures.count == 1 && late.contractTime >= .milliseconds(130))
    }

    @Test("The runner plays a case whose wait equals the limit", arguments: [(20, true), (21, false)])
    func patience(duration: Int, isPlayed: Bool) async throws {
        let result = try await play(Self.made([.pass(.milliseconds(duration))]), .idle) {
            $0.patience = .milliseconds(20)
        }
        #expect((result.skipped == nil) == isPlayed)
    }

    @Test("A pulse runs all events in a world that are due at the time of the pulse")
    func pulses() async throws {
        let stage = try TestStage()
        let world = try await StageWorld(
            on: stage, Setting.builtIn("meal-completes").scenario(), guide: nil, clock: .manual)
        let meal = #"{"raw_input":"2 eggs","meal_type":"lunch"}"#
        #expect(try stage.exchange("POST", "/meal-logs/natural", meal, of: world.surroundings).status == 201)
        let due = try #require(try await world.pulse(at: world.access.now).nextDue)
        #expect(due > world.access.now)
        #expect(try await world.pulse(at: due).nextDue != due, "it is due no more")
    }

    @Test("A wait ends early for an idle client but not for a busy client")
    func idle() async throws {
        let wait = Self.made([.until(.goal("Run"), within: .hours(1))])
        let idle = try await play(wait, .idle) { $0.grace = .milliseconds(30) }
        #expect(idle.failures.count == 1 && idle.contractTime >= .milliseconds(30))
        let message = try #require(idle.failures.first?.message)
        #expect(message.hasPrefix("Expected the goal \"Run\", but the client showed no goals. ("), "\(message)")
        #expect(message.contains(" into the case; both sides have been idle for "), "\(message)")
        #expect(idle.advice == Messages.sentNothing && idle.systemTime >= .milliseconds(30))
        let short = Self.made([.until(.goal("Run"), within: .milliseconds(100))])
        let busy = try await play(short, .busy) { $0.grace = .milliseconds(30) }
        #expect(busy.failures.first?.message.hasSuffix(", after waiting for 0.1 s)") == true, "\(busy)")
    }

    @Test("Each world runs on its client's clock even if the clock changes between cases")
    func clocks() async throws {
        let stage = try TestStage()
        var runner = CaseRunner(on: stage)
        for manner in [MealClient.Manner.right, .idle, .idle, .right] {
            var made = 0
            let result = try await runner.run(Self.made([.expect(.idle)])) {
                made += 1
                return MealClient(manner, on: stage, $0)
            }
            #expect(result.isPassed && made <= 2)
        }
        #expect(stage.engine.inspectedWorlds.isEmpty, "every world is deleted")
    }

    @Test("The runner checks a watched expectation until the case ends and reports its failure once")
    func watches() async throws {
        var steps = Self.meals.steps
        steps.insert(.watch(.meal("2 eggs", .processing)), at: 1)
        let watched = ContractCase(
            "meal/watched", "Watched", .ours("It is."), setting: .builtIn("meal-completes"), steps: steps)
        let result = try await play(watched, .right)
        #expect(result.failures.count == 1)
        #expect(result.failures.first?.message.hasSuffix("with 263 kcal. (5 s into the case)") == true, "\(result)")
    }

    @Test(
        "In strict mode, a case fails if the client exercises only some of its obligations", arguments: [false, true])
    func strict(_ isStrict: Bool) async throws {
        let result = try await play(Self.made([.loadGoals], faces: ["ids/lowercase"]), .right) {
            #expect(!$0.isStrict)
            $0.isStrict = isStrict
        }
        #expect((result.unfaced, result.isPassed) == (["ids/lowercase"], !isStrict))
        #expect(result.failures.map(\.message) == (isStrict ? ["The client never exercised ids/lowercase."] : []))
    }

    @Test("An obligation without a verdict counts as not exercised unless the runner skipped the case")
    func unjudged() {
        var result = CaseResult(Self.made([], faces: ["ids/lowercase"]), mode: .union)
        #expect(result.unfaced == ["ids/lowercase"])
        result.skipped = "It takes too long."
        #expect(result.unfaced.isEmpty)
    }
}
