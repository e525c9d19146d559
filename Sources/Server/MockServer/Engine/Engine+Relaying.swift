import FitIQAPI
import Proxy

/// Relayed connections: their bytes pass to a real server and back unread, so that a recording has the original bytes.
extension Engine {
    func relay(_ bytes: UnsafeRawBufferPointer, on connection: Connection, at now: Timestamp) {
        guard let url = configuration.relayed else { preconditionFailure("A relayed connection must have a server.") }
        guard let upstream = connection.upstream else {
            guard !isTLS(bytes, on: connection) else {
                connection.speaks = .http
                return refuseTLS(on: connection, at: now)
            }
            connection.endRequests()
            // From here on, only the relay's time limits apply.
            connection.deadline = nil
            connection.upstream = UpstreamConnection(connection, to: url, configuration)
            return relay(bytes, on: connection, at: now)
        }
        upstream.relay.receiveFromClient(bytes)
        moved(upstream)
    }

    /// Serves a relay again after its client has sent or read bytes, and restarts the relay's time limits.
    func moved(_ upstream: UpstreamConnection) {
        upstream.side.hasMoved = true
        touch(upstream)
    }

    func relayEndOfStream(on connection: Connection) {
        guard let upstream = connection.upstream else { return }
        upstream.relay.clientFinished()
        moved(upstream)
    }

    /// Whether an upstream's client must wait before it sends more.
    func isFull(_ upstream: UpstreamConnection, of connection: Connection) -> Bool {
        connection.speaks == .relayed
            ? !upstream.relay.wantsClientBytes
            : upstream.relay.toUpstream.count > limits.unsentBytesBeforeReadingPauses
    }

    func receiveBytes(from upstream: UpstreamConnection, on connection: Connection, at now: Timestamp) {
        report(upstream)
        let side = upstream.side
        let isOver = side.relay.clientEnding == .close || side.relay.clientEnding == .reset
        guard isOver || connection.output.count <= limits.unsentBytesBeforeReadingPauses else { return }
        let wasFull = !side.relay.wantsUpstreamBytes
        lendOutput(to: connection)
        side.relay.toClient.withBytes { connection.output.bytes += $0 }
        side.relay.sentToClient(side.relay.toClient.count)
        if wasFull, side.relay.wantsUpstreamBytes { touch(upstream) }
        switch side.relay.clientEnding {
        case .none: break
        // The other direction of a tunnel continues.
        case .finish: if connection.ending == .none { end(connection, .lingering) }
        case .close:
            leave(upstream, of: connection)
            if side.relay.clientHasFinished { end(connection, .close) } else { linger(connection, at: now) }
        case .reset:
            leave(upstream, of: connection)
            end(connection, .resetAfterOutput)
            awaitReader(of: connection, at: now)
        }
    }

    /// Releases a relay that has already ended.
    private func leave(_ upstream: UpstreamConnection, of connection: Connection) {
        connection.upstream = nil
        upstream.side.isAbandoned = true
        touch(upstream)
    }

    /// Logs what has happened on a relayed connection.
    func report(_ upstream: UpstreamConnection) {
        let events = upstream.relay.takeEvents()
        guard let observe else { return }
        for event in events where observesRequests || event.level > .info {
            observe(.relayed(message: event.message, level: event.level))
        }
    }
}
