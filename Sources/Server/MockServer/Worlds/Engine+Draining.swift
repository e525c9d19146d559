import FitIQAPI
import FitIQBackend
import JSON

/// A server that makes no more worlds and stops when its last one is gone, so that none is lost.
extension Engine {
    /// `POST /__admin/drain`: from now on `/ready` answers 503, no world is made, and idle worlds go after `idle`.
    ///
    /// - Throws: 400 for a bad body.
    func beginDrain(_ call: AdminCall) throws(APIError) -> Answer {
        let idle = try call.body(keys: ["idle"]).duration("idle")
        drainIdle = idle ?? drainIdle ?? patience.worldIdle
        if !worlds.isEmpty { worlds.nextSweep = call.now }
        var answer = drainAnswer(call)
        answer.status = .accepted
        return answer
    }

    /// `GET /__admin/drain`: whether the server drains, and how many worlds are left.
    func drainAnswer(_ call: AdminCall) -> Answer {
        .object { writer in
            writer.member("draining", drainIdle != nil)
            writer.member("worlds", worlds.count)
            writer.member("web_sockets", connections.webSocketCount)
        }
    }

    /// Whether the server drains and nothing is left to wait for: then the transport stops it.
    ///
    /// The default world does not count, but its sockets do.
    var isDrained: Bool {
        drainIdle != nil && worlds.isEmpty && connections.webSocketCount == 0 && !isShuttingDown
    }

    /// The refusal of a world that is not there: 421 if another node made it, else 404.
    func refusal(ofWorld id: String) -> APIError {
        guard let own = configuration.node, let owner = WorldID(id)?.node, owner != own else {
            return .unknownWorld(id)
        }
        return .foreignWorld(id, owner: owner.text, node: own.text)
    }
}
