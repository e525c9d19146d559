import FitIQAPI
import Hosting
import Sockets

/// Clients: accepting, reading, feeding and dropping them.
extension ProxyHost {
    /// So many clients at once get a refusal; further connections are reset.
    private static let refusalsAtOnce = 32

    func begin(_ socket: Socket, isSecure: Bool, _ now: Timestamp) {
        guard pairCount < limits.connections + ProxyHost.refusalsAtOnce else { return socket.reset() }
        let place = freePlaces.popLast() ?? pairs.count
        if place == pairs.count { pairs.append(nil) }
        guard let client = loop.serve(socket, token: UInt64(place) * 2, isSecure: isSecure) else {
            return freePlaces.append(place)
        }
        let relay = Relay(upstream: upstream, isClientSecure: isSecure, limits: limits)
        let pair = ProxyPair(place: place, relay: relay, client: client, now: now)
        pairs[place] = pair
        pairCount += 1
        if pairCount > limits.connections { pair.relay.refuseForLimit() }
        touch(pair)
    }

    func clientIsReady(_ pair: ProxyPair, _ readiness: Readiness, _ now: Timestamp) {
        guard let reading = read(pair.client, readiness, { pair.relay.receiveFromClient($0) }) else { return }
        pair.lastActivity = now
        switch reading {
        case .bytes, .nothing: break
        case .end: pair.relay.clientFinished()
        case .broken: clientIsBroken(pair)
        case .failed(let error):
            // A bare port scan is not an error.
            if pair.client.hasReceived {
                logger.notice("\(Messages.clientTLS(error.description(advice: loop.trustAdvice)))")
            }
            // A client that speaks HTTP to the TLS port is answered in HTTP, which it can show. One beyond the limit has
            // its answer already.
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

    /// Sends, and obeys the ending; false if the pair is gone.
    func sendToClient(_ pair: ProxyPair, _ now: Timestamp) -> Bool {
        let client = pair.client
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
        loop.close(pair.client, reset: reset)
        pairs[pair.place] = nil
        freePlaces.append(pair.place)
        pairCount -= 1
        forgetDeadlines()
    }
}
