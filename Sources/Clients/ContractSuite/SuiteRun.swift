import FitIQAPI
import MockServer
import Reports

/// The contract suite, played with one client: which cases, and what came of them.
///
/// A team that wraps its own client writes an adapter, and has each case be a test:
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
///     #expect(result.isPassed, "\(result)")
/// }
/// ```
///
/// Cases whose instructions the client does not support are skipped, and so are those in which hours pass, unless the client
/// follows the suite's clock.
public struct SuiteRun {
    /// The cases, in the order in which they are played.
    public var cases: [ContractCase]
    /// What plays them.
    public var runner: CaseRunner

    /// Makes a run of all cases, or of those below one of the addresses.
    ///
    /// - Parameter prefixes: addresses, or the beginnings of some up to a `/`; none for all.
    public init(on stage: any Stage, selecting prefixes: [String] = []) {
        runner = CaseRunner(on: stage)
        cases = ContractCase.all.filter { contractCase in
            prefixes.isEmpty || prefixes.contains { contractCase.isSelected(by: $0) }
        }
    }

    /// Plays the cases, one after another.
    ///
    /// - Parameters:
    ///   - factory: makes the client anew for each case.
    ///   - observe: is told of each case as it ends.
    /// - Throws: what is the harness's own trouble.
    public mutating func run(
        with factory: ClientFactory, observing observe: (CaseResult) -> Void = { _ in }
    ) async throws -> [CaseResult] {
        var results: [CaseResult] = []
        results.reserveCapacity(cases.count)
        for contractCase in cases {
            let result = try await runner.run(contractCase, with: factory)
            results.append(result)
            observe(result)
        }
        return results
    }
}

/// Plays the contract suite with a client and tells what came of it, as one report.
///
/// - Parameters:
///   - title: what is judged, for headings.
///   - prefixes: addresses of cases, or the beginnings of some up to a `/`; none for all.
///   - factory: makes the client anew for each case.
/// - Throws: what is the harness's own trouble.
public func run(
    _ title: String, on stage: any Stage, selecting prefixes: [String] = [], with factory: ClientFactory
) async throws -> Report {
    var suite = SuiteRun(on: stage, selecting: prefixes)
    return Report(title: title, results: try await suite.run(with: factory))
}
