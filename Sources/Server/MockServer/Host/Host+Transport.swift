import Hosting
import Sockets
import TLS

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

/// Accepting, reading and sending: all uses of a connection's file descriptor.
extension Host {
    func begin(_ socket: Socket, at port: HostLoop.Port, _ now: MonotonicInstant) {
        // The peer's address matters only if other machines can reach the listener.
        let isLocal = port.address.isLoopback || socket.peerAddress?.isLoopback ?? false
        guard let id = engine.open(at: time(now), isLocal: isLocal, isSecure: port.isSecure) else {
            return socket.reset()
        }
        // Create a place even for a connection that cannot be served, because the engine may have touched the
        // connection.
        while transports.count <= id.place { transports.append(nil) }
        guard let stream = loop.serve(socket, token: UInt64(id.place), isSecure: port.isSecure) else {
            return engine.transportClosed(id, at: time(.now()))
        }
        stream.ignoresLateFailure = true
        let transport = Transport(id: id, stream: stream)
        transports[id.place] = transport
        announce(transport, now)
    }

    /// Reports to the tap, and over TLS to the engine, that the connection is ready.
    private func announce(_ transport: Transport, _ now: MonotonicInstant) {
        guard !transport.isAnnounced, transport.stream.isAgreed else { return }
        transport.isAnnounced = true
        let isSecure = transport.stream.session != nil
        tap?.opened(transport.id.number, scheme: isSecure ? "https" : "http")
        if isSecure { engine.secured(transport.id, at: time(now)) }
    }

    func read(_ transport: Transport, isFinished: Bool, _ now: MonotonicInstant) {
        let (id, stream) = (transport.id, transport.stream)
        let reading = stream.read(into: loop.buffer) { bytes in
            announce(transport, now)
            guard !bytes.isEmpty else { return }
            tap?.clientSent(bytes, on: id.number, at: time(now))
            engine.receive(bytes, on: id, at: time(now))
        }
        switch reading {
        case .bytes: if !stream.isSecure { return }
        case .nothing:
            if isFinished { handleLoss(of: transport) }
            return
        case .broken: return handleLoss(of: transport)
        case .end:
            if !stream.isAtEnd, let connection = engine.connection(id) { readCloseNotify(of: connection, stream, now) }
        case .failed(.plainHTTP):
            transport.isAnnounced = true
            engine.spokePlainHTTP(id, at: time(now))
        case .failed(let error):
            // A port scan sends no bytes and is not an error.
            if stream.hasReceived {
                engine.tlsFailed(error.description(advice: loop.trustAdvice), on: id, at: time(now))
            }
        }
        if stream.isAtEnd {
            handleEndOfStream(id, now)
            // Stop watching, because the event queue would report the end again until our output is sent.
            loop.watch(stream, for: [])
        }
        if stream.hasCiphertext, let connection = engine.connection(id) { engine.touch(connection) }
    }

    /// Reports the end of the client's stream to the tap and the engine.
    private func handleEndOfStream(_ id: ConnectionID, _ now: MonotonicInstant) {
        tap?.finished(id.number, byServer: false, at: time(now))
        engine.receiveEndOfStream(on: id, at: time(now))
    }

    /// Reports the peer's close_notify once the engine is ready to read it, like the end of a plain stream.
    private func readCloseNotify(of connection: Connection, _ stream: SocketStream, _ now: MonotonicInstant) {
        guard stream.session?.phase == .closed, connection.ending == .none || connection.isRelaying,
            engine.isRead(connection)
        else { return }
        handleEndOfStream(connection.id, now)
    }

    /// Serves touched connections, up to a maximum number in each loop turn.
    ///
    /// Connections touched in this turn come before connections left from earlier turns, so that a request does not
    /// wait for thousands of sockets.
    func flushTouched(_ now: MonotonicInstant) {
        var room = servedInTurn
        // Sending may touch connections again, because it frees space for waiting answers.
        while true {
            let touched = engine.takeTouched()
            if touched.isEmpty { break }
            unserved += touched.dropFirst(room)
            flush(touched.prefix(room), now)
            room = max(0, room - touched.count)
        }
        guard !unserved.isEmpty else { return }
        let turn = unserved.prefix(servedInTurn)
        unserved = unserved.dropFirst(turn.count)
        flush(turn, now)
    }

    private func flush(_ touched: ArraySlice<Connection>, _ now: MonotonicInstant) {
        let touched = Array(touched)
        reportOutput(of: touched, now)
        var ending: [Connection] = []
        for place in touched.indices {
            fetchAhead(in: touched, from: place)
            if flush(touched[place], now) { ending.append(touched[place]) }
        }
        if ending.isEmpty { return }
        reportEndings(of: ending, now)
        for connection in ending { end(connection) }
    }

    /// Prefetches the memory of the next connections while this connection's output is sent.
    ///
    /// It prefetches a transport four connections ahead. The stream, whose address is in the transport, is prefetched
    /// two connections ahead.
    private func fetchAhead(in touched: [Connection], from place: Int) {
        if place + 4 < touched.count, let transport = transports[touched[place + 4].id.place] {
            prefetch(Unmanaged.passUnretained(transport).toOpaque(), lines: 2)
        }
        if place + 2 < touched.count, let stream = transports[touched[place + 2].id.place]?.stream {
            prefetch(Unmanaged.passUnretained(stream).toOpaque(), lines: 2)
        }
    }

    /// Sends the pending output, and watches the socket for the next required events.
    ///
    /// - Returns: Whether the connection must end now, according to its `ending`.
    func flush(_ connection: Connection, _ now: MonotonicInstant) -> Bool {
        guard let transport = transport(of: connection) else { return false }
        if connection.ending == .reset { return true }
        guard send(connection, transport, now) else { return false }
        if tap != nil, connection.hasOutput, transport.stream.takesOutput {
            // Serve the connection again in this turn, because not all output is reported to the tap yet.
            engine.touch(connection)
            return false
        }
        // The ending waits for output held by a fault.
        if connection.isDrained, connection.ending != .none { return true }
        loop.watch(transport.stream, for: interest(of: connection))
        return false
    }

    private func end(_ connection: Connection) {
        guard let transport = transport(of: connection) else { return }
        switch connection.ending {
        case .none: break
        case .close: return drop(transport, reset: false)
        case .reset, .resetAfterOutput: return drop(transport, reset: true)
        case .lingering: transport.stream.finish(abruptly: connection.endsAbruptly)
        }
        loop.watch(transport.stream, for: interest(of: connection))
    }

    /// Sends the pending output; if there is a tap, only reported bytes.
    ///
    /// - Returns: False if the socket is full or has failed, so that there is nothing more to do now.
    private func send(_ connection: Connection, _ transport: Transport, _ now: MonotonicInstant) -> Bool {
        let stream = transport.stream
        let isSecure = stream.isSecure && stream.session != nil
        while connection.hasOutput || isSecure {
            if isSecure { readCloseNotify(of: connection, stream, now) }
            let isLast = isSecure && endsWithCloseNotify(connection, transport)
            let most = sendableCount(of: connection, transport)
            let result = connection.withOutput {
                stream.send(UnsafeRawBufferPointer(rebasing: $0.prefix(most)), isLast: isLast)
            }
            switch result {
            case nil: return true
            case .wrote(let count): if count > 0 { engine.sent(count, on: connection.id, at: time(now)) }
            case .wouldBlock:
                loop.watch(stream, for: interest(of: connection).union(.write))
                return false
            case .failed:
                handleLoss(of: transport)
                return false
            }
        }
        return true
    }

    /// Whether the TLS close_notify is sent with the next output.
    ///
    /// The function is not inlined, so that connections that do not use TLS avoid its memory accesses.
    @inline(never)
    private func endsWithCloseNotify(_ connection: Connection, _ transport: Transport) -> Bool {
        guard connection.ending == .close || connection.ending == .lingering, !connection.endsAbruptly else {
            // Simulated crashes and resets send no close_notify.
            return false
        }
        return !connection.output.isHeld && sendableCount(of: connection, transport) >= connection.output.count
    }

    private func interest(of connection: Connection) -> Interest {
        !engine.isRead(connection) || connection.ending == .close ? [] : .read
    }

    private func handleLoss(of transport: Transport) {
        reportEnd(transport, byServer: false, isReset: true)
        drop(transport, reset: false)
    }

    private func drop(_ transport: Transport, reset: Bool) {
        reportEnd(transport, byServer: true, isReset: reset)
        loop.close(transport.stream, reset: reset)
        transports[transport.id.place] = nil
        engine.transportClosed(transport.id, at: time(.now()))
    }

    // MARK: Reports to the tap, made before the clients receive the bytes

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
