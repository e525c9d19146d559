import Faults
import HTTPTypes
import JSON
import MockServer
import TestSupport

/// An operator who switches breakpoints and acts on what they hold, in runs with faults.
extension Simulator {
    /// The breakpoints of a run, which an operator enables and disables.
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

    /// Does one thing that an operator does.
    func operateBreakpoints(in world: SimulatedWorld) {
        let path = "/__admin/worlds/\(world.name)"
        switch draw.below(6) {
        case 0:
            let name = "breakpoint-\(1 + draw.below(5))"
            let isEnabled = draw.once(in: 2)
            note(.switchBreakpoint(name, isEnabled), by: 0)
            _ = askAsOperator(.patch, "\(path)/breakpoints/\(name)", "{\"enabled\":\(isEnabled)}")
        case 1:
            note(.letAllGo, by: 0)
            _ = askAsOperator(.post, path + "/held", #"{"action":"continue"}"#)
        default:
            let held = askAsOperator(.get, path + "/held", nil)?["held"]?.array ?? []
            guard !held.isEmpty else { return }
            let thing = draw.element(of: held)
            guard let number = thing["held"]?.int, let place = thing["place"]?.string else { return }
            let action = drawAction(for: place, in: world)
            note(.letGo(number, action), by: 0)
            _ = askAsOperator(.post, "\(path)/held/\(number)", action)
        }
    }

    private func drawAction(for place: String, in world: SimulatedWorld) -> String {
        let isStepping = draw.once(in: 2)
        switch draw.below(6) {
        case 0: return #"{"action":"step"}"#
        case 1 where place == "frame":
            return "{\"action\":\"change\",\"json\":{\"type\":\"pong\"},\"step\":\(isStepping)}"
        case 1 where place == "response": return #"{"action":"change","status":500,"text":"no"}"#
        case 1 where place == "request":
            let prefix = String(decoding: world.prefix, as: UTF8.self)
            return "{\"action\":\"change\",\"target\":\"\(prefix)/api/v1/goals\",\"step\":\(isStepping)}"
        case 2 where place == "frame": return #"{"action":"drop"}"#
        case 2: return "{\"action\":\"drop\",\"how\":\"\(draw.element(of: ["finish", "reset", "silence"]))\"}"
        case 3 where place == "request" || place == "handshake": return #"{"action":"answer","status":503}"#
        default: return #"{"action":"continue"}"#
        }
    }

    /// The answer of the admin API; nil if there was no room for another connection.
    private func askAsOperator(_ method: HTTPRequest.Method, _ path: String, _ json: String?) -> JSONValue? {
        guard let wire = network.connect() else { return nil }
        defer {
            wire.vanish()
            network.catchUp()
        }
        let client = HTTPClient(wire)
        var request = Request(method: method, target: path)
        if let json { request = request.json(json) }
        wire.send(request.bytes)
        network.catchUp()
        guard let response = try? client.response(to: request) else {
            fail("\(method.rawValue) \(path) got no answer", in: nil)
            return nil
        }
        switch response.status {
        case 200: return response.json
        // Too many connections, or the world is gone.
        case 503, 404: return nil
        default:
            fail(
                "\(method.rawValue) \(path) \(json ?? "") was answered with \(response.status): \(response.text)",
                in: nil)
            return nil
        }
    }

    /// What is held is where the engine says, and is not too much.
    func checkHolds() {
        for world in worlds {
            guard let facts = engine.inspectWorld(world.id) else { continue }
            if facts.heldCount > FaultLimits.held { fail("\(facts.heldCount) things are held", in: world) }
            if facts.heldCount != facts.holdingCount {
                fail("\(facts.heldCount) things are held, connections have \(facts.holdingCount)", in: world)
            }
        }
    }
}
