import ContractSuite
import FitIQAPI
import FitIQClient
import MockServer
import Testing

@Suite("The reference client on the suite's clock")
struct ReferenceClientTests {
    private func connected() throws -> (VirtualWorld, ReferenceClient) {
        let world = try VirtualWorld()
        let client = try ReferenceClient(world.surroundings, network: world.network)
        client.perform(.startConsultation(persona: .nutritionist))
        world.carry([client], by: 1)
        #expect(client.report().connection == .connected)
        return (world, client)
    }

    @Test("Two identical chat runs produce identical reports and journals")
    func chat() throws {
        func run() throws -> (ClientReport, String) {
            let (world, client) = try connected()
            client.perform(.send(text: "What should I eat for breakfast?"))
            world.carry([client], by: 120)
            let report = client.report()
            client.end()
            return (report, world.journal)
        }
        let (report, text) = try run()
        #expect(report.transcript.map(\.role) == [.user, .assistant])
        #expect(report.transcript.allSatisfy(\.isComplete) && !report.isBusy && report.problems.isEmpty)
        #expect(report.transcript.last?.text.hasPrefix("For breakfast, I recommend") == true)
        let again = try run()
        #expect(again.0 == report && again.1 == text)
    }

    @Test("Two clients in the same world see each other's changes")
    func two() throws {
        let world = try VirtualWorld()
        let clients = try [1, 2].map { try ReferenceClient(world.surroundings, network: world.network, seed: $0) }
        clients[0].perform(.createGoal(title: "Run", description: "Often"))
        world.carry(clients, by: 1)
        clients[1].perform(.loadGoals)
        world.carry(clients, by: 1)
        #expect(clients.map { $0.report().goals.map(\.title) } == [["Run"], ["Run"]])
    }

    /// A mutation that loses pings, repeats requests, and falsifies what the user sees.
    private struct Mute: Mutation {
        mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction] {
            actions.filter { if case .ping = $0 { false } else { true } }
        }
        func report(_ report: ClientReport) -> ClientReport {
            var report = report
            report.consultation = "another"
            return report
        }
    }

    @Test("A mutation changes what the client sends and shows")
    func mutation() throws {
        func pings(_ mutation: (any Mutation)?) throws -> Int {
            let world = try VirtualWorld()
            let client = try ReferenceClient(world.surroundings, network: world.network, mutation: mutation)
            client.perform(.startConsultation(persona: .nutritionist))
            world.carry([client], by: 100)
            #expect((client.report().consultation == "another") == (mutation != nil))
            return world.journal.split(separator: "\n").filter { $0.contains("ping") }.count
        }
        #expect(try pings(nil) >= 3 && pings(Mute()) == 0)
    }

    private struct Late: Mutation {
        private var held: [(due: Timestamp, action: ClientAction)] = []

        mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction] {
            held += actions.map { (now.advanced(byNanoseconds: 10_000_000_000), $0) }
            defer { held.removeAll { $0.due <= now } }
            return held.filter { $0.due <= now }.map(\.action)
        }
        var nextDeadline: Timestamp? { held.first?.due }
    }

    @Test("A mutation may delay actions until a deadline")
    func late() throws {
        let world = try VirtualWorld()
        let client = try ReferenceClient(world.surroundings, network: world.network, mutation: Late())
        client.perform(.loadGoals)
        world.carry([client], by: 9)
        #expect(client.report().isBusy && !world.journal.contains("/api/v1/goals"))
        // The action happens exactly at its time.
        world.carry([client], by: 1)
        #expect(!client.report().isBusy && world.journal.contains("/api/v1/goals"))
    }

    /// A mutation that has no deadline and always has something to change.
    private final class Asked: Mutation {
        private(set) var actionCount = 0
        private(set) var inputCount = 0

        func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction] {
            #expect(!actions.isEmpty)
            actionCount += 1
            return actions
        }
        func inputs(_ inputs: [ClientInput], at now: Timestamp) -> [ClientInput] {
            #expect(!inputs.isEmpty)
            inputCount += 1
            return inputs
        }
    }

    @Test("A mutation without a deadline is called only if it can change something")
    func asked() throws {
        let world = try VirtualWorld()
        let mutation = Asked()
        let client = try ReferenceClient(world.surroundings, network: world.network, mutation: mutation)
        client.perform(.loadGoals)
        world.carry([client], by: 5)
        #expect(mutation.actionCount > 0 && mutation.inputCount > 0 && !client.report().isBusy)
    }

    @Test("The server sees the connection close when the client ends")
    func ends() throws {
        let (world, client) = try connected()
        #expect(!world.journal.contains(#""kind":"closed""#))
        client.end()
        #expect(world.journal.contains(#""kind":"closed""#))
    }

    @Test("The caller can adjust the client's configuration")
    func configured() throws {
        let world = try VirtualWorld()
        let client = try ReferenceClient(world.surroundings, network: world.network) {
            $0.credentials.token = "stale"
            $0.freshToken = nil
            $0.patience.token = .zero
        }
        client.perform(.loadGoals)
        world.carry([client], by: 1)
        #expect(client.report().problems.map(\.kind) == [.unauthorized])
    }
}
