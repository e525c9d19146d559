import Hosting
import Sockets
import TLS

/// Accepting, reading and sending: everything that touches a connection's file descriptor.
extension Host {
    func begin(_ socket: Socket, at port: HostLoop.Port, _ now: MonotonicInstant) {
        // Whether the peer is on this machine: checked only if others can reach the listener at all.
        let isLocal = port.address.isLoopback || socket.peerAddress?.isLoopback ?? false
        guard let id = engine.open(at: time(now), isLocal: isLocal, isSecure: port.isSecure) else {
            return socket.reset()
        }
        // Even if it cannot be served: the engine may have touched it, and then its place is looked up.
        while transports.count <= id.place { transports.append(nil) }
        guard let stream = loop.serve(socket, token: UInt64(id.place), isSecure: port.isSecure) else {
            return engine.transportClosed(id, at: time(.now()))
        }
        stream.ignoresLateFailure = true
        let transport = Transport(id: id, stream: stream)
        transports[id.place] = transport
        announce(transport, now)
    }

    /// Tells the tap, and over TLS the engine, once bytes can be exchanged.
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
            if isFinished { lost(transport) }
            return
        case .broken: return lost(transport)
        case .end:
            if !stream.isAtEnd, let connection = engine.connection(id) { heedFarewell(of: connection, stream, now) }
        case .failed(.plainHTTP):
            transport.isAnnounced = true
            engine.spokePlainHTTP(id, at: time(now))
        case .failed(let error):
            // A bare port scan is not an error.
            if stream.hasReceived {
                engine.tlsFailed(error.description(advice: loop.trustAdvice), on: id, at: time(now))
            }
        }
        if stream.isAtEnd {
            finished(id, now)
            // Reported once; level-triggered readiness would repeat it until our output is sent.
            loop.watch(stream, for: [])
        }
        if stream.hasCiphertext, let connection = engine.connection(id) { engine.touch(connection) }
    }

    /// Reports that the client sends no more.
    private func finished(_ id: ConnectionID, _ now: MonotonicInstant) {
        tap?.finished(id.number, byServer: false, at: time(now))
        engine.receiveEndOfStream(on: id, at: time(now))
    }

    /// Reports the peer's close_notify to the engine, not before it would read on, as with the end of a plain stream.
    private func heedFarewell(of connection: Connection, _ stream: SocketStream, _ now: MonotonicInstant) {
        guard stream.session?.phase == .closed, connection.ending == .none, engine.isRead(connection) else {
            return
        }
        finished(connection.id, now)
    }

    /// Serves connections that the engine has touched, a limited number in each turn of the loop.
    ///
    /// Those touched in this turn come before those left over from earlier turns, so a request does not wait after
    /// thousands of sockets that are written to at once.
    func serveTouched(_ now: MonotonicInstant) {
        var room = servedInTurn
        // Sending may touch connections again: requests that waited for room are answered.
        while true {
            let touched = engine.takeTouched()
            if touched.isEmpty { break }
            unserved += touched.dropFirst(room)
            serve(touched.prefix(room), now)
            room = max(0, room - touched.count)
        }
        guard !unserved.isEmpty else { return }
        let turn = unserved.prefix(servedInTurn)
        unserved = unserved.dropFirst(turn.count)
        serve(turn, now)
    }

    private func serve(_ touched: ArraySlice<Connection>, _ now: MonotonicInstant) {
        let touched = Array(touched)
        tell(of: touched, now)
        var ending: [Connection] = []
        for place in touched.indices {
            fetchAhead(in: touched, from: place)
            if serve(touched[place], now) { ending.append(touched[place]) }
        }
        if ending.isEmpty { return }
        tellEndings(of: ending, now)
        for connection in ending { end(connection) }
    }

    /// Has the processor fetch what the connections after this one need, while its output is sent.
    ///
    /// The transport first, the stream two connections later: only the transport says where that is.
    private func fetchAhead(in touched: [Connection], from place: Int) {
        if place + 4 < touched.count, let transport = transports[touched[place + 4].id.place] {
            prefetch(Unmanaged.passUnretained(transport).toOpaque(), lines: 2)
        }
        if place + 2 < touched.count, let stream = transports[touched[place + 2].id.place]?.stream {
            prefetch(Unmanaged.passUnretained(stream).toOpaque(), lines: 2)
        }
    }

    /// Sends the pending output, and watches for what the connection waits for.
    ///
    /// - Returns: Whether the connection has to end now, according to its `ending`.
    func serve(_ connection: Connection, _ now: MonotonicInstant) -> Bool {
        guard let transport = transport(of: connection) else { return false }
        if connection.ending == .reset { return true }
        guard send(connection, transport, now) else { return false }
        if tap != nil, connection.hasOutput, transport.stream.takesOutput {
            // Output that was not reported to the tap: it is served again in this turn.
            engine.touch(connection)
            return false
        }
        // The ending comes after what a fault still holds back.
        if connection.isDrained, connection.ending != .none { return true }
        loop.watch(transport.stream, for: appetite(connection))
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
        loop.watch(transport.stream, for: appetite(connection))
    }

    /// Sends the pending output that was reported to the tap.
    ///
    /// - Returns: false if the socket takes no more, or has failed: there is nothing more to do for the connection.
    private func send(_ connection: Connection, _ transport: Transport, _ now: MonotonicInstant) -> Bool {
        let stream = transport.stream
        let isSecure = stream.isSecure && stream.session != nil
        while connection.hasOutput || isSecure {
            let isLast = isSecure && saysFarewell(connection, transport, now)
            let most = sendableCount(of: connection, transport)
            let result = connection.withOutput {
                stream.send(UnsafeRawBufferPointer(rebasing: $0.prefix(most)), isLast: isLast)
            }
            switch result {
            case nil: return true
            case .wrote(let count): if count > 0 { engine.sent(count, on: connection.id, at: time(now)) }
            case .wouldBlock:
                loop.watch(stream, for: appetite(connection).union(.write))
                return false
            case .failed:
                lost(transport)
                return false
            }
        }
        return true
    }

    /// Whether the close_notify of TLS travels with what is sent next.
    ///
    /// Never inlined: its accesses would be made for every connection without TLS too.
    @inline(never)
    private func saysFarewell(_ connection: Connection, _ transport: Transport, _ now: MonotonicInstant) -> Bool {
        heedFarewell(of: connection, transport.stream, now)
        guard connection.ending == .close || connection.ending == .lingering, !connection.endsAbruptly else {
            // A crash and a reset have none.
            return false
        }
        return !connection.output.isHeld && sendableCount(of: connection, transport) >= connection.output.count
    }

    private func appetite(_ connection: Connection) -> Interest {
        !engine.isRead(connection) || connection.ending == .close ? [] : .read
    }

    /// Ends a connection that its peer has broken off.
    private func lost(_ transport: Transport) {
        tellEnd(transport, byServer: false, isReset: true)
        drop(transport, reset: false)
    }

    private func drop(_ transport: Transport, reset: Bool) {
        tellEnd(transport, byServer: true, isReset: reset)
        loop.close(transport.stream, reset: reset)
        transports[transport.id.place] = nil
        engine.transportClosed(transport.id, at: time(.now()))
    }
}
