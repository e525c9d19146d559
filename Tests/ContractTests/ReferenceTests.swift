import FitIQAPI
import FitIQClient
import Judging
import Mutants
import Scenarios
import Testing

@testable import ContractSuite

@Suite("The reference client keeps the contract")
struct ReferenceTests {
    /// A case with scripted answers, and the client's chat protocol.
    struct Performance: Sendable, CustomTestStringConvertible {
        let contractCase: ContractCase
        let style: ClientConfiguration.ChatStyle
        var testDescription: String {
            "\(contractCase.address), \(contractCase.guide?.rawValue ?? "union"), \(style.rawValue)"
        }
    }

    static let performances = ClientConfiguration.ChatStyle.allCases.flatMap { style in
        ContractCase.all.map { Performance(contractCase: $0, style: style) }
    }

    @Test("The reference client keeps the contract in every case and both chat protocols", arguments: performances)
    func suite(_ performance: Performance) async throws {
        let contractCase = performance.contractCase
        let result = try await Playing.result(of: contractCase) { $0.chat = performance.style }
        #expect(result.isPassed && result.broken.isEmpty, "\(result)")
        // Only the other protocol sends the coach's suggestions.
        let untold = performance.style == .message ? ["goal/links-created-goal"] : []
        #expect(result.unfaced.allSatisfy(untold.contains) && result.skipped == nil && result.missedCount == 0)
        #expect(result.looked == contractCase.checks)
    }

    static let guidePerformances = GuideMode.allCases.filter { $0 != .union }.flatMap { mode in
        ContractCase.all.compactMap { $0.played(as: mode) }.map { Performance(contractCase: $0, style: .message) }
    }

    @Test(
        "The reference client keeps the contract in every case of every guide's mode",
        arguments: guidePerformances)
    func modes(_ performance: Performance) async throws {
        let result = try await Playing.result(of: performance.contractCase)
        #expect(result.isPassed && result.broken.isEmpty, "\(result)")
        #expect(result.unfaced.isEmpty && result.skipped == nil)
    }

    @Test(
        "The reference client keeps the contract in every scenario",
        arguments: Scenario.builtInNames,
        ClientConfiguration.ChatStyle.allCases)
    func scenarios(_ name: String, _ style: ClientConfiguration.ChatStyle) async throws {
        let result = try await Playing.result(of: .everything(in: name)) { $0.chat = style }
        #expect(result.broken.isEmpty && result.failures.isEmpty, "\(result)")
        #expect(result.hasConnected && result.missedCount == 0)
        #expect(result.verdicts.contains { $0.outcome == .kept && $0.obligation.id == "ids/lowercase" })
    }
}

extension ContractCase {
    /// The case in a different mode; nil if the guide lacks an endpoint or does not cover the case's subject.
    func played(as mode: GuideMode) -> ContractCase? {
        guard guide == nil, steps.allSatisfy({ $0.isServed(in: mode) }) else { return nil }
        let faces = faces.filter { id in
            Judge.obligations.first { $0.id == id }?.applies(in: mode) ?? false
        }
        guard !faces.isEmpty || self.faces.isEmpty else { return nil }
        return ContractCase(address, title, clause, setting: setting, guide: mode, faces: faces, steps: steps)
    }

    /// A case in which the user chats, adds a goal and a meal, leaves and returns; the waits cover the whole scenario.
    static func everything(in scenario: String) -> ContractCase {
        story(
            .builtIn(scenario),
            [
                .loadGoals, .start(.nutritionist), .until(.idle, within: .minutes(15)),
                .send("How much protein do I need each day?"), .until(.idle, within: .minutes(15)),
                .createGoal("Walk more"), .until(.idle, within: .minutes(15)),
                .logMeal("2 eggs and toast"), .until(.idle, within: .minutes(15)), .pass(.minutes(3)),
                .send("And for breakfast?"), .until(.idle, within: .minutes(15)), .disconnect,
                .until(.idle, within: .minutes(5)), .pass(.seconds(10)), .logMeal("1 apple", .snack),
                .until(.idle, within: .minutes(15)), .start(.nutritionist), .until(.idle, within: .minutes(15)),
                .send("What did I eat?"), .until(.idle, within: .minutes(15)), .archive,
                .until(.idle, within: .minutes(15)), .disconnect, .until(.idle, within: .minutes(5)),
            ])
    }
}

extension Step {
    /// Whether a guide has everything that the step needs.
    fileprivate func isServed(in mode: GuideMode) -> Bool {
        let endpoints: [Endpoint] =
            switch self {
            case .perform(.signIn): [.logIn]
            case .perform(.startConsultation): [.createConsultation, .listMessages, .webSocket]
            case .perform(.openConsultation): [.listMessages, .webSocket]
            case .perform(.send): [.webSocket, .listMessages]
            case .perform(.archive): [.archiveConsultation]
            case .perform(.createGoal): [.createGoal, .listGoals]
            case .perform(.chatAboutGoal), .chatAboutGoal: [.chatAboutGoal, .listGoals]
            case .perform(.logMeal): [.createMealLog, .showMealLog]
            case .perform(.loadGoals): [.listGoals]
            case .perform(.loadQuickActions): [.listQuickActions]
            case .perform(.listenToMeals): [.mealSocket]
            case .perform(.disconnect), .deleteConsultation, .pass, .quiet, .until, .expect, .watch: []
            }
        let isChat = if case .perform(.send) = self { true } else { false }
        return endpoints.allSatisfy(mode.serves) && !(isChat && mode == .mealLogWebSocket)
    }
}
