import Sockets
import TLS

/// The upstream: connecting to it, reading it, and dropping it.
extension ProxyHost {
    private static let ticketsKept = 16

    /// Begins a connection, unless it fails at once at every address.
    func connect(_ pair: ProxyPair, number: Int, _ now: MonotonicInstant) {
        linkCount += 1
        let link = UpstreamLink(
            number: number, recordingID: linkCount, addresses: addresses,
            endsAt: now.advanced(by: configuration.limits.connectTime))
        pair.upstream = link
        tryNextAddress(link, of: pair, now)
    }

    private func tryNextAddress(_ link: UpstreamLink, of pair: ProxyPair, _ now: MonotonicInstant) {
        abandonAttempt(link)
        while let address = link.addresses.popFirst() {
            // Each remaining address gets an equal share of the remaining time.
            let left = now.duration(to: link.endsAt) / (link.addresses.count + 1)
            link.attemptEndsAt = now.advanced(by: left)
            link.address = address
            do throws(SocketError) {
                let socket = try Socket.connect(to: address)
                let token = ProxyPair.upstreamToken(pair.place)
                do throws(SocketError) {
                    try loop.add(socket.descriptor, token: token, interest: .write)
                } catch {
                    socket.close()
                    throw error
                }
                let session = clientContext.map {
                    TLSSession(client: $0, host: configuration.upstream.host, resuming: tickets.popLast())
                }
                link.transport = RelayTransport(socket, token: token, session: session, interest: .write)
                return
            } catch {
                link.lastError = error
            }
        }
        pair.upstream = nil
        let limits = configuration.limits
        if let error = link.lastError, !error.isTimeout {
            pair.relay.upstreamFailed(.unreachable(error.description))
        } else {
            pair.relay.upstreamFailed(.connectTimeout(limits.connectTime))
        }
        touch(pair)
    }

    private func abandonAttempt(_ link: UpstreamLink) {
        guard let transport = link.transport else { return }
        unwatch(transport)
        transport.socket.close()
        link.transport = nil
    }

    /// Handles the time-out of an attempt, or of the handshake after it.
    func attemptTimedOut(_ link: UpstreamLink, of pair: ProxyPair, _ now: MonotonicInstant) {
        link.lastError = nil
        if link.isConnected { link.addresses = [] }
        tryNextAddress(link, of: pair, now)
    }

    func upstreamIsReady(_ pair: ProxyPair, _ readiness: Readiness, _ now: MonotonicInstant) {
        guard let link = pair.upstream, let transport = link.transport else { return }
        if !link.isConnected {
            guard readiness.writable || readiness.hangUp || readiness.error else { return }
            if let error = transport.socket.connectResult(to: link.address) {
                link.lastError = error
                tryNextAddress(link, of: pair, now)
                return
            }
            link.isConnected = true
            // The handshake has all of the remaining time.
            link.attemptEndsAt = link.endsAt
            prefer(link.address)
            openIfReady(link, of: pair, now)
            return
        }
        let isFinished = readiness.hangUp || readiness.error
        guard readiness.readable || isFinished else { return }
        if transport.hasEnded {
            if readiness.error { upstreamIsBroken(link, of: pair) } else if isFinished { unwatch(transport) }
            return
        }
        read(link, transport, of: pair, hasError: readiness.error, now)
    }

    private func read(
        _ link: UpstreamLink, _ transport: RelayTransport, of pair: ProxyPair, hasError: Bool, _ now: MonotonicInstant
    ) {
        pair.lastActivity = now
        transport.read(readBuffer, plaintext: &plaintext) { arrival in
            switch arrival {
            case .bytes(let bytes): received(bytes, link, of: pair, now)
            case .end(let bytes):
                received(bytes, link, of: pair, now)
                transport.hasEnded = true
                link.noteEnd(isReset: transport.wasCutOff)
                guard link.isOpen else { return handshakeFailed(link, of: pair, nil) }
                guard pair.relay.upstreamNumber == link.number else { return }
                if !transport.wasCutOff, !pair.relay.mayRepeat {
                    tap?.finished(link.recordingID, byServer: true, at: time(now))
                }
                pair.relay.upstreamFinished()
            case .nothing: if hasError { upstreamIsBroken(link, of: pair) }
            case .broken: upstreamIsBroken(link, of: pair)
            case .failed(let error, let bytes):
                received(bytes, link, of: pair, now)
                guard link.isOpen else { return handshakeFailed(link, of: pair, error) }
                logger.notice("\(Messages.upstreamTLS(error.description))")
                upstreamIsBroken(link, of: pair)
            }
        }
    }

    private func received(
        _ bytes: UnsafeRawBufferPointer, _ link: UpstreamLink, of pair: ProxyPair, _ now: MonotonicInstant
    ) {
        openIfReady(link, of: pair, now)
        guard !bytes.isEmpty else { return }
        flushHeld(link)
        tap?.serverSent(bytes, on: link.recordingID, at: time(now))
        if pair.relay.upstreamNumber == link.number { pair.relay.receiveFromUpstream(bytes) }
    }

    private func openIfReady(_ link: UpstreamLink, of pair: ProxyPair, _ now: MonotonicInstant) {
        guard !link.isOpen, let transport = link.transport, transport.isOpen else { return }
        link.isOpen = true
        pair.lastActivity = now
        tap?.opened(link.recordingID, scheme: configuration.upstream.scheme)
    }

    private func handshakeFailed(_ link: UpstreamLink, of pair: ProxyPair, _ error: TLSError?) {
        let reason = error?.description ?? TLSError.hungUp(from: .server, afterBytes: 0).description
        var isCertificate = false
        if case .refused = error { isCertificate = true }
        close(link, of: pair, reset: false)
        pair.relay.upstreamFailed(.tls(reason, isCertificate: isCertificate))
    }

    func upstreamIsBroken(_ link: UpstreamLink, of pair: ProxyPair) {
        guard link.isOpen || link.isConnected && link.transport?.session == nil else {
            return handshakeFailed(link, of: pair, nil)
        }
        link.noteEnd(isReset: true)
        link.transport?.hasEnded = true
        if let transport = link.transport { unwatch(transport) }
        if pair.relay.upstreamNumber == link.number { pair.relay.upstreamBroke() }
    }

    /// Moves the address that answered to the front.
    private func prefer(_ address: SocketAddress?) {
        guard let address, addresses.first != address else { return }
        addresses.removeAll { $0 == address }
        addresses.insert(address, at: 0)
    }

    /// Ends a connection to the upstream, and with it its part of the recording.
    func close(_ link: UpstreamLink, of pair: ProxyPair, reset: Bool) {
        pair.upstream = nil
        guard let transport = link.transport else { return }
        // Sent over a connection that was just closing: it is sent again, and that exchange is recorded.
        if pair.relay.upstreamNumber != nil { link.held = [] }
        flushHeld(link)
        if let session = transport.session, tickets.count < ProxyHost.ticketsKept, let ticket = session.takeTicket() {
            tickets.append(ticket)
        }
        unwatch(transport)
        if reset {
            transport.socket.reset()
        } else {
            if link.isOpen, !transport.hasEnded { transport.finish() }
            transport.socket.close()
        }
        guard link.isOpen else { return }
        tap?.ended(
            link.recordingID, byServer: link.wasEndedByServer, isReset: link.wasReset || reset, at: time(.now()))
    }

    func flushHeld(_ link: UpstreamLink) {
        guard !link.held.isEmpty else { return }
        for (bytes, time) in link.held {
            bytes.withUnsafeBytes { tap?.clientSent($0, on: link.recordingID, at: time) }
        }
        link.held = []
    }
}

extension UpstreamLink {
    /// Records that the upstream ended the connection, unless we had before.
    fileprivate func noteEnd(isReset: Bool) {
        if transport?.isShutDown == false { wasEndedByServer = true }
        wasReset = wasReset || isReset
    }
}
