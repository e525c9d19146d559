import FitIQAPI
import Sockets

extension Host {
    /// Somebody who reads along on every connection, behind TLS and before the engine: what really went over the wire.
    ///
    /// All calls come on the loop's thread, with the engine's time. A connection has its number from ``opened`` to ``ended``; one
    /// whose TLS cannot be agreed on is never told of.
    public struct Tap {
        /// A connection can be used; the scheme is `http` or `https`.
        public var opened: (_ connection: UInt64, _ scheme: String) -> Void
        /// Bytes have arrived, decrypted.
        public var clientSent: (_ bytes: UnsafeRawBufferPointer, _ connection: UInt64, _ time: Timestamp) -> Void
        /// Bytes are to be sent, after the next ``write``.
        public var serverSent: (_ bytes: UnsafeRawBufferPointer, _ connection: UInt64, _ time: Timestamp) -> Void
        /// One side sends no more.
        public var finished: (_ connection: UInt64, _ byServer: Bool, _ time: Timestamp) -> Void
        /// The connection is gone, and one side ended it.
        public var ended: (_ connection: UInt64, _ byServer: Bool, _ isReset: Bool, _ time: Timestamp) -> Void
        /// What was told so far is to be written down before this returns: clients have it next.
        public var write: () -> Void

        /// Reads along with these functions.
        public init(
            opened: @escaping (_ connection: UInt64, _ scheme: String) -> Void,
            clientSent: @escaping (_ bytes: UnsafeRawBufferPointer, _ connection: UInt64, _ time: Timestamp) -> Void,
            serverSent: @escaping (_ bytes: UnsafeRawBufferPointer, _ connection: UInt64, _ time: Timestamp) -> Void,
            finished: @escaping (_ connection: UInt64, _ byServer: Bool, _ time: Timestamp) -> Void,
            ended: @escaping (_ connection: UInt64, _ byServer: Bool, _ isReset: Bool, _ time: Timestamp) -> Void,
            write: @escaping () -> Void
        ) {
            self.opened = opened
            self.clientSent = clientSent
            self.serverSent = serverSent
            self.finished = finished
            self.ended = ended
            self.write = write
        }
    }
}

/// Telling who reads along, before clients have anything of it.
extension Host {
    /// So many bytes of a connection are told ahead at most: what its peer then does not take is written down all the same.
    private static let mostTold = 256 * 1024

    /// Tells of what goes next on connections, and has it written down: once for all of them.
    func tell(of connections: [Connection], _ now: MonotonicInstant) {
        guard let tap else { return }
        for connection in connections {
            let place = connection.id.place
            guard let transport = transports[place], transport.id == connection.id, connection.ending != .reset,
                transport.secure?.takesOutput ?? true, sendableCount(of: connection) == 0
            else { continue }
            connection.withOutput { output in
                let next = UnsafeRawBufferPointer(rebasing: output.prefix(Host.mostTold))
                guard !next.isEmpty else { return }
                tap.serverSent(next, connection.id.number, time(now))
                transports[place]?.toldOffset = connection.output.takenOffset + next.count
            }
        }
        tap.write()
    }

    /// How many bytes of a connection's output can be sent: with a tap those that it was told of.
    func sendableCount(of connection: Connection) -> Int {
        guard tap != nil else { return .max }
        return max((transports[connection.id.place]?.toldOffset ?? 0) - connection.output.takenOffset, 0)
    }

    /// Whether a connection has output that could be sent, were it told of.
    func hasUntold(_ connection: Connection, _ transport: Transport) -> Bool {
        tap != nil && connection.hasOutput && transport.secure?.takesOutput ?? true
    }

    /// Tells of how connections end, and has it written down.
    func tellEndings(of connections: [Connection], _ now: MonotonicInstant) {
        guard let tap else { return }
        for connection in connections {
            guard let transport = transports[connection.id.place], transport.id == connection.id else { continue }
            switch connection.ending {
            case .none: break
            case .lingering: tellFinish(transport, now)
            case .close: tellEnd(transport, byServer: true, isReset: false)
            case .reset, .resetAfterOutput: tellEnd(transport, byServer: true, isReset: true)
            }
        }
        tap.write()
    }

    func tellFinish(_ transport: Transport, _ now: MonotonicInstant) {
        guard let tap, !transport.isFinishTold else { return }
        transports[transport.id.place]?.isFinishTold = true
        tap.finished(transport.id.number, true, time(now))
    }

    func tellEnd(_ transport: Transport, byServer: Bool, isReset: Bool) {
        guard let tap, !transport.isEndTold else { return }
        transports[transport.id.place]?.isEndTold = true
        tap.ended(transport.id.number, byServer, isReset, time(.now()))
    }
}
