import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Response faults on the wire")
struct ResponseFaultTests {
    static func plain(_ request: Request = .goals) throws -> [UInt8] {
        let network = VirtualNetwork()
        let wire = try network.sending(request).wire
        return withExtendedLifetime(network) { wire.received }
    }

    static func headCount(_ response: [UInt8]) -> Int {
        for end in 3..<response.count where response[(end - 3)...end].elementsEqual([13, 10, 13, 10]) { return end + 1 }
        return response.count
    }

    static func replacing(_ old: String, by new: String, in bytes: [UInt8]) -> [UInt8] {
        Array(String(decoding: bytes, as: UTF8.self).replacing(old, with: new).utf8)
    }

    /// A fault's effect on a response with this many bytes in the head and in total.
    struct Effect: CustomTestStringConvertible, Sendable {
        let rule: String
        let timeline: @Sendable (_ head: Int, _ all: Int) -> [String]
        let bytes: @Sendable ([UInt8]) -> [UInt8]

        init(
            _ rule: String, _ timeline: @escaping @Sendable (Int, Int) -> [String],
            _ bytes: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
        ) {
            (self.rule, self.timeline, self.bytes) = (rule, timeline, bytes)
        }

        var testDescription: String { rule }
    }

    static let effects = [
        Effect("delay: 2s") { ["2.000 s \($1) bytes"] },
        Effect("delay: 0") { ["0.000 s \($1) bytes"] },
        Effect("dribble: {bytes: 100, every: 1500ms}") { _, all in
            (0..<(all + 99) / 100).map {
                "\($0 * 3 / 2).\($0 % 2 == 0 ? "000" : "500") s \(min(100, all - 100 * $0)) bytes"
            }
        },
        Effect("truncate: {after: 20}", { head, _ in ["0.000 s \(head + 20) bytes", "0.000 s end"] }) {
            Array($0.prefix(headCount($0) + 20))
        },
        Effect("truncate: {after: 100000}") { ["0.000 s \($1) bytes", "0.000 s end"] },
        Effect("content_length: 10", { ["0.000 s \($1) bytes"] }) {
            let length = $0.count - headCount($0)
            return replacing("Content-Length: \(length)", by: "Content-Length: \(length + 10)", in: $0)
        },
        Effect("malformed: json", { ["0.000 s \($1 - 1) bytes"] }) {
            let length = $0.count - headCount($0)
            return Array(
                replacing("Content-Length: \(length)", by: "Content-Length: \(length - 1)", in: $0).dropLast())
        },
        Effect("empty_reply: true", { _, _ in ["0.000 s end"] }) { _ in [] },
        Effect("reset: true", { _, _ in ["0.000 s reset"] }) { _ in [] },
        Effect("reset: {after: 30}", { _, _ in ["0.000 s 30 bytes", "0.000 s reset"] }) { Array($0.prefix(30)) },
        Effect("hang: true", { _, _ in [] }) { _ in [] },
        Effect("content_type: null", { head, all in ["0.000 s \(all - 47) bytes"] }) {
            replacing("Content-Type: application/json; charset=utf-8\r\n", by: "", in: $0)
        },
    ]

    @Test("Each fault takes effect at its exact byte and millisecond", arguments: effects)
    func each(_ effect: Effect) throws {
        let plain = try Self.plain()
        let (network, wire) = try askGoals("requests: 1, \(effect.rule)")
        let lines = effect.timeline(Self.headCount(plain), plain.count)
        expectLines(network.timeline(of: wire, for: .seconds(60)), lines)
        #expect(wire.received == effect.bytes(plain))
        // If the connection stays open, the next request is answered normally.
        if wire.ending == .open, !wire.sawEndOfStream, !effect.rule.contains("hang") {
            let before = wire.received.count
            wire.send(Request.goals.bytes)
            #expect(Self.body(wire.received[before...]) == Self.body(plain[...]))
        }
        wire.vanish()
        #expect(network.engine.isEmpty && network.engine.connections.heldBytes == 0)
    }

    static func body(_ response: ArraySlice<UInt8>) -> [UInt8] { Array(response.dropFirst(headCount(Array(response)))) }

    private func askGoals(
        _ fault: String, _ request: Request = .goals, clock: ClockMode = .real
    ) throws -> (VirtualNetwork, VirtualClient) {
        let network = try VirtualNetwork.faulty("{on: GET /api/v1/goals, \(fault)}", clock: clock)
        return (network, try network.sending(request).wire)
    }

    @Test("Requests behind a delayed request wait and keep their order")
    func pipelined() throws {
        let network = try VirtualNetwork.faulty(
            "{on: GET /api/v1/goals, requests: 1, delay: 2s}", "{on: GET /api/v1/consultations, delay: 1s}")
        let client = try network.client()
        let list = Request.authorized(.get, "/api/v1/consultations", as: TestUser.anna)
        client.wire.send(Request.goals.bytes + list.bytes + Request.goals.bytes + Request().bytes)
        let lines = network.timeline(of: client.wire, for: .seconds(10))
        #expect(lines.map { $0.prefix(7) } == ["2.000 s", "3.000 s"], "\(lines)")
        let answers = try (0..<4).map { _ in try client.response() }
        #expect(answers.map(\.status) == [200, 200, 200, 200])
        #expect(answers[0].json?["goals"] != nil && answers[1].json?["data"]?["consultations"] != nil)
        #expect(answers[2].json?["goals"] != nil && answers[3].json?["status"] == "ok")
        let dates = answers.map { $0.fields[.date]?.suffix(6) }
        #expect(dates == ["00 GMT", "02 GMT", "03 GMT", "03 GMT"])
    }

    @Test(
        "The server does not answer requests behind a fault that ends the connection",
        arguments: ["empty_reply", "reset", "hang"])
    func pipelinedBehindAnEnd(_ fault: String) throws {
        let network = try VirtualNetwork.faulty(
            "{on: GET /api/v1/goals, delay: 2s}", "{on: GET /api/v1/goals, \(fault): true}")
        let wire = try network.open()
        wire.send(Request.goals.bytes + Request.create(as: TestUser.anna).bytes + Request().bytes)
        network.advance(by: .seconds(10))
        #expect(wire.received.isEmpty)
        let list = try network.exchange(.authorized(.get, "/api/v1/consultations", as: TestUser.anna))
        #expect(list.json?["data"]?["consultations"]?.array?.isEmpty == true)
    }

    @Test("A long delay triggers no time-out, and idle time counts from its end")
    func noTimeout() throws {
        let (network, wire) = try askGoals("requests: 1, delay: 10m")
        let count = try Self.plain().count
        expectLines(network.timeline(of: wire, for: .seconds(1000)), ["600.000 s \(count) bytes", "675.000 s end"])
    }

    @Test("The server resets a connection whose output has been waiting for two hours")
    func heldForever() throws {
        let (network, wire) = try askGoals("delay: 10m", clock: .manual)
        #expect(network.endings(of: wire, after: .seconds(7200)) == [.open, .reset] && wire.received.isEmpty)
    }

    @Test("A dribble may pause longer than the connection's idle time")
    func slowDribble() throws {
        let (network, wire) = try askGoals("dribble: {bytes: 100, every: 200s}")
        network.advance(by: .seconds(450))
        #expect(try wire.received == Self.plain() && wire.ending == .open)
    }

    @Test("A hanging connection ends after exactly ten minutes", arguments: ["close", "keep-alive"])
    func hang(_ connection: String) throws {
        let (network, wire) = try askGoals("hang: true", .goals.with("Connection: \(connection)"))
        wire.send(Request.goals.bytes)
        // The server does not read later input either.
        wire.send(Request().bytes)
        expectLines(network.timeline(of: wire, for: .seconds(900)), ["600.000 s reset"])
        #expect(network.engine.isEmpty && network.engine.connections.heldBytes == 0)
    }

    @Test("A hanging connection ends when its client disconnects", arguments: [true, false])
    func hangingClientLeaves(inOrder: Bool) throws {
        let (network, wire) = try askGoals("hang: true")
        if inOrder { wire.finishWriting() } else { wire.vanish() }
        #expect(wire.ending == (inOrder ? .closed : .byClient) && wire.received.isEmpty)
        #expect(network.engine.isEmpty && network.engine.connections.heldBytes == 0)
    }

    @Test("A delayed last response arrives in full before the connection ends")
    func closing() throws {
        let request = Request.goals.with("Connection: close")
        let (network, wire) = try askGoals("delay: 2s", request)
        let plain = try Self.plain(request)
        expectLines(network.timeline(of: wire, for: .seconds(10)), ["2.000 s \(plain.count) bytes", "2.000 s end"])
        #expect(Self.body(wire.received[...]) == Self.body(plain[...]))
    }

    @Test(
        "A body fault does not affect an answer to HEAD",
        arguments: ["truncate: {after: 3}", "content_length: 9", "malformed: json", "malformed: chunking"])
    func head(_ fault: String) throws {
        let request = Request.authorized(.head, "/api/v1/goals", as: TestUser.anna)
        let network = try VirtualNetwork.faulty("{on: any, \(fault)}")
        let wire = try network.sending(request).wire
        #expect(try wire.received == Self.plain(request) && wire.ending == .open)
    }

    @Test("Faults do not affect a 100 Continue")
    func expectContinue() throws {
        let body = #"{"persona":"nutritionist"}"#
        let request = Request.create(body, as: TestUser.anna).with("Expect: 100-continue")
        for (fault, status) in [("delay: 2s", 201), ("status: 503", 503), ("dribble: {bytes: 50, every: 1s}", 201)] {
            let network = try VirtualNetwork.faulty("{on: POST /api/v1/consultations, \(fault)}")
            let client = try network.client()
            client.wire.send(request.head)
            #expect(client.wire.received == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), "\(fault)")
            client.wire.send(body)
            network.advance(by: .seconds(60))
            let answer = try client.response(to: request)
            #expect(answer.status == status && answer.interim == [100], "\(fault)")
        }
    }

    @Test("A half-closed client still gets a late answer")
    func halfClosed() throws {
        let (network, wire) = try askGoals("delay: 2s")
        wire.finishWriting()
        let count = try Self.plain().count
        expectLines(network.timeline(of: wire, for: .seconds(10)), ["2.000 s \(count) bytes", "2.000 s end"])
    }

    @Test("The journal names the rules that took effect and says whether the backend processed the request")
    func journal() throws {
        let network = try VirtualNetwork.faulty(
            "{name: lost, on: POST /api/v1/consultations, requests: 1, status: 502, processed: true}",
            "{name: late, on: any, delay: 1s}", "{name: refused, on: POST /api/v1/goals, status: 500}")
        let goal = Request.authorized(.post, "/api/v1/goals", as: TestUser.anna).json(#"{"title":"Run"}"#)
        let client = try network.client()
        for (request, status) in [(Request.create(as: TestUser.anna), 502), (goal, 500), (.goals, 200)] {
            client.wire.send(request.bytes)
            network.advance(by: .seconds(1))
            #expect(try client.response(to: request).status == status)
        }
        let entries = try network.admin(.get, "requests").json?["entries"]?.array ?? []
        let faults = entries.map { $0["faults"]?.array?.compactMap(\.string) ?? [] }
        #expect(Set(faults) == [["lost", "late"], ["late", "refused"], ["late"]])
        let created = entries.compactMap { $0["created"]?.string }
        let listed = try network.admin(.get, "state").text
        #expect(created.count == 1 && listed.contains(created[0]), "\(created): \(listed)")
        let world = try network.admin(.get, "worlds/default").json
        #expect(world?["consultations"] == 1 && world?["goals"] == 0)
    }

    @Test(
        "The journal contains the id of a resource whose creation the client did not see",
        arguments: [
            "hang: true", "empty_reply: true", "truncate: {after: 20}", "reset: {after: 20}", "delay: 1h", "delay: 1s",
        ])
    func created(_ fault: String) throws {
        let network = try VirtualNetwork.faulty("{on: POST /api/v1/consultations, \(fault)}", clock: .manual)
        let client = try network.sending(.create(as: TestUser.anna))
        network.advance(by: .seconds(2))
        try network.plainWorld().advance("2s")
        client.wire.vanish()
        network.advance(by: .seconds(1))
        let entry = try network.admin(.get, "requests").json?["entries"]?[0]
        guard fault != "delay: 1s" else { return #expect(entry?["created"] == nil) }
        let id = try #require(entry?["created"]?.string, "\(entry as Any)")
        #expect(try network.admin(.get, "state").text.contains(id))
    }

    @Test("The server drops answers for disconnected clients and delivers the others")
    func forgotten() throws {
        let network = try VirtualNetwork.faulty("{on: any, delay: 1s}", clock: .manual)
        let engine = network.engine
        let leaving = try network.sending(.goals)
        let connection = try #require(network.connection(of: leaving.wire))
        // The calls count as if this many outputs had been held.
        for second in 2...1026 {
            engine.queue(connection, in: engine.defaultWorld, at: network.now + .seconds(second))
        }
        leaving.wire.vanish()
        #expect(engine.inspectWorld(nil)?.heldOutputCount == 1026)
        let staying = try network.sending(.goals)
        #expect(engine.inspectWorld(nil)?.heldOutputCount == 1)
        try network.plainWorld().advance("1s")
        #expect(try staying.response().status == 200)
    }

    @Test("Splitting a response into single bytes without a pause takes no time")
    func quickDribble() throws {
        let network = try VirtualNetwork.faulty("{on: any, dribble: {bytes: 1, every: 0}}")
        #expect(try network.sending(.quickActions).wire.received == Self.plain(.quickActions))
    }
}
