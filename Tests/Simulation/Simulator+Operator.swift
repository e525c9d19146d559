import Faults
import FitIQAPI
import HTTPTypes
import JSON
import MockServer
import TestSupport

/// An operator who enables and disables breakpoints and acts on held items, in runs with faults.
extension Simulator {
    /// A run's breakpoints, which an operator enables and disables.
    static func breakpoints(_ draw: inout Draw) -> [FaultRule] {
        func hold(_ fromClient: Bool, _ fromServer: Bool) -> Hold {
            Hold(fromClient: fromClient, fromServer: fromServer, time: 1_000_000 * Int64(1 + draw.below(3_000)))
        }
        let faults: [Fault] = [
            .response(.hold(hold(true, false)), on: []), .response(.hold(hold(false, true)), on: []),
            .handshake(.hold(hold(true, false))), .socket(.hold(hold(true, true)), at: .frames(.all)),
            .socket(.hold(hold(false, true)), at: .type("stream_chunk", .all)),
        ]
        return faults.enumerated().map { number, fault in
            FaultRule(name: "breakpoint-\(number + 1)", isEnabled: draw.once(in: 2), fault: fault)
        }
    }

    func operate(in world: SimulatedWorld) {
        switch draw.below(20) {
        case 0...11: operateBreakpoints(in: world)
        case 12...16: actOnSocket(in: world)
        case 17: setMark(in: world)
        case 18: goBack(in: world)
        default: makeFork(of: world)
        }
        if failure == nil { checkHeld(in: world) }
    }

    private func operateBreakpoints(in world: SimulatedWorld) {
        switch draw.below(6) {
        case 0:
            let isEnabled = draw.once(in: 2)
            let path = "breakpoints/breakpoint-\(1 + draw.below(5))"
            operate(in: world, .patch, path, "{\"enabled\":\(isEnabled)}")
        case 1: operate(in: world, .post, "held", #"{"action":"continue"}"#)
        default:
            let held = operate(in: world, .get, "held")?.json?["held"]?.array ?? []
            guard !held.isEmpty else { return }
            let thing = draw.element(of: held)
            guard let number = thing["held"]?.int, let place = thing["place"]?.string else { return }
            let action = Self.action(for: place, below: String(decoding: world.prefix, as: UTF8.self), &draw)
            operate(in: world, .post, "held/\(number)", action)
        }
    }

    /// An action on a held item at a place in a world.
    static func action(for place: String, below prefix: String, _ draw: inout Draw) -> String {
        let isStepping = draw.once(in: 2)
        switch draw.below(6) {
        case 0: return #"{"action":"step"}"#
        case 1 where place == "frame":
            return "{\"action\":\"change\",\"json\":{\"type\":\"pong\"},\"step\":\(isStepping)}"
        case 1 where place == "response": return #"{"action":"change","status":500,"text":"no"}"#
        case 1 where place == "request":
            return "{\"action\":\"change\",\"target\":\"\(prefix)/api/v1/goals\",\"step\":\(isStepping)}"
        case 2 where place == "frame": return #"{"action":"drop"}"#
        case 2: return "{\"action\":\"drop\",\"how\":\"\(draw.element(of: ["finish", "reset", "silence"]))\"}"
        case 3 where place == "request" || place == "handshake": return #"{"action":"answer","status":503}"#
        default: return #"{"action":"continue"}"#
        }
    }

    // MARK: Requests

    /// Sends a request to a world's admin API, and records it.
    ///
    /// - Parameter others: The statuses that are allowed in addition to successes, 404 and 503.
    /// - Returns: The response, if it is a success.
    @discardableResult
    func operate(
        in world: SimulatedWorld, _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil,
        mayBe others: [Int] = []
    ) -> Response? {
        if method != .get { note(.byHand(world.name, path, json ?? ""), by: 0) }
        let response = askAsOperator(method, "worlds/\(world.name)/\(path)", json, mayBe: others)
        if method != .get, response != nil { report.byHand.insert(String(path.split(separator: "/").last ?? "")) }
        return response
    }

    /// The admin API's response if it is a success; any other response fails the run, unless its status is one of those
    /// given or one that a deleted world causes.
    @discardableResult
    func askAsOperator(
        _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, mayBe others: [Int] = []
    ) -> Response? {
        // The server may be unable to accept another connection.
        guard let wire = network.connect() else { return nil }
        defer {
            wire.vanish()
            network.catchUp()
        }
        let client = HTTPClient(wire)
        var request = Request(method: method, target: "/__admin/\(path)")
        if let json { request = request.json(json) }
        wire.send(request.bytes)
        network.catchUp()
        guard let response = try? client.response(to: request) else {
            fail("\(method.rawValue) \(path) got no answer", in: nil)
            return nil
        }
        if 200..<300 ~= response.status { return response }
        // The server has too many connections, or the world was deleted.
        if response.status != 503, response.status != 404, !others.contains(response.status) {
            fail(
                "\(method.rawValue) \(path) \(json ?? "") was answered with \(response.status): \(response.text)",
                in: nil)
        }
        return nil
    }

    // MARK: Held items

    /// Checks that held items are where the engine says they are, and that they are within the limits.
    func checkHolds() {
        for world in worlds {
            guard let facts = engine.inspectWorld(world.id) else { continue }
            if facts.heldCount > FaultLimits.held { fail("\(facts.heldCount) things are held", in: world) }
            if facts.heldCount != facts.holdingCount {
                fail("\(facts.heldCount) things are held, connections have \(facts.holdingCount)", in: world)
            }
        }
    }

    /// Checks that held items are listed, are due, and continue before their time is up.
    func checkHeld(in world: SimulatedWorld) {
        guard let facts = engine.inspectWorld(world.id), facts.heldCount > 0,
            let held = askAsOperator(.get, "worlds/\(world.name)/held")?.json?["held"]?.array,
            let clock = askAsOperator(.get, "worlds/\(world.name)/clock")?.json
        else { return }
        let numbers = held.compactMap { $0["held"]?.int }
        if Set(numbers).count != facts.heldCount {
            fail("\(facts.heldCount) things are held, \(numbers) are listed", in: world)
        }
        let due = clock["due"]?.array ?? []
        if clock["due_count"]?.int == due.count, Set(due.compactMap { $0["held"]?.int }) != Set(numbers) {
            fail("\(numbers) are held, and due are \(due.compactMap { $0["held"]?.int })", in: world)
        }
        let now = clock["now"]?.string.flatMap { Timestamp($0) } ?? facts.now
        for thing in held {
            guard let until = thing["until"]?.string.flatMap({ Timestamp($0) }), until > now else {
                fail("\(thing["held"]?.int ?? 0) is held at \(now.nanosecondText), after its time", in: world)
                return
            }
        }
    }
}
