import Sockets
import TLS

/// Clients: accepting, reading, and dropping them.
extension ProxyHost {
    private static let acceptsPerTurn = 64
    private static let pauseWithoutDescriptors = Duration.milliseconds(100)
    /// So many clients at once get a refusal; further connections are reset.
    private static let refusalsAtOnce = 32

    func accept(_ port: ProxyPort, _ now: MonotonicInstant) {
        for _ in 0..<ProxyHost.acceptsPerTurn {
            switch port.listener.accept() {
            case .accepted(let socket): begin(socket, isSecure: port.isSecure, now)
            case .exhausted:
                // The backlog holds waiting clients; without a pause the loop would spin.
                stopListening()
                listensAgainAt = now.advanced(by: ProxyHost.pauseWithoutDescriptors)
                return
            case .failed(let error):
                acceptError = error
                return loop.stop()
            case .wouldBlock: return
            }
        }
    }

    private func begin(_ socket: Socket, isSecure: Bool, _ now: MonotonicInstant) {
        let limits = configuration.limits
        guard pairCount < limits.connections + ProxyHost.refusalsAtOnce else { return socket.reset() }
        let place = freePlaces.popLast() ?? pairs.count
        if place == pairs.count { pairs.append(nil) }
        let token = ProxyPair.clientToken(place)
        guard (try? loop.add(socket.descriptor, token: token, interest: .read)) != nil else {
            // The system watches no more descriptors: drop the connection as if it had never existed.
            freePlaces.append(place)
            return socket.reset()
        }
        let session = isSecure ? serverContext.map { TLSSession(server: $0) } : nil
        let client = RelayTransport(socket, token: token, session: session, interest: .read)
        let relay = Relay(upstream: configuration.upstream, isClientSecure: isSecure, limits: limits)
        let pair = ProxyPair(place: place, relay: relay, client: client, now: now)
        pairs[place] = pair
        pairCount += 1
        if pairCount > limits.connections { pair.relay.refuseForLimit() }
        touch(pair)
    }

    func stopListening() {
        guard listensAgainAt == nil else { return }
        for port in ports { loop.remove(port.listener.descriptor) }
    }

    func listenAgain(_ now: MonotonicInstant) {
        listensAgainAt = nil
        var watched: [ProxyPort] = []
        for port in ports {
            guard (try? loop.add(port.listener.descriptor, token: port.token, interest: .read)) != nil else {
                for port in watched { loop.remove(port.listener.descriptor) }
                listensAgainAt = now.advanced(by: ProxyHost.pauseWithoutDescriptors)
                return
            }
            watched.append(port)
        }
    }

    func clientIsReady(_ pair: ProxyPair, _ readiness: Readiness, _ now: MonotonicInstant) {
        let isFinished = readiness.hangUp || readiness.error
        guard readiness.readable || isFinished else { return }
        let client = pair.client
        if client.hasEnded {
            // The connection is dead in both directions; only bytes received before are still to be processed.
            if readiness.error { clientIsBroken(pair) } else if isFinished { unwatch(client) }
            return
        }
        pair.lastActivity = now
        client.read(readBuffer, plaintext: &plaintext) { arrival in
            switch arrival {
            case .bytes(let bytes): pair.relay.receiveFromClient(bytes)
            case .end(let bytes):
                pair.relay.receiveFromClient(bytes)
                client.hasEnded = true
                pair.relay.clientFinished()
            case .nothing: if readiness.error { clientIsBroken(pair) }
            case .broken: clientIsBroken(pair)
            case .failed(let error, let bytes):
                pair.relay.receiveFromClient(bytes)
                // A bare port scan is not an error.
                if client.hasReceived {
                    logger.notice("\(Messages.clientTLS(error.description(advice: trustAdvice)))")
                }
                if case .plainHTTP = error { sendPlainRefusal(pair, error) }
                pair.relay.closeIdle()
            }
        }
    }

    /// A client that speaks HTTP to the TLS port is answered in HTTP, which it can show.
    private func sendPlainRefusal(_ pair: ProxyPair, _ error: TLSError) {
        let answer = Messages.plainHTTPRefusal(error.description)
        // A fresh connection accepts so few bytes at once.
        _ = answer.withUnsafeBytes { pair.client.socket.write($0) }
    }

    private func clientIsBroken(_ pair: ProxyPair) {
        pair.relay.clientBroke()
        drop(pair, reset: false)
    }

    /// Closes a client, and its connection to the upstream.
    func drop(_ pair: ProxyPair, reset: Bool) {
        guard !pair.isGone else { return }
        pair.isGone = true
        report(pair)
        if let link = pair.upstream { close(link, of: pair, reset: pair.relay.resetsUpstream) }
        unwatch(pair.client)
        if reset { pair.client.socket.reset() } else { pair.client.socket.close() }
        pairs[pair.place] = nil
        freePlaces.append(pair.place)
        pairCount -= 1
    }

    func watch(_ transport: RelayTransport, for interest: Interest) {
        guard let present = transport.interest, present != interest else { return }
        transport.interest = interest
        loop.modify(transport.socket.descriptor, token: transport.token, interest: interest)
    }

    func unwatch(_ transport: RelayTransport) {
        guard transport.interest != nil else { return }
        transport.interest = nil
        loop.remove(transport.socket.descriptor)
    }
}
