import FitIQAPI
import Scenarios

/// The admin API's answers about the server as a whole, a world's network and its replay.
extension Engine {
    /// `POST /__admin/drain`: starts draining; `/ready` then returns 503, and worlds that have been idle for `idle` are
    /// deleted.
    ///
    /// - Throws: A 400 for an invalid body.
    func beginDrain(_ call: AdminCall) throws(APIError) -> Answer {
        let idle = try call.body(keys: ["idle"]).duration("idle")
        drainIdle = idle ?? drainIdle ?? patience.worldIdle
        if !worlds.isEmpty { worlds.nextSweep = call.now }
        var answer = drainAnswer(call)
        answer.status = .accepted
        return answer
    }

    /// `GET /__admin/drain`: returns whether the server is draining, and the remaining worlds and WebSockets.
    func drainAnswer(_ call: AdminCall) -> Answer {
        .object { writer in
            writer.member("draining", drainIdle != nil)
            writer.member("worlds", worlds.count)
            writer.member("web_sockets", connections.webSocketCount)
        }
    }

    /// `GET /__admin/network`: returns the network as it would appear in a scenario file.
    func networkAnswer(_ call: AdminCall) -> Answer {
        .object { writer in
            if let profile = call.world.network?.profile {
                profile.write(into: &writer)
            } else {
                writer.memberNull("network")
            }
        }
    }

    /// `PUT /__admin/network`: sets the network from a name, a mapping, or null for none; throws 400 for other values.
    func putNetwork(_ call: AdminCall) throws(APIError) -> Answer {
        let value = try call.body(keys: ["network"])["network"] ?? .null
        let scenario = try Scenario(json: ["name": "live", "network": value])
        enterDue(call.world, at: call.now)
        network.set(scenario.network, of: call.world, at: call.now)
        return networkAnswer(call)
    }

    /// `GET /__admin/replay`: reports the served entries, and the differences from the recording.
    ///
    /// - Throws: A 404 if the world does not replay a session.
    func replayReport(_ call: AdminCall) throws(APIError) -> Answer {
        // First run the steps that are due, because the loop may be late and overdue frames must count as sent.
        advance(call.world, to: call.world.clock.now(call.now), at: call.now)
        guard let report = call.world.replay?.player.report else { throw .noReplay }
        return .ok(report.json.encoded())
    }

    /// Opens the echo socket for a client with admin access.
    func openEcho(_ call: AdminCall) throws(APIError) -> Answer? {
        _ = switchProtocols(call.head, try acceptHandshake(call.head, in: call.world), on: call.connection, use: .echo)
        receiveTrailingBytes(of: call.connection, at: call.now)
        return nil
    }
}
