import FitIQAPI

/// What happens when connections hold too many bytes together: those that hold most are given up, and others are served.
extension Engine {
    /// Gives up the largest holders where the limits are exceeded.
    ///
    /// Costs two comparisons below the limits. Beyond one it looks at every connection, and frees an eighth of the limit, so
    /// that as many bytes have to arrive before it looks again.
    ///
    /// - Parameter world: the world that is being served, which has its time already.
    func relieve(in world: World? = nil, at now: Timestamp) {
        if connections.heldBytes + jobs.heldBytes > limits.heldBytes {
            giveUpLargest(
                downTo: Self.relieved(limits.heldBytes) - jobs.heldBytes, of: limits.heldBytes, in: world, at: now)
        }
        if connections.echoBytes > limits.echoBytes {
            let target = Self.relieved(limits.echoBytes)
            giveUpLargest(downTo: target, of: limits.echoBytes, echoOnly: true, in: world, at: now)
        }
    }

    /// Whether an answer can be held beside all else, after others have been given up for it if need be.
    ///
    /// So small answers, those to probes among them, always have room.
    func hasRoom(forBytes count: Int, in world: World, at now: Timestamp) -> Bool {
        guard connections.heldBytes + jobs.heldBytes + count > limits.heldBytes else { return true }
        // The request's own body is gone.
        if let answering { account(answering) }
        let room = min(Self.relieved(limits.heldBytes), limits.heldBytes - count) - jobs.heldBytes
        // No one is given up for an answer that has no room anyway.
        guard room >= (answering?.accountedBytes ?? 0) else { return false }
        giveUpLargest(downTo: room, of: limits.heldBytes, in: world, at: now)
        return connections.heldBytes <= room
    }

    /// Whether a job may hold so much of a request beside what other jobs hold: they cannot be given up, and so leave a
    /// quarter of the limit to everybody else.
    func hasRoom(forJobOf bytes: Int) -> Bool {
        jobs.heldBytes == 0 || jobs.heldBytes + bytes <= limits.jobBytes
    }

    private static func relieved(_ limit: Int) -> Int { limit - limit / 8 }

    private func giveUpLargest(
        downTo target: Int, of limit: Int, echoOnly: Bool = false, in world: World?, at now: Timestamp
    ) {
        var holders: [Connection] = []
        for connection in connections
        where connection.accountedBytes > 0 && connection !== answering && (!echoOnly || connection.isEcho) {
            holders.append(connection)
        }
        holders.sort { ($0.accountedBytes, $1.id.place) > ($1.accountedBytes, $0.id.place) }
        for connection in holders {
            guard (echoOnly ? connections.echoBytes : connections.heldBytes) > target else { return }
            if connection.isOpenSocket, connection.world !== world { connection.world?.setTime(now) }
            giveUp(connection, limit: limit, at: now)
        }
    }

    private func giveUp(_ connection: Connection, limit: Int, at now: Timestamp) {
        let isArriving =
            connection.speaks == .http && connection.follower == nil && connection.stream == nil
            && connection.waiting == nil && connection.ending == .none
        // A refusal frees what has arrived, and not what the client leaves unread.
        if isArriving, connection.http.isReadingBody, connection.output.isEmpty, !connection.output.isHeld {
            lendOutput(to: connection)
            refuse(connection, .tooMuchHeld(limit: limit), at: now)
            touch(connection)
        } else {
            cutOff(connection, .memory(limit: limit))
        }
        account(connection)
    }
}
