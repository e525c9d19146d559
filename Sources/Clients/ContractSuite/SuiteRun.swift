import Judging

/// Plays the contract suite with one client.
///
/// To wrap your own client, conform it to ``ClientUnderTest`` and make each case a test:
///
/// ```swift
/// import ContractSuite
/// import FitIQAPI
/// import MockServer
/// import Testing
///
/// /// The app's own client, as the suite drives it: it follows the system's clock.
/// @MainActor final class AppUnderTest: ClientUnderTest {
///     private let chat: ChatModel
///
///     init(_ surroundings: Surroundings) {
///         chat = ChatModel(
///             baseURL: surroundings.url, socketURL: surroundings.webSocketURL, apiKey: surroundings.apiKey,
///             token: surroundings.token, refresh: { surroundings.freshToken })
///     }
///
///     func perform(_ instruction: ClientInstruction) async throws {
///         switch instruction {
///         case .startConsultation(let persona): chat.start(persona.rawValue)
///         case .send(let text): chat.send(text)
///         case .disconnect: chat.disconnect()
///         default: throw UnsupportedInstruction(instruction)
///         }
///     }
///
///     func report() async throws -> ClientReport {
///         var report = ClientReport()
///         report.consultation = chat.consultation?.id
///         report.connection = chat.isConnected ? .connected : chat.isConnecting ? .connecting : .disconnected
///         report.transcript = chat.messages.map {
///             ClientReport.Line(role: $0.isMine ? .user : .assistant, text: $0.text, isComplete: !$0.isStreaming)
///         }
///         report.problems = chat.alerts.map { ClientReport.Problem(kind: $0.kind, message: $0.text) }
///         report.isBusy = chat.isBusy
///         return report
///     }
///
///     func end() async { chat.disconnect() }
/// }
///
/// private let server = Result { try LocalServer() }
///
/// @Test("The app keeps the contract", arguments: ContractCase.all)
/// func contract(_ contractCase: ContractCase) async throws {
///     var runner = CaseRunner(on: try server.get())
///     let result = try await runner.run(contractCase) { await AppUnderTest($0) }
///     #expect(result.isPassed)
/// }
/// ```
///
/// A client without a chat plays the rest of each case, and a client without WebSockets
/// (``ClientUnderTest/usesSockets``) plays the REST cases. All other cases are skipped. If the client follows the
/// system's clock, cases that take hours are skipped too.
public struct SuiteRun {
    public var cases: [ContractCase]
    public var runner: CaseRunner

    /// - Parameter prefixes: Addresses of cases, or their prefixes up to a `/`; empty selects all cases
    public init(on stage: any Stage, selecting prefixes: [String] = []) {
        runner = CaseRunner(on: stage)
        cases = ContractCase.all.filter { contractCase in
            prefixes.isEmpty || prefixes.contains { contractCase.isSelected(by: $0) }
        }
    }

    /// Plays the cases in sequence.
    ///
    /// It throws harness errors.
    ///
    /// - Parameter observe: Called with each result when its case ends.
    public mutating func run(
        with factory: ClientFactory, observing observe: (CaseResult) -> Void = { _ in }
    ) async throws -> [CaseResult] {
        var results: [CaseResult] = []
        for contractCase in cases {
            let result = try await runner.run(contractCase, with: factory)
            results.append(result)
            observe(result)
        }
        return results
    }
}

/// Plays the contract suite with a client and returns a report.
///
/// It throws harness errors.
///
/// - Parameter prefixes: Addresses of cases, or their prefixes up to a `/`; empty selects all cases
public func run(
    _ title: String, on stage: any Stage, selecting prefixes: [String] = [], with factory: ClientFactory
) async throws -> Report {
    var suite = SuiteRun(on: stage, selecting: prefixes)
    return Report(title: title, results: try await suite.run(with: factory))
}
