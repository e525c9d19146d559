import FitIQAPI
import Hosting
import Sockets
import TLS

/// Connects to upstreams, reads from them, sends to them, and drops connections.
extension UpstreamHost {
    private static let ticketsKept = 16

    /// Starts connecting: looks up the upstream's addresses if necessary, and tries them in order.
    func connect(_ pair: UpstreamPair, number: Int, _ now: Timestamp) {
        linkCount += 1
        let link = UpstreamLink(
            number: number, recordingID: linkCount, addresses: pair.server.addresses,
            endsAt: now.advanced(by: limits.connectTime))
        pair.link = link
        link.isLookingUp = true
        if pair.server.addresses.isEmpty { lookUp(pair.server) }
        if pair.server.lookup == nil { useAddresses(of: pair.server, for: pair, now) }
    }

    /// Looks up an upstream's addresses, on another thread if the lookup takes time.
    private func lookUp(_ server: UpstreamServer) {
        guard server.lookup == nil else { return }
        do throws(SocketError) {
            if let known = try SocketAddress.resolveAtOnce(host: server.url.host, port: server.url.port) {
                server.addresses = known
            } else {
                let mailbox = loop.events.mailbox
                server.lookup = try HostLookup(host: server.url.host, port: server.url.port) { mailbox.post {} }
                searching.append(server)
            }
            server.lookupError = nil
        } catch {
            server.lookupError = error
        }
    }

    /// Continues connecting the pairs whose lookups have ended.
    func followLookups(_ now: Timestamp) {
        for server in searching {
            guard let answer = server.lookup?.answer else { continue }
            server.lookup = nil
            do throws(SocketError) { server.addresses = try answer.get() } catch { server.lookupError = error }
            for pair in pairs {
                if let pair, pair.server === server { useAddresses(of: server, for: pair, now) }
            }
        }
        searching.removeAll { $0.lookup == nil }
    }

    private func useAddresses(of server: UpstreamServer, for pair: UpstreamPair, _ now: Timestamp) {
        guard let link = pair.link, link.isLookingUp else { return }
        link.isLookingUp = false
        link.addresses = server.addresses[...]
        link.lastError = server.lookupError
        if server.addresses.contains(where: isOwn) {
            link.addresses = []
            pair.link = nil
            pair.relay.upstreamFailed(.unreachable(Messages.itself))
            return touch(pair)
        }
        tryNextAddress(link, of: pair, now)
    }

    private func tryNextAddress(_ link: UpstreamLink, of pair: UpstreamPair, _ now: Timestamp) {
        if let stream = link.stream { loop.close(stream) }
        link.stream = nil
        while let address = link.addresses.popFirst() {
            // Divides the remaining time equally among the remaining addresses.
            let left = link.endsAt.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch
            link.attemptEndsAt = now.advanced(byNanoseconds: left / Int64(link.addresses.count + 1))
            link.address = address
            do throws(SocketError) {
                let socket = try Socket.connect(to: address)
                link.stream = try loop.add(socket, token: Self.firstToken + UInt64(pair.place), for: .write) {
                    [server = pair.server] in
                    server.context.map {
                        TLSSession(client: $0, host: server.url.host, resuming: server.tickets.popLast())
                    }
                }
                return
            } catch {
                link.lastError = error
            }
        }
        pair.link = nil
        // The name may have different addresses next time.
        pair.server.addresses = []
        let reason = link.lastError.flatMap { $0.isTimeout ? nil : $0.description }
        pair.relay.upstreamFailed(reason.map { .unreachable($0) } ?? .connectTimeout(limits.connectTime))
        touch(pair)
    }

    /// Handles a time-out while connecting, or during the TLS handshake that follows.
    func attemptTimedOut(_ link: UpstreamLink, of pair: UpstreamPair, _ now: Timestamp) {
        link.lastError = nil
        if link.isConnected { link.addresses = [] }
        tryNextAddress(link, of: pair, now)
    }

    func linkIsReady(_ pair: UpstreamPair, _ readiness: Readiness, _ now: Timestamp) {
        guard let link = pair.link, let stream = link.stream else { return }
        guard link.isConnected else {
            if readiness.writable || readiness.hangUp || readiness.error { connected(link, stream, of: pair, now) }
            return
        }
        guard let reading = read(stream, readiness, { received($0, link, stream, of: pair, now) }) else { return }
        pair.lastActivity = now
        switch reading {
        case .bytes, .nothing: break
        case .end:
            link.noteEnd(isReset: stream.wasCutOff)
            guard link.isOpen else { return handshakeFailed(link, of: pair, nil) }
            guard pair.relay.upstreamNumber == link.number else { return }
            if !stream.wasCutOff, !pair.relay.mayRepeat { tap?.finished(link.recordingID, byServer: true, at: now) }
            pair.relay.upstreamFinished()
        case .broken: upstreamIsBroken(link, stream, of: pair)
        case .failed(let error):
            guard link.isOpen else { return handshakeFailed(link, of: pair, error) }
            pair.relay.events.append(.brokenOff(Messages.upstreamTLS(error.description)))
            upstreamIsBroken(link, stream, of: pair)
        }
    }

    /// Reads from a ready stream; nil if there is nothing to handle.
    func read(
        _ stream: SocketStream, _ readiness: Readiness, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> SocketStream.Reading? {
        let isFinished = readiness.hangUp || readiness.error
        guard readiness.readable || isFinished else { return nil }
        guard !stream.hasEnded else {
            // The connection is dead in both directions; only bytes that arrived earlier remain to be handled.
            if readiness.error { return .broken }
            if isFinished { loop.unwatch(stream) }
            return nil
        }
        let reading = stream.read(into: loop.buffer, body)
        if case .nothing = reading { return readiness.error ? .broken : nil }
        return reading
    }

    private func connected(_ link: UpstreamLink, _ stream: SocketStream, of pair: UpstreamPair, _ now: Timestamp) {
        if let error = stream.socket.connectResult(to: link.address) {
            link.lastError = error
            return tryNextAddress(link, of: pair, now)
        }
        link.isConnected = true
        // The handshake may use all the remaining time.
        link.attemptEndsAt = link.endsAt
        if let address = link.address { pair.server.prefer(address) }
        openIfReady(link, stream, of: pair, now)
    }

    private func received(
        _ bytes: UnsafeRawBufferPointer, _ link: UpstreamLink, _ stream: SocketStream, of pair: UpstreamPair,
        _ now: Timestamp
    ) {
        openIfReady(link, stream, of: pair, now)
        guard !bytes.isEmpty else { return }
        flushHeld(link)
        tap?.serverSent(bytes, on: link.recordingID, at: now)
        if pair.relay.upstreamNumber == link.number { pair.relay.receiveFromUpstream(bytes) }
    }

    private func openIfReady(_ link: UpstreamLink, _ stream: SocketStream, of pair: UpstreamPair, _ now: Timestamp) {
        guard !link.isOpen, stream.isAgreed else { return }
        link.isOpen = true
        pair.lastActivity = now
        tap?.opened(link.recordingID, scheme: pair.server.url.scheme)
    }

    private func handshakeFailed(_ link: UpstreamLink, of pair: UpstreamPair, _ error: TLSError?) {
        let error = error ?? .hungUp(from: .server, afterBytes: 0)
        let isCertificate = if case .refused = error { true } else { false }
        close(link, of: pair, reset: false)
        pair.relay.upstreamFailed(.tls(error.description, isCertificate: isCertificate))
    }

    private func upstreamIsBroken(_ link: UpstreamLink, _ stream: SocketStream, of pair: UpstreamPair) {
        guard link.isOpen else { return handshakeFailed(link, of: pair, nil) }
        link.noteEnd(isReset: true)
        loop.unwatch(stream)
        if pair.relay.upstreamNumber == link.number { pair.relay.upstreamBroke() }
    }

    func send(_ link: UpstreamLink, _ stream: SocketStream, _ pair: UpstreamPair, _ now: Timestamp) {
        let finishes = pair.relay.finishesUpstream
        while !stream.isMute {
            switch pair.relay.toUpstream.withBytes({ stream.send($0, isLast: finishes) }) {
            case nil:
                if finishes, stream.isOpen, pair.relay.toUpstream.isEmpty { stream.finish() }
                return
            case .wrote(let count):
                if let tap, count > 0 {
                    pair.relay.toUpstream.withBytes { bytes in
                        let sent = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                        if pair.relay.mayRepeat { return link.held.append((Array(sent), now)) }
                        flushHeld(link)
                        tap.clientSent(sent, on: link.recordingID, at: now)
                    }
                }
                pair.relay.sentToUpstream(count)
                pair.lastActivity = now
            case .wouldBlock: return
            // The host can still read bytes that arrived earlier, such as an answer to half a body.
            case .failed: stream.takesNothing = true
            }
        }
        stream.forgetOutput()
        pair.relay.sentToUpstream(pair.relay.toUpstream.count)
    }

    /// Ends a connection to the upstream, and the connection's part of the recording.
    func close(_ link: UpstreamLink, of pair: UpstreamPair, reset: Bool) {
        pair.link = nil
        guard let stream = link.stream else { return }
        // The upstream was closing the connection. The relay sends the request again, and the tap records that
        // exchange.
        if pair.relay.upstreamNumber != nil { link.held = [] }
        flushHeld(link)
        if let session = stream.session, pair.server.tickets.count < UpstreamHost.ticketsKept,
            let ticket = session.takeTicket()
        {
            pair.server.tickets.append(ticket)
        }
        if !reset, link.isOpen, !stream.hasEnded, !link.wasReset { stream.finish() }
        loop.close(stream, reset: reset)
        guard link.isOpen else { return }
        tap?.ended(
            link.recordingID, byServer: link.wasEndedByServer, isReset: link.wasReset || reset,
            at: loop.time(.now()))
    }

    private func flushHeld(_ link: UpstreamLink) {
        for (bytes, time) in link.held {
            bytes.withUnsafeBytes { tap?.clientSent($0, on: link.recordingID, at: time) }
        }
        link.held = []
    }
}
