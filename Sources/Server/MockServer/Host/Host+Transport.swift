import Sockets

/// Accepting, reading and sending: everything that touches a connection's file descriptor.
extension Host {
    private static let acceptsPerTurn = 64
    private static let pauseWithoutDescriptors = Duration.milliseconds(100)

    func accept(_ token: UInt64, _ now: MonotonicInstant) {
        guard let port = ports.first(where: { $0.token == token }) else { return }
        for _ in 0..<Host.acceptsPerTurn {
            switch port.listener.accept() {
            case .accepted(let socket):
                let isLocal = isLocal(socket, at: port.listener.localAddress)
                guard let id = engine.open(at: time(now), isLocal: isLocal, isSecure: port.isSecure) else {
                    socket.reset()
                    continue
                }
                watch(socket, as: id, secure: port.isSecure ? tls.map(SecureStream.init) : nil)
            case .exhausted:
                // The backlog keeps waiting clients; without a pause the loop would spin on the listener.
                stopListening()
                listensAgainAt = now.advanced(by: Host.pauseWithoutDescriptors)
                return
            case .failed(let error):
                acceptError = error
                loop.stop()
                return
            case .wouldBlock:
                return
            }
        }
    }

    /// Whether the peer is on this machine: checked only if others can reach the listener at all.
    private func isLocal(_ socket: Socket, at address: SocketAddress) -> Bool {
        address.isLoopback || socket.peerAddress?.isLoopback ?? false
    }

    private func watch(_ socket: Socket, as id: ConnectionID, secure: SecureStream?) {
        while transports.count <= id.place { transports.append(nil) }
        do throws(SocketError) {
            try loop.add(socket.descriptor, token: UInt64(id.place), interest: .read)
            transports[id.place] = Transport(id: id, socket: socket, secure: secure, interest: .read)
            if secure == nil { tap?.opened(id.number, "http") }
        } catch {
            // The system watches no more descriptors: the connection is dropped without a trace.
            socket.reset()
            engine.transportClosed(id, at: time(.now()))
        }
    }

    func stopListening() {
        guard listensAgainAt == nil else { return }
        for port in ports { loop.remove(port.listener.descriptor) }
    }

    func listenAgain() {
        listensAgainAt = nil
        var watched: [Port] = []
        for port in ports {
            guard (try? loop.add(port.listener.descriptor, token: port.token, interest: .read)) != nil else {
                for port in watched { loop.remove(port.listener.descriptor) }
                listensAgainAt = .now().advanced(by: Host.pauseWithoutDescriptors)
                return
            }
            watched.append(port)
        }
    }

    func read(_ transport: Transport, isFinished: Bool, _ now: MonotonicInstant) {
        switch transport.socket.read(into: readBuffer) {
        case .bytes(let count):
            let bytes = UnsafeRawBufferPointer(rebasing: readBuffer[..<count])
            if let secure = transport.secure {
                receive(bytes, over: secure, transport, now)
            } else {
                tap?.clientSent(bytes, transport.id.number, time(now))
                engine.receive(bytes, on: transport.id, at: time(now))
            }
        case .endOfStream:
            if let secure = transport.secure {
                receiveEndOfStream(over: secure, transport, now)
            } else {
                tap?.finished(transport.id.number, false, time(now))
                engine.receiveEndOfStream(on: transport.id, at: time(now))
            }
            // Reported once; level-triggered readiness would repeat it until our output is sent.
            watch(transport.id.place, for: [])
        case .wouldBlock:
            if isFinished { lost(transport) }
        case .failed:
            lost(transport)
        }
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
        let ending = touched.filter { serve($0, now) }
        if ending.isEmpty { return }
        tellEndings(of: ending, now)
        for connection in ending { end(connection) }
    }

    /// Sends the pending output, and watches for what the connection waits for.
    ///
    /// - Returns: Whether the connection has to end now, according to its `ending`.
    func serve(_ connection: Connection, _ now: MonotonicInstant) -> Bool {
        guard let transport = transports[connection.id.place], transport.id == connection.id else { return false }
        if connection.ending == .reset { return true }
        if let secure = transport.secure {
            guard send(connection, over: secure, transport, now) else { return false }
        } else {
            guard send(connection, transport, now) else { return false }
        }
        if hasUntold(connection, transport) {
            // It is served again in this turn.
            engine.touch(connection)
            return false
        }
        // The ending comes after what a fault still holds back.
        if connection.isDrained, connection.ending != .none { return true }
        watch(connection.id.place, for: appetite(connection))
        return false
    }

    private func end(_ connection: Connection) {
        guard let transport = transports[connection.id.place], transport.id == connection.id else { return }
        switch connection.ending {
        case .none: break
        case .close:
            drop(transport, reset: false)
            return
        case .reset, .resetAfterOutput:
            drop(transport, reset: true)
            return
        case .lingering:
            if !transport.isShutDown {
                transports[connection.id.place]?.isShutDown = true
                transport.socket.shutdownWriting()
            }
        }
        watch(connection.id.place, for: appetite(connection))
    }

    /// Sends the pending output that was reported to the tap.
    ///
    /// - Returns: false if the socket takes no more, or has failed: there is nothing more to do for the connection.
    private func send(_ connection: Connection, _ transport: Transport, _ now: MonotonicInstant) -> Bool {
        while connection.hasOutput {
            let most = sendableCount(of: connection)
            guard most > 0 else { return true }
            let result = connection.withOutput {
                transport.socket.write(UnsafeRawBufferPointer(rebasing: $0.prefix(most)))
            }
            switch result {
            case .wrote(let count): engine.sent(count, on: connection.id, at: time(now))
            case .wouldBlock:
                watch(connection.id.place, for: appetite(connection).union(.write))
                return false
            case .failed:
                lost(transport)
                return false
            }
        }
        return true
    }

    func appetite(_ connection: Connection) -> Interest {
        engine.isReadingPaused(connection) || connection.ending == .close ? [] : .read
    }

    func watch(_ place: Int, for interest: Interest) {
        guard let transport = transports[place], transport.interest != interest else { return }
        transports[place]?.interest = interest
        loop.modify(transport.socket.descriptor, token: UInt64(place), interest: interest)
    }

    /// Ends a connection that its peer has broken off.
    func lost(_ transport: Transport) {
        tellEnd(transport, byServer: false, isReset: true)
        drop(transport, reset: false)
    }

    func drop(_ transport: Transport, reset: Bool) {
        tellEnd(transports[transport.id.place] ?? transport, byServer: true, isReset: reset)
        loop.remove(transport.socket.descriptor)
        if reset { transport.socket.reset() } else { transport.socket.close() }
        transports[transport.id.place] = nil
        engine.transportClosed(transport.id, at: time(.now()))
    }
}
