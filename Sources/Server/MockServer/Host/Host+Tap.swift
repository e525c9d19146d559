import FitIQAPI
import Sockets

extension Host {
    /// An observer of every connection, between TLS and the engine, that sees what really went over the wire.
    ///
    /// All calls come on the loop's thread, with the engine's time. A connection has its number from ``opened`` to
    /// ``ended``; one whose TLS handshake fails is never reported.
    public struct Tap {
        /// A connection can be used; the scheme is `http` or `https`.
        public var opened: (_ connection: UInt64, _ scheme: String) -> Void
        /// Bytes have arrived, decrypted.
        public var clientSent: (_ bytes: UnsafeRawBufferPointer, _ connection: UInt64, _ time: Timestamp) -> Void
        /// Bytes will be sent, after the next ``write``.
        public var serverSent: (_ bytes: UnsafeRawBufferPointer, _ connection: UInt64, _ time: Timestamp) -> Void
        /// One side sends no more.
        public var finished: (_ connection: UInt64, _ byServer: Bool, _ time: Timestamp) -> Void
        /// The connection is gone, and one side ended it.
        public var ended: (_ connection: UInt64, _ byServer: Bool, _ isReset: Bool, _ time: Timestamp) -> Void
        /// Writes everything reported so far before it returns: the clients receive it next.
        public var write: () -> Void

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

/// Reporting to the tap, before clients receive anything.
extension Host {
    /// The most bytes of a connection reported ahead; they are recorded even if its peer does not take them.
    private static let mostTold = 256 * 1024

    /// Reports the next output of connections, and makes the tap write it: once for all of them.
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

    /// How many bytes of a connection's output can be sent: with a tap, those that were reported to it.
    func sendableCount(of connection: Connection) -> Int {
        guard tap != nil else { return .max }
        return max((transports[connection.id.place]?.toldOffset ?? 0) - connection.output.takenOffset, 0)
    }

    /// Whether a connection has output that could be sent if it were reported.
    func hasUntold(_ connection: Connection, _ transport: Transport) -> Bool {
        tap != nil && connection.hasOutput && transport.secure?.takesOutput ?? true
    }

    /// Reports the ends of connections, and makes the tap write them.
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
