import Sockets

/// The work that a turn leaves for a pair.
extension ProxyHost {
    /// Brings the transports into the state that the relay wants: connected, fed, ended, watched.
    func settle(_ pair: ProxyPair, _ now: MonotonicInstant) {
        // Each round may leave work for the next: a refusal after a failure, a connection after an end.
        while !pair.isGone {
            if let link = pair.upstream, link.number != pair.relay.upstreamNumber {
                close(link, of: pair, reset: pair.relay.resetsUpstream)
            }
            if pair.upstream == nil, let number = pair.relay.upstreamNumber {
                connect(pair, number: number, now)
                if pair.relay.upstreamNumber != number { continue }
            }
            if let link = pair.upstream, let transport = link.transport, link.isConnected {
                sendToUpstream(link, transport, pair, now)
                if pair.relay.upstreamNumber != link.number { continue }
            }
            break
        }
        // Before the client sees an answer, its log lines are written.
        report(pair)
        guard !pair.isGone, sendToClient(pair, now) else { return }
        watchClient(pair)
        watchUpstream(pair)
        if let deadline = pair.deadline(configuration.limits) { nextScan = min(nextScan ?? deadline, deadline) }
    }

    /// Logs the relay's events.
    func report(_ pair: ProxyPair) {
        for event in pair.relay.takeEvents() {
            switch event {
            case .answered(let method, let target, let status):
                logger.info("\(method) \(Messages.printable(target)) \(status)")
            case .opened(let target): logger.info("WebSocket \(Messages.printable(target)) opened")
            case .refused(let status, let message): logger.warning("\(status): \(message)")
            case .brokenOff(let sentence): logger.notice("\(sentence)")
            }
        }
    }

    private func sendToUpstream(
        _ link: UpstreamLink, _ transport: RelayTransport, _ pair: ProxyPair, _ now: MonotonicInstant
    ) {
        if transport.isMute {
            pair.relay.sentToUpstream(pair.relay.toUpstream.count)
            return
        }
        let departure = transport.send { write in
            guard transport.isOpen else {
                // The TLS handshake comes first; its own bytes are sent all the same.
                return 0
            }
            let isHeld = pair.relay.mayRepeat
            return pair.relay.toUpstream.withBytes { bytes in
                let count = write(bytes)
                guard count > 0, let tap else { return count }
                let sent = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                if isHeld {
                    link.held.append((Array(sent), time(now)))
                } else {
                    flushHeld(link)
                    tap.clientSent(sent, on: link.recordingID, at: time(now))
                }
                return count
            }
        } _: { count in
            pair.relay.sentToUpstream(count)
            pair.lastActivity = now
        }
        switch departure {
        case .done:
            if pair.relay.finishesUpstream, transport.isOpen, pair.relay.toUpstream.isEmpty { transport.finish() }
        case .blocked: break
        case .broken:
            // Bytes received before can still be read, such as an answer to half a body; the end comes after them.
            transport.takesNothing = true
            pair.relay.sentToUpstream(pair.relay.toUpstream.count)
        }
    }

    /// Sends, and obeys the ending; false if the pair is gone.
    private func sendToClient(_ pair: ProxyPair, _ now: MonotonicInstant) -> Bool {
        let client = pair.client
        if client.isMute { pair.relay.sentToClient(pair.relay.toClient.count) }
        let departure = client.send { write in
            client.isOpen && !client.isMute ? pair.relay.toClient.withBytes(write) : 0
        } _: { count in
            pair.relay.sentToClient(count)
            pair.lastActivity = now
            pair.lastTaken = now
        }
        if case .broken = departure {
            pair.relay.clientBroke()
            drop(pair, reset: false)
            return false
        }
        let ending = pair.relay.clientEnding
        if ending != .none, ending != .finish, pair.endingSince == nil { pair.endingSince = now }
        guard case .done = departure, pair.relay.toClient.isEmpty || !client.isOpen else { return true }
        switch ending {
        case .none: return true
        case .finish: client.finish()
        case .reset:
            drop(pair, reset: true)
            return false
        case .close:
            client.finish()
            if client.hasEnded {
                drop(pair, reset: false)
                return false
            }
        }
        return true
    }

    private func watchClient(_ pair: ProxyPair) {
        let client = pair.client
        var interest: Interest = []
        if !client.hasEnded, pair.relay.wantsClientBytes || pair.endingSince != nil || client.isShakingHands {
            interest.insert(.read)
        }
        if client.session?.hasCiphertext ?? false || (client.isOpen && !pair.relay.toClient.isEmpty) {
            interest.insert(.write)
        }
        watch(client, for: interest)
    }

    private func watchUpstream(_ pair: ProxyPair) {
        guard let link = pair.upstream, let transport = link.transport else { return }
        guard link.isConnected else { return watch(transport, for: .write) }
        var interest: Interest = []
        if !transport.hasEnded, pair.relay.wantsUpstreamBytes || !link.isOpen { interest.insert(.read) }
        let hasCiphertext = transport.session?.hasCiphertext ?? false
        if !transport.takesNothing, hasCiphertext || (transport.isOpen && !pair.relay.toUpstream.isEmpty) {
            interest.insert(.write)
        }
        watch(transport, for: interest)
    }

    /// Handles an expired deadline of a pair.
    func timeIsUp(_ pair: ProxyPair, _ now: MonotonicInstant) {
        if pair.endingSince != nil {
            // The bytes accepted by the system are still on their way to the client: a reset would drop them.
            drop(pair, reset: pair.relay.clientEnding != .close || !pair.client.isShutDown)
        } else if pair.client.isShakingHands {
            logger.notice("\(Messages.handshakeTimeout(configuration.limits.handshakeTime))")
            drop(pair, reset: true)
        } else if let link = pair.upstream, !link.isOpen {
            attemptTimedOut(link, of: pair, now)
        } else {
            pair.relay.timeIsUp()
        }
    }
}
