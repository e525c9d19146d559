import FitIQAPI
import Judging
import MockServer
import Testing

@testable import ContractSuite

@Suite("The suite with the reference client")
struct ReferenceSuiteTests {
    @Test(
        "The reference client passes every case in both chat protocols and exercises its obligations",
        arguments: ContractCase.all)
    func keeps(_ contractCase: ContractCase) async throws {
        // The coach sends suggestions in only one of the protocols.
        var unfaced: [Set<String>] = []
        for isOfUserMessages in [false, true] {
            // Guides have their own cases.
            if isOfUserMessages, contractCase.guide != nil { continue }
            let result = try await play(contractCase, isOfUserMessages: isOfUserMessages)
            #expect(result.isPassed && result.broken.isEmpty, "\(result)")
            #expect(result.looked == contractCase.checks && result.skipped == nil)
            #expect(result.contractTime >= contractCase.leastDuration)
            unfaced.append(Set(result.unfaced))
        }
        #expect(unfaced.dropFirst().reduce(unfaced[0]) { $0.intersection($1) }.isEmpty)
    }

    @Test("Two runs of the same case write identical journals")
    func isDeterministic() async throws {
        let contractCase = try #require(ContractCase.all.first { $0.address == "interruption/drop/mid-stream" })
        let journals = [try await journal(contractCase), try await journal(contractCase)]
        #expect(!journals[0].isEmpty && journals[0] == journals[1])
    }

    private func play(_ contractCase: ContractCase, isOfUserMessages: Bool) async throws -> CaseResult {
        let network = try VirtualWorld.emptyNetwork()
        var runner = CaseRunner(on: network)
        return try await runner.run(contractCase) {
            try ReferenceClient($0, network: network) { if isOfUserMessages { $0.chat = .userMessage } }
        }
    }

    /// The server's view of a case.
    private func journal(_ contractCase: ContractCase) async throws -> [UInt8] {
        let network = try VirtualWorld.emptyNetwork()
        let world = try await StageWorld(
            on: network, contractCase.setting.scenario(), guide: contractCase.guide, clock: .manual)
        let client = try ReferenceClient(world.surroundings, network: network)
        var play = CasePlay(
            world: world, client: client, result: CaseResult(contractCase, mode: .union), stepLimit: 100_000,
            grace: .seconds(5))
        try await play.run()
        return network.engine.journalLines(ofWorld: world.access.id)
    }
}
