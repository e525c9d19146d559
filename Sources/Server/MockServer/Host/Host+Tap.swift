import FitIQAPI
import Hosting
import Sockets

/// An engine connection, its stream, and the state of its reports to the tap.
final class Transport {
    let id: ConnectionID
    let stream: SocketStream
    /// Whether the host has reported to the tap and the engine that the connection is ready.
    @exclusivity(unchecked) var isAnnounced = false
    /// The offset up to which the connection's output has been reported to the tap.
    @exclusivity(unchecked) var reportedOffset = 0
    /// Whether the end of the server's output and the end of the connection were reported to the tap.
    @exclusivity(unchecked) var hasReportedFinish = false
    @exclusivity(unchecked) var hasReportedEnd = false

    init(id: ConnectionID, stream: SocketStream) { (self.id, self.stream) = (id, stream) }
}

/// Reports to the tap, made before the clients receive the bytes.
extension Host {
    /// The maximum number of bytes to report ahead; the recording contains the bytes even if the client never reads
    /// them.
    private static let mostReported = 256 * 1024

    /// The transport of a connection; nil once it was dropped.
    func transport(of connection: Connection) -> Transport? {
        guard let transport = transports[connection.id.place], transport.id == connection.id else { return nil }
        return transport
    }

    /// Reports the next output of connections, then makes the tap write once for all of them.
    func reportOutput(of connections: [Connection], _ now: MonotonicInstant) {
        guard let tap else { return }
        for connection in connections {
            guard let transport = transport(of: connection), connection.ending != .reset, transport.stream.takesOutput,
                sendableCount(of: connection, transport) == 0
            else { continue }
            connection.withOutput { output in
                let next = UnsafeRawBufferPointer(rebasing: output.prefix(Host.mostReported))
                guard !next.isEmpty else { return }
                tap.serverSent(next, on: connection.id.number, at: time(now))
                transport.reportedOffset = connection.output.takenOffset + next.count
            }
        }
        tap.write()
    }

    /// The number of output bytes that the host may send on a connection; if there is a tap, only reported bytes.
    func sendableCount(of connection: Connection, _ transport: Transport) -> Int {
        tap == nil ? .max : max(transport.reportedOffset - connection.output.takenOffset, 0)
    }

    /// Reports that connections have ended, and makes the tap write the reports.
    func reportEndings(of connections: [Connection], _ now: MonotonicInstant) {
        guard let tap else { return }
        for connection in connections {
            guard let transport = transport(of: connection) else { continue }
            switch connection.ending {
            case .none: break
            case .lingering:
                guard !transport.hasReportedFinish else { continue }
                transport.hasReportedFinish = true
                tap.finished(connection.id.number, byServer: true, at: time(now))
            case .close: reportEnd(transport, byServer: true, isReset: false)
            case .reset, .resetAfterOutput: reportEnd(transport, byServer: true, isReset: true)
            }
        }
        tap.write()
    }

    func reportEnd(_ transport: Transport, byServer: Bool, isReset: Bool) {
        guard let tap, !transport.hasReportedEnd else { return }
        transport.hasReportedEnd = true
        tap.ended(transport.id.number, byServer: byServer, isReset: isReset, at: time(.now()))
    }
}
