import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: metrics") struct MetricsTests {
    private let network = VirtualNetwork()

    /// The samples by name and labels, without the common prefix.
    private func samples(_ other: VirtualNetwork? = nil) throws -> [String: Int] {
        let response = try (other ?? network).admin(.get, "metrics")
        #expect(response.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        var samples: [String: Int] = [:]  // Names of metrics are ASCII.
        for line in response.text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            #expect(parts.count == 2 && parts[0].hasPrefix("fitiq_mock_"))
            samples[String(parts[0].dropFirst(11))] = Int(parts[1])
        }
        return samples
    }

    /// Expects these samples among others; nil stands for a missing sample.
    private func expect(
        _ expected: KeyValuePairs<String, Int?>, of other: VirtualNetwork? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let samples = try samples(other)
        for (name, count) in expected { #expect(samples[name] == count, "\(name)", sourceLocation: location) }
    }

    @Test("An idle server reports its version and does not report requests")
    func beginning() throws {
        try expect([
            "build_info{version=\"\(Version.current)\"}": 1, "worlds": 1, "connections": 1, "web_sockets": 0,
            "uptime_seconds": 0, "worlds_made_total": 0,
        ])
        #expect(try !samples().keys.contains { $0.hasPrefix("requests_total") })
    }

    @Test("Counters cover all worlds and keep counting across resets and deletions")
    func counts() throws {
        let world = try network.world(#"{"scenario":{"name":"a","faults":[{"on":"any","status":503}]}}"#)
        for target in ["/api/v1/goals", "/api/v1/nothing", "/w/\(world.id)/api/v1/goals", "/health"] {
            _ = try network.exchange(.authorized(.get, target))
        }
        _ = try network.admin(.post, "reset")
        #expect(try network.admin(.delete, "worlds/\(world.id)").status == 204)
        network.advance(by: .seconds(7))
        try expect([
            #"requests_total{endpoint="listGoals",status="2xx"}"#: 1,
            #"requests_total{endpoint="listGoals",status="5xx"}"#: 1,
            #"requests_total{endpoint="none",status="4xx"}"#: 1, #"journal_entries_total{kind="exchange"}"#: 3,
            #"faults_acted_total{kind="exchange"}"#: 1, "worlds": 1, "worlds_made_total": 1, "uptime_seconds": 7,
            "journal_entries": 0,
        ])
        let samples = try samples()
        let requests: Int = samples.filter { $0.key.hasPrefix("requests_total") }.values.reduce(0, +)
        #expect(requests == 3)
        #expect(samples["response_body_bytes_total"] ?? 0 > 0)
    }

    @Test("Metrics count sockets, their frames and their ends")
    func sockets() throws {
        let socket = try network.socket(on: try network.consultation())
        socket.send(#"{"type":"ping"}"#)
        try expect([
            "web_sockets": 1, #"requests_total{endpoint="openSocket",status="1xx"}"#: 1,
            #"frames_total{direction="client_to_server",opcode="text"}"#: 1,
            #"frames_total{direction="server_to_client",opcode="text"}"#: 2,
            #"default_world_entities{kind="consultations"}"#: 1,
        ])
        socket.close()
        try expect(["web_sockets": 0, #"sockets_closed_total{by="client"}"#: 1])
    }

    @Test("Metrics count a lasting fault, but not a note, as a fault that took effect")
    func faults() throws {
        let faulty = try VirtualNetwork.faulty("{on: socket, at: {frame: 1}, withhold_pong: true}")
        _ = try faulty.socket(on: try faulty.consultation())
        #expect(try faulty.admin(.put, "network", #"{"network":null}"#).status == 200)
        try expect(
            [
                #"journal_entries_total{kind="fault"}"#: 1, #"journal_entries_total{kind="note"}"#: 1,
                #"faults_acted_total{kind="fault"}"#: 1, #"faults_acted_total{kind="note"}"#: nil,
            ], of: faulty)
    }

    @Test("Metrics count invalid HTTP as a refusal")
    func refusals() throws {
        let wire = try network.open()
        wire.send("GET / FTP\r\n\r\n")
        try expect(["refusals_total": 1])
    }

    @Test("Metrics list their samples in a fixed order")
    func order() {
        var text = MetricsText()
        text.counter("a_total", "What.", [([("b", "2")], 2), ([("b", "1"), ("c", "x")], 1)])
        let lines = [
            "# HELP fitiq_mock_a_total What.", "# TYPE fitiq_mock_a_total counter",
            #"fitiq_mock_a_total{b="1",c="x"} 1"#, #"fitiq_mock_a_total{b="2"} 2"#, "",
        ]
        #expect(String(decoding: text.bytes, as: UTF8.self) == lines.joined(separator: "\n"))
    }
}
