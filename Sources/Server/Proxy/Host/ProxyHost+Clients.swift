import FitIQAPI
import Hosting
import Sockets
import TLS
import Text

/// Accepts clients, reads from them, sends to them, and drops them.
extension ProxyHost {
    /// The maximum number of connections over the limit that get a refusal at a time; the host resets further ones.
    private static let refusalsAtOnce = 32

    func begin(_ socket: Socket, isSecure: Bool, _ now: Timestamp) {
        guard let server, pairCount < limits.connections + ProxyHost.refusalsAtOnce else { return socket.reset() }
        let place = takePlace()
        guard let client = loop.serve(socket, token: firstToken + UInt64(place) * 2, isSecure: isSecure) else {
            return freePlaces.append(place)
        }
        let relay = Relay(upstream: server.url, isClientSecure: isSecure, limits: limits)
        let pair = add(ProxyPair(place: place, RelaySide(relay), server, client: client, now: now))
        if pairCount > limits.connections { pair.relay.refuseForLimit() }
        touch(pair)
    }

    private func takePlace() -> Int {
        let place = freePlaces.popLast() ?? pairs.count
        if place == pairs.count { pairs.append(nil) }
        return place
    }

    private func add(_ pair: ProxyPair) -> ProxyPair {
        pairs[pair.place] = pair
        pairCount += 1
        return pair
    }

    /// Serves an engine's relay at the end of the turn; on the first call also gives the relay a place.
    package func touch(_ side: RelaySide, _ now: Timestamp) {
        if let place = side.place, let pair = pairs[place], pair.side === side { return touch(pair) }
        guard !side.isAbandoned, side.place == nil else { return }
        let url = side.relay.upstream
        do throws(TLSError) {
            let server = try server(at: url)
            let pair = add(ProxyPair(place: takePlace(), side, server, client: nil, now: now))
            side.place = pair.place
            touch(pair)
        } catch {
            side.relay.upstreamFailed(.tls(error.description, isCertificate: false))
            deliver?(side, now)
        }
    }

    private func server(at url: UpstreamURL) throws(TLSError) -> UpstreamServer {
        if let known = servers[url] { return known }
        let server = try UpstreamServer(url, trust: trust)
        // Pairs retain their servers; any other server is created again when needed.
        if servers.count >= Self.serversKept { servers.removeAll() }
        servers[url] = server
        return server
    }

    /// The maximum number of upstreams to remember with their addresses and TLS tickets.
    private static let serversKept = 64

    /// Delivers the output of an engine's relay to the engine; returns false if that ends the pair.
    private func deliver(_ pair: ProxyPair, _ now: Timestamp) -> Bool {
        if !pair.side.isAbandoned { deliver?(pair.side, now) }
        if pair.side.isAbandoned { pair.relay.sentToClient(pair.relay.toClient.count) }
        let ending = pair.relay.clientEnding
        guard ending == .reset || ending == .close, pair.relay.toClient.isEmpty else { return true }
        drop(pair, reset: false)
        return false
    }

    func clientIsReady(_ pair: ProxyPair, _ readiness: Readiness, _ now: Timestamp) {
        guard let client = pair.client,
            let reading = read(client, readiness, { pair.relay.receiveFromClient($0) })
        else { return }
        pair.lastActivity = now
        switch reading {
        case .bytes, .nothing: break
        case .end: pair.relay.clientFinished()
        case .broken: clientIsBroken(pair)
        case .failed(let error):
            // A port scan sends nothing, and is not an error.
            if client.hasReceived {
                logger.notice("\(Messages.clientTLS(error.description(advice: loop.trustAdvice)))")
            }
            // Answers a client that sends HTTP to the TLS port in HTTP, so that it can show the answer. A client over
            // the limit already has an answer.
            if case .plainHTTP = error, pair.relay.clientEnding == .none {
                pair.relay.toClient.append(Messages.plainHTTPRefusal(error.description))
            }
            pair.relay.closeIdle()
        }
    }

    private func clientIsBroken(_ pair: ProxyPair) {
        pair.relay.clientBroke()
        drop(pair, reset: false)
    }

    /// Sends output and then ends the connection if the relay wants that; returns false if the pair is gone.
    func sendToClient(_ pair: ProxyPair, _ now: Timestamp) -> Bool {
        guard let client = pair.client else { return deliver(pair, now) }
        if client.isMute {
            client.forgetOutput()
            pair.relay.sentToClient(pair.relay.toClient.count)
        }
        var isBlocked = false
        sending: while true {
            let isLast = [.finish, .close].contains(pair.relay.clientEnding)
            switch pair.relay.toClient.withBytes({ client.send($0, isLast: isLast) }) {
            case nil: break sending
            case .wrote(let count):
                pair.relay.sentToClient(count)
                (pair.lastActivity, pair.lastTaken) = (now, now)
            case .wouldBlock:
                isBlocked = true
                break sending
            case .failed:
                clientIsBroken(pair)
                return false
            }
        }
        let ending = pair.relay.clientEnding
        if ending != .none, ending != .finish, pair.endingSince == nil { pair.endingSince = now }
        guard !isBlocked, pair.relay.toClient.isEmpty, ending != .none else { return true }
        if ending != .reset { client.finish() }
        guard ending == .reset || ending == .close && client.hasEnded else { return true }
        drop(pair, reset: ending == .reset)
        return false
    }

    func drop(_ pair: ProxyPair, reset: Bool) {
        guard !pair.isGone else { return }
        pair.isGone = true
        report(pair)
        if let link = pair.upstream { close(link, of: pair, reset: pair.relay.resetsUpstream) }
        if let client = pair.client { loop.close(client, reset: reset) }
        pairs[pair.place] = nil
        freePlaces.append(pair.place)
        pairCount -= 1
        forgetDeadlines()
    }
}
