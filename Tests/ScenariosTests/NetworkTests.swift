import Faults
import JSON
import TestSupport
import Testing

@testable import Scenarios

@Suite("Networks in scenarios")
struct NetworkTests {
    static func read(_ network: String) throws -> NetworkProfile? {
        try Scenario.read("{name: a, network: \(network)}").network
    }

    /// The errors for an invalid network.
    static func refusals(_ network: String) -> [String] {
        do {
            _ = try Scenario.read("{name: a, network: \(network)}")
            return []
        } catch {
            return error.mistakes.map(\.path)
        }
    }

    @Test("A network round-trips as a name or as numbers")
    func reading() throws {
        let own = NetworkProfile(
            "custom", roundTrip: 100_000_000, down: 50_000, up: 1, jitter: 1_000_000, lossPerMille: 7,
            outages: .init(period: 30_000_000_000, length: 5_000_000_000, resetPerMille: 500), failingConnections: 2)
        let text =
            "{rtt: 100ms, down: 50000, up: 1, jitter: 1ms, loss_per_mille: 7, failing_connections: 2, "
            + "outages: {every: 30s, for: 5s, reset_per_mille: 500}}"
        #expect(try Self.read(text) == own)
        #expect(try Self.read("{}") == NetworkProfile("custom"))
        #expect(try Scenario.read("name: a").network == nil)
        for profile in NetworkProfile.all + [own] {
            let json = try JSON.parse(JSONWriter.object { profile.writeMember(into: &$0) })
            let written = try #require(json["network"])
            #expect(try Self.read(String(decoding: written.encoded(), as: UTF8.self)) == profile)
        }
    }

    @Test("The reader rejects a number outside its range")
    func ranges() {
        for (good, bad, path) in [
            ("{rtt: 1m}", "{rtt: 61s}", "rtt"), ("{jitter: 1m}", "{jitter: 61s}", "jitter"),
            ("{down: 1000000000}", "{down: 1000000001}", "down"), ("{up: 1}", "{up: 0}", "up"),
            ("{loss_per_mille: 1000}", "{loss_per_mille: 1001}", "loss_per_mille"),
            ("{failing_connections: 1000}", "{failing_connections: 1001}", "failing_connections"),
            ("{outages: {every: 1h, for: 30m}}", "{outages: {every: 1h, for: 31m}}", "outages.for"),
            ("{outages: {every: 2ms, for: 1ms}}", "{outages: {every: 61m, for: 1ms}}", "outages.every"),
        ] {
            #expect(Self.refusals(good) == [])
            #expect(Self.refusals(bad) == ["network.\(path)"], "\(bad)")
        }
        #expect(Self.refusals("5g") == ["network"])
    }

    @Test("The schema, the description and the pages list each network")
    func names() throws {
        let names = NetworkProfile.all.map(\.name)
        let schema = try SchemaTests.schema()["properties"]?["network"]?["oneOf"]?.array?.first?["enum"]
        #expect(schema == .array(names.map(JSONValue.string)))
        #expect(try textOfPackage("openapi/admin.yaml").contains("enum: [\(names.joined(separator: ", "))]"))
        #expect(try textOfPackage("docs/options.md").contains(names.map { "`\($0)`" }.joined(separator: ", ")))
        let rows = try textOfPackage("docs/networks.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        let first: [String] = rows.prefix(names.count).map { String($0.dropFirst(3).prefix { $0 != "`" }) }
        #expect(first == names)
    }
}
