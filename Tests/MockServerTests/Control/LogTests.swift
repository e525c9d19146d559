import Logging
import Synchronization
import TestSupport
import Testing

@testable import MockServer

@Suite("The request and socket log") struct LogTests {
    private let network = VirtualNetwork()

    private final class Log: Sendable {
        private let events = Mutex<[LogEvent]>([])

        var lines: [String] { events.withLock { $0.map { "\($0.level) \($0.message)" } } }
        /// The metadata of all events with this name, as strings.
        func facts(of event: String) -> [Logger.Metadata] {
            events.withLock { $0.compactMap(\.metadata).filter { $0["event"]?.description == event } }
        }
        func add(_ event: LogEvent) { events.withLock { $0.append(event) } }
    }

    private struct Handler: LogHandler {
        let log: Log
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { log.add(event) }
    }

    private func log(_ network: VirtualNetwork, level: Logger.Level = .info) -> Log {
        let log = Log()
        var logger = Logger(label: "test", factory: { _ in Handler(log: log) })
        logger.logLevel = level
        network.engine.log(to: logger)
        return log
    }

    @Test("The log has one line per request, with its duration and any error")
    func requests() throws {
        let log = log(network)
        for request in [
            Request.create(as: TestUser.anna), .create(as: TestUser.anna),
            Request(target: "/api/v1/goals?token=secret&a=1"),
            Request(target: "/__admin/clock"), Request(target: "/health"), Request(target: "/__admin/held/7"),
        ] {
            _ = try network.exchange(request)
        }
        let lines = log.lines
        #expect(lines.count == 6, "\(lines)")
        #expect(lines[0] == "info POST /api/v1/consultations 201 in 0 ms")
        let conflict = "info POST /api/v1/consultations 409 in 0 ms: CONSULTATION_EXISTS, An active consultation with"
        #expect(lines[1].hasPrefix(conflict) && lines[1].hasSuffix("…") && lines[1].count < 300)
        let unauthorized = "info GET /api/v1/goals?token=…&a=1 401 in 0 ms: UNAUTHORIZED, "
        #expect(lines[2].hasPrefix(unauthorized), "\(lines[2])")
        #expect(lines[3] == "info GET /__admin/clock 200" && lines[4] == "info GET /health 200")
        #expect(
            lines[5] == "info GET /__admin/held/7 404: NOT_FOUND, Nothing is held under \"7\". See GET /__admin/held.")
        #expect(log.facts(of: "answered").map { $0["code"]?.description } == [nil, nil, "NOT_FOUND"])
        let facts = log.facts(of: "exchange").map { fact in
            ["status", "code", "user", "target"].map { fact[$0]?.description ?? "-" }.joined(separator: " ")
        }
        let path = "/api/v1/consultations"
        #expect(
            facts == [
                "201 - \(TestUser.anna) \(path)", "409 CONSULTATION_EXISTS \(TestUser.anna) \(path)",
                "401 UNAUTHORIZED - /api/v1/goals?token=…&a=1",
            ])
        let first = try #require(log.facts(of: "exchange").first)
        #expect(first["duration_ms"]?.description == "0" && first["world"] == nil && first["reason"] == nil)
    }

    @Test("The log omits secrets in queries and userinfo in targets")
    func secrets() throws {
        let log = log(network)
        _ = try network.exchange(Request(target: "/api/v1/goals?%74oken=hidden&userApiKey=hidden&page_token=a&b=c"))
        for target in ["http://ann:hidden@h/a", "ftp://ann:hidden@h/a", "ann:hidden@h", "/a?token=hidden#b"] {
            let client = try #require(network.connect())
            client.send(Array("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
        }
        #expect(log.lines.count == 5 && !log.lines.contains { $0.contains("hidden") }, "\(log.lines)")
        let target = "/api/v1/goals?%74oken=…&userApiKey=…&page_token=a&b=c"
        #expect(log.lines.first?.hasPrefix("info GET \(target) 401 ") == true, "\(log.lines)")
        #expect(log.lines.contains { $0.contains("***@h") }, "\(log.lines)")
    }

    @Test("The log has a line for a WebSocket's start and another for its end, with frame counts")
    func sockets() throws {
        let id = try network.consultation()
        let log = log(network)
        let socket = try network.socket(on: id)
        network.advance(by: .milliseconds(1500))
        socket.send(#"{"type":"ping"}"#)
        socket.ping("x")
        socket.close()
        let path = "/api/v1/consultations/\(id)/ws"
        #expect(
            log.lines == [
                "info WebSocket 2 \(path) opened by \(TestUser.anna)",
                "info WebSocket 2 closed by the client: close_frame 1000, 1.5 s, 2 in, 2 out",
            ], "\(log.lines)")
        let closed = try #require(log.facts(of: "socket_closed").first)
        let facts = ["frames_in", "cause", "by", "connection"].map { closed[$0]?.description }
        #expect(facts == ["2", "close_frame 1000", "client", "2"])
        _ = try network.echo()
        #expect(log.lines.last == "info WebSocket /__admin/echo opened" && log.lines.count == 3)
    }

    @Test("A log line marks a delayed or lost answer and a world other than the default")
    func faults() throws {
        let network = try VirtualNetwork.faulty(
            "{name: late, on: GET /api/v1/goals, delay: 2s}", "{name: soon, on: GET /api/v1/meal-logs, delay: 4400us}",
            "{name: gone, on: POST /api/v1/goals, hang: true}")
        let log = log(network)
        let client = try #require(network.connect())
        client.send(Request(target: "/api/v1/goals").bytes)
        network.advance(by: .seconds(3))
        #expect(log.lines.first?.hasPrefix("info GET /api/v1/goals 401 in 2000 ms: UNAUTHORIZED, ") ?? false)
        #expect(log.lines.first?.hasSuffix(", fault late") ?? false, "\(log.lines)")
        client.send(Request(target: "/api/v1/meal-logs").bytes)
        network.advance(by: .seconds(3))
        #expect(log.lines.last?.hasPrefix("info GET /api/v1/meal-logs 401 in 4.4 ms: ") ?? false, "\(log.lines)")
        client.send(Request(method: .post, target: "/api/v1/goals", body: []).bytes)
        client.vanish()
        #expect(log.lines.last == "info POST /api/v1/goals not answered, 0 ms: fault gone", "\(log.lines)")
        #expect(log.facts(of: "exchange").last?["status"] == nil)
        #expect(log.facts(of: "exchange").last?["faults"]?.description == "gone")
        let world = try network.world("{}")
        _ = try world.exchange(.get, "/api/v1/consultations")
        #expect(log.facts(of: "exchange").last?["world"]?.description == world.id)
    }

    @Test("At log level notice, the engine observes no requests")
    func quiet() throws {
        let log = log(network, level: .notice)
        _ = try network.socket(on: try network.consultation())
        #expect(log.lines.isEmpty && network.engine.recorder.observe == nil)
        network.engine.observe?(.refused(status: .badRequest, message: "Bad."))
        #expect(log.lines == ["warning refused with 400: Bad."])
    }

    @Test("The log level warning logs only warnings, and higher levels log nothing")
    func levels() throws {
        for (level, count) in [(Logger.Level.warning, 1), (.error, 0)] {
            let network = VirtualNetwork()
            network.engine.observe = nil
            let log = log(network, level: level)
            network.engine.observe?(.refused(status: .badRequest, message: "Bad."))
            #expect(log.lines.count == count && network.engine.recorder.observe == nil)
        }
    }

    @Test("An observer receives each request even if the engine has no log")
    func unlogged() throws {
        _ = try network.exchange(Request())
        #expect(network.observations.map(\.description) == ["GET /health 200"])
    }

    @Test("Every observer receives each entry with its world's id")
    func observers() throws {
        let log = log(network)
        var seen: [[String?]] = [[], []]
        for index in seen.indices { network.engine.observeEntries { _, world in seen[index].append(world) } }
        let world = try network.world("{}")
        _ = try world.exchange(.get, "/api/v1/goals")
        _ = try network.exchange(Request(target: "/api/v1/goals"))
        #expect(seen == [[world.id, nil], [world.id, nil]] && log.facts(of: "exchange").count == 2)
    }
}
