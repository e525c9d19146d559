import FitIQAPI
import Traffic
import WebSocket

/// A world's open WebSockets, and the ways to end them.
extension Engine {
    /// A world's open WebSockets and their numbers.
    func openSockets(of world: World) -> [(number: UInt64, connection: Connection)] {
        connections.compactMap { connection in connection.socketNumber(in: world).map { ($0, connection) } }
    }

    /// Ends the transport immediately; sends no close frame.
    func cut(
        _ connection: Connection, isReset: Bool, by rule: String = LiveControl.byHand, in world: World,
        at now: Timestamp
    ) {
        let isSilent = connection.socketState == .silent
        connection.record.endingRule = rule
        // Output that a fault still holds is lost with the connection.
        if !isSilent { recorder.recordAbandoned(connection, in: world) }
        forgetSocket(of: connection)
        if isSilent {
            recorder.closed(connection, by: .server, .fault)
            end(connection, isReset ? .reset : .close)
        } else {
            connection.output.discardHeld()
            drop(connection, isReset ? .reset : .finish, in: world, at: now)
        }
    }
}

extension Connection {
    /// The connection's number in a world's journal; nil unless the connection is an open WebSocket of the world and
    /// has a number.
    func socketNumber(in world: World) -> UInt64? {
        guard self.world === world, isOpenSocket, !isEcho, ending == .none, let number = record.number,
            number.world == world.number
        else { return nil }
        return number.number
    }

    enum SocketState: String { case open, held, closing, silent }

    var socketState: SocketState {
        guard !isSilent, silencedUntil == nil else { return .silent }
        guard webSocket?.canSend == true else { return .closing }
        return holdCount > 0 ? .held : .open
    }
}
