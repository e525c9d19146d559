import FitIQAPI
import HTTP1
import HTTPTypes
import Traffic

/// The admin API's events: a journal as it grows.
extension Engine {
    /// `GET /__admin/events`: the entries as server-sent events, from now on or after the last one the client saw.
    ///
    /// - Returns: nil, as the answer has no end.
    func follow(_ world: World, _ exchange: Exchange) -> Answer? {
        let (connection, now) = (exchange.connection, exchange.now)
        var fields = ServerSentEvent.responseFields
        fields[.date] = world.clock.now(now).httpDateText
        connection.http.startResponse(status: .ok, fields: fields, into: &connection.output.bytes)
        connection.follower = Follower(
            world: world, lastNumber: ServerSentEvent.lastID(in: exchange.head.fields) ?? world.journal.lastNumber)
        connection.http.sendBody(ServerSentEvent.retry(milliseconds: 1000), into: &connection.output.bytes)
        if isShuttingDown {
            endEvents(on: connection, at: now)
        } else {
            followers.append(connection.id)
            arm(connection, .keepAlive, after: Follower.keepAliveInterval, at: now)
        }
        return nil
    }

    /// Queues what followers have not seen for the next turns of the loop, as far as they read it.
    func queueFollowers() {
        guard !followers.isEmpty else { return }
        followers.removeAll { self[$0]?.follower == nil }
        for id in followers {
            guard let connection = self[id], connection.ending == .none, !isReadingPaused(connection),
                let follower = connection.follower, !follower.isBehind, follower.hasNews
            else { continue }
            connection.follower?.isBehind = true
            streams.waiting.append(id)
        }
    }

    /// Sends a follower a slice of what it has not seen; the rest follows in later turns of the loop.
    ///
    /// - Returns: The cost of the slice.
    func feedFollower(_ connection: Connection) -> Int {
        guard var follower = connection.follower else { return 0 }
        follower.isBehind = false
        lendOutput(to: connection)
        let cost = follower.appendNews(
            to: connection, limit: limits.unsentBytesBeforeReadingPauses, slice: streams.sliceSize)
        if follower.hasNews, !isReadingPaused(connection) {
            follower.isBehind = true
            streams.waiting.append(connection.id)
        }
        connection.follower = follower
        touch(connection)
        account(connection)
        return cost
    }

    /// Sends a follower a sign of life; one that reads nothing is given up after a connection's idle time.
    func keepAlive(_ connection: Connection, at now: Timestamp) {
        guard let follower = connection.follower else { preconditionFailure("Only followers are kept alive.") }
        guard follower.unreadTime < patience.idle else { return end(connection, .reset) }
        if connection.output.isEmpty {
            lendOutput(to: connection)
            connection.http.sendBody(ServerSentEvent.keepAlive, into: &connection.output.bytes)
            touch(connection)
        } else {
            connection.follower?.unreadTime += Follower.keepAliveInterval
        }
        arm(connection, .keepAlive, after: Follower.keepAliveInterval, at: now)
    }

    /// Ends a stream of events cleanly: its world is gone, or the server stops.
    func endEvents(on connection: Connection, at now: Timestamp) {
        // The latest events, as far as the reader has room.
        if connection.follower?.hasNews ?? false, !isReadingPaused(connection) { _ = feedFollower(connection) }
        connection.follower = nil
        connection.http.endBody(into: &connection.output.bytes)
        linger(connection, at: now)
    }
}

/// A connection that receives the entries of a journal as they are made.
struct Follower {
    let world: World
    /// The number of the last entry that was sent.
    private(set) var lastNumber: Int
    /// Whether it is among those that get a slice next.
    var isBehind = false
    /// How long output has waited without the reader taking any of it, in nanoseconds.
    var unreadTime: Int64 = 0

    init(world: World, lastNumber: Int) {
        self.world = world
        // A number from another life of the server may be too large.
        self.lastNumber = min(max(lastNumber, 0), world.journal.lastNumber)
    }

    /// Time after which a stream without entries sends a sign of life, in nanoseconds: 15 s.
    static let keepAliveInterval: Int64 = 15_000_000_000

    /// Whether there are entries that it was not sent.
    var hasNews: Bool { world.journal.lastNumber > lastNumber }

    /// Sends entries until the connection holds `limit` bytes, or the slice is full.
    ///
    /// - Returns: The cost of the slice.
    mutating func appendNews(to connection: Connection, limit: Int, slice: Int) -> Int {
        let start = connection.output.writtenOffset
        var extraCost = 0
        func cost() -> Int { connection.output.writtenOffset - start + extraCost }
        let encoder = world.journalEncoder
        let missed = world.journal.missedCount(after: lastNumber)
        if missed > 0 {
            let text = Array("\(missed) entries fell out of the journal before they could be sent".utf8)
            connection.http.sendBody(ServerSentEvent(event: "missed", data: text).bytes, into: &connection.output.bytes)
            // Sent once, though the journal may be empty now.
            lastNumber += missed
        }
        for entry in world.journal.entries(after: lastNumber) {
            connection.http.sendBody(ServerSentEvent(entry, encoder: encoder).bytes, into: &connection.output.bytes)
            lastNumber = entry.number
            extraCost += entry.extraCost
            if connection.output.count > limit || cost() >= slice { break }
        }
        return cost()
    }
}
