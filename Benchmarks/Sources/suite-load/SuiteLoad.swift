import ContractSuite
import FitIQAPI
import Load
import MockServer
import Scenarios

/// Measures the cost of judging a client in one process.
///
/// It prints a Markdown row each for the whole contract suite with the reference client, a server's start, and a world.
///
/// `suite-load [--rounds N] [--starts N] [--worlds N]`. The suite runs in memory, on one thread; its row has the median
/// of the rounds. A start lasts until a new server has its first world. A world is a judged one, which another thread
/// requests from an idle server.
@main
struct SuiteLoad {
    static func main() async {
        await runCommand("suite-load") {
            let options = try Options(CommandLine.arguments.dropFirst(), known: ["--rounds", "--starts", "--worlds"])
            let results = try await measureSuite(rounds: try options.number("--rounds", default: 5))
            try measureStarts(try options.number("--starts", default: 200))
            try measureWorlds(try options.number("--worlds", default: 5000))
            if let failed = results.first(where: { !$0.isPassed || $0.skipped != nil }) {
                throw LoadError.unexpected("\(failed)", wanted: "a passed case", during: "the suite")
            }
        }
    }

    /// Returns the last round's results.
    private static func measureSuite(rounds: Int) async throws -> [CaseResult] {
        var times: [UInt64] = []
        var results: [CaseResult] = []
        for _ in 0..<rounds {
            let start = monotonicNanoseconds()
            results = try await play()
            times.append(monotonicNanoseconds() - start)
        }
        let contractSeconds = results.reduce(0) { $0 + $1.contractTime.components.seconds }
        print(
            "| the contract suite with FitIQClient: \(ContractCase.all.count) cases, \(contractSeconds / 3600) h of contract "
                + "time | \(milliseconds(times, 50)) ms |")
        return results
    }

    private static func play() async throws -> [CaseResult] {
        let now = Timestamp(secondsSinceEpoch: 1_738_146_600)
        let network = VirtualNetwork(try Engine(Engine.Configuration(), now: now), now: now)
        var suite = SuiteRun(on: InMemory(network: network))
        return try await suite.run(with: { try ReferenceClient($0, network: network) })
    }

    private static func measureStarts(_ count: Int) throws {
        var times: [UInt64] = []
        for _ in 0..<count {
            let start = monotonicNanoseconds()
            let server = try LocalServer()
            try makeWorld(on: server)
            times.append(monotonicNanoseconds() - start)
            server.stop()
        }
        print(
            "| a server's start and its first world, median and p99 | \(milliseconds(times, 50)) ms, "
                + "\(milliseconds(times, 99)) ms |")
    }

    private static func measureWorlds(_ count: Int) throws {
        let server = try LocalServer()
        var times: [UInt64] = []
        for _ in 0..<count {
            let start = monotonicNanoseconds()
            let id = try makeWorld(on: server)
            times.append(monotonicNanoseconds() - start)
            try server.performAndWait { engine, now in engine.deleteWorld(id, at: now) }
        }
        server.stop()
        print("| a judged world, median and p99 | \(milliseconds(times, 50)) ms, \(milliseconds(times, 99)) ms |")
    }

    @discardableResult
    private static func makeWorld(on server: LocalServer) throws -> String {
        try server.performAndWait { engine, now in
            guard let scenario = Scenario.builtIn(named: "drop-mid-stream") else {
                throw LoadError.unexpected("nothing", wanted: "a scenario", during: "making a world")
            }
            return try engine.makeWorld(scenario, at: now).id
        }
    }

    private static func milliseconds(_ times: [UInt64], _ percent: Double) -> String {
        let microseconds = (Distribution(times).percentile(percent) ?? 0) / 1000
        return microseconds >= 100_000 ? "\(microseconds / 1000)" : "\(Double(microseconds) / 1000)"
    }
}

/// A network of arrays as the suite's stage.
private struct InMemory: Stage {
    let network: VirtualNetwork

    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Result
    ) async throws -> Result {
        defer { network.settle() }
        return try body(network.engine, network.now)
    }
}
