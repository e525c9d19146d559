import FitIQAPI
import FitIQBackend
import JSON

/// Draining: the server creates no more worlds, and stops once the last world is deleted, so that no world is lost.
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

    /// Whether the server is draining and has no worlds or sockets left, so that the transport can stop the server.
    ///
    /// The default world does not count, but its sockets do.
    var isDrained: Bool {
        drainIdle != nil && worlds.isEmpty && connections.webSocketCount == 0 && !isShuttingDown
    }

    /// The refusal for an unknown world: 421 if another node created the world, otherwise 404.
    func refusal(ofWorld id: String) -> APIError {
        guard let own = configuration.node, let owner = WorldID(id)?.node, owner != own else {
            return .unknownWorld(id)
        }
        return .foreignWorld(id, owner: owner.text, node: own.text)
    }
}
