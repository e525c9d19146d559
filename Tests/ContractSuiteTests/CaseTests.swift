import FitIQAPI
import Judging
import MockServer
import Scenarios
import Testing

@testable import ContractSuite

@Suite("Contract cases")
struct CaseTests {
    @Test("Case addresses are unique, have three parts and are grouped by topic")
    func addresses() {
        let addresses = ContractCase.all.map(\.address)
        #expect(Set(addresses).count == addresses.count)
        for address in addresses {
            #expect(address.split(separator: "/").count == 3, "\(address)")
            #expect(
                address.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || "/-".contains($0)) }, "\(address)")
        }
        var topics = ContractCase.all.map(\.topic)
        topics = zip([""] + topics, topics).filter { $0 != $1 }.map(\.1)
        #expect(Set(topics).count == topics.count, "the cases of a topic stand together")
    }

    @Test("The cases use every built-in scenario except guide-tests and flaky-503")
    func scenarios() {
        let used = Set(ContractCase.all.compactMap { if case .builtIn(let name) = $0.setting { name } else { nil } })
        // A guide's printed tests run in their own mode, and "flaky-503" is for clients that use only REST.
        #expect(used.union(["guide-tests", "flaky-503"]) == Set(Scenario.builtInNames))
    }

    @Test("Together, the cases exercise exactly the known obligations and internal checks")
    func faces() {
        let faced = Set(ContractCase.all.flatMap(\.faces))
        #expect(faced.isSuperset(of: Judge.obligations.map(\.id)))
        #expect(faced.isSubset(of: ObligationIDs.all), "\(faced.subtracting(ObligationIDs.all))")
        #expect(faced == ObligationIDs.all, "\(ObligationIDs.all.subtracting(faced))")
        #expect(Set(ContractCase.all.flatMap(\.checks)) == Set(InsideCheck.allCases))
    }

    @Test("The suite has a case for every guide mode")
    func modes() { #expect(Set(ContractCase.all.map { $0.guide ?? .union }) == Set(GuideMode.allCases)) }

    @Test("A case exercises only obligations that its mode judges")
    func facesApply() {
        let obligations = Dictionary(uniqueKeysWithValues: Judge.obligations.map { ($0.id, $0) })
        for contractCase in ContractCase.all {
            for id in contractCase.faces {
                #expect(obligations[id]?.applies(in: contractCase.guide ?? .union) ?? true, "\(contractCase) and \(id)")
            }
        }
    }

    @Test("Every case has a valid scenario and lasts at most six hours", arguments: ContractCase.all)
    func settings(_ contractCase: ContractCase) async throws {
        let scenario = try contractCase.setting.scenario()
        let world = try await StageWorld(on: TestStage(), scenario, guide: contractCase.guide, clock: .manual)
        #expect(world.access.mode == contractCase.guide ?? .union)
        #expect(!contractCase.title.hasSuffix(".") && contractCase.clause.sentence.hasSuffix("."))
        let waits = contractCase.steps.reduce(.zero) { sum, step in
            if case .until(_, let limit) = step { sum + limit } else { sum }
        }
        #expect(waits >= .zero && contractCase.leastDuration + waits <= .hours(6))
    }

    @Test(
        "A prefix selects a case only if it matches whole parts of the address",
        arguments: [
            ("", true), ("meal", true), ("meal/", true), ("meal/polling", true), ("meal/polling/", true), ("me", false),
            ("meal/polling/completes", true), ("meal/polling/complete", false), ("meal/polling/completes/", false),
            ("chat", false),
        ])
    func selection(_ prefix: String, _ isSelected: Bool) throws {
        let contractCase = try #require(ContractCase.all.first { $0.address == "meal/polling/completes" })
        #expect(contractCase.isSelected(by: prefix) == isSelected)
    }

    @Test("A run contains each selected case once")
    func selectedRun() throws {
        let stage = try TestStage()
        #expect(SuiteRun(on: stage).cases.count == ContractCase.all.count)
        let some = SuiteRun(on: stage, selecting: ["meal/polling", "goal/chat/twice", "meal"]).cases.map(\.topic)
        #expect(some.count { $0 == "goal" } == 1)
        #expect(some.count { $0 == "meal" } == ContractCase.all.count { $0.topic == "meal" })
        #expect(SuiteRun(on: stage, selecting: ["nothing"]).cases.isEmpty)
    }
}

/// The rows in section 9 of the contract.
enum ObligationIDs {
    static let all: Set<String> = [
        "auth/credentials-on-every-request", "auth/websocket-credentials", "auth/refresh-after-401",
        "auth/refresh-token-once", "auth/no-expired-bearer", "ids/lowercase", "ids/backend-goal-id",
        "ids/gone-not-reused", "request/shape", "consultation/conflict-continues-existing",
        "consultation/limit-stops-creating", "consultation/history-before-connect", "ws/endpoint",
        "ws/single-connection", "ws/meal-socket-single", "ws/waits-for-connected", "ws/refused-handshake",
        "ws/message-shape",
        "ws/no-send-while-streaming", "ws/keepalive", "ws/reconnect-backoff", "ws/reconnect-limit",
        "ws/reconnects", "ws/no-reconnect-after-own-close", "ws/recovers-history", "ws/close-handshake",
        "retry/backoff-on-5xx", "retry/creates-once",
        "goal/reuses-conversation", "goal/links-created-goal", "meal/no-fetch-after-completed",
        "meal/no-poll-while-connected", "meal/polling-cadence",
    ]
}
