import FitIQAPI
import JSON
import Judging
import Traffic

/// Sends new journal entries to the connections that follow them.
extension Engine {
    /// Starts the event stream of a follower.
    func begin(_ follower: Follower, on connection: Connection, at now: Timestamp) {
        let world = follower.world
        var fields = ServerSentEvent.responseFields
        fields[.date] = world.date(of: world.clock.now(now)).httpDateText
        connection.http.startResponse(status: .ok, fields: fields, into: &connection.output.bytes)
        connection.sendBody(ServerSentEvent.retry(milliseconds: 1000))
        var follower = follower
        follower.sendWorld(to: connection, instance: instance, at: now)
        connection.follower = follower
        if isShuttingDown {
            endEvents(on: connection, at: now)
        } else {
            followers.append(connection.id)
            arm(connection, .keepAlive, after: Follower.keepAliveInterval, at: now)
        }
    }

    /// Whether an event stream of a world has this controller's name.
    func hasController(_ name: ExactString, of world: World) -> Bool {
        followers.contains { id in
            guard let follower = self[id]?.follower else { return false }
            return follower.controller == name && follower.world === world
        }
    }

    /// Queues the followers that have unsent entries and room for them, and wakes the waits for which there are new
    /// entries.
    func queueFollowers() {
        guard !followers.isEmpty else { return }
        followers.removeAll { self[$0].map { !$0.isFollower && $0.waiter == nil } ?? true }
        for id in followers {
            if let connection = self[id], connection.waiter?.hasNews == true { wakeStream(of: connection) }
            guard let connection = self[id], connection.ending == .none, !isReadingPaused(connection),
                let follower = connection.follower, !follower.isBehind, follower.hasNews
            else { continue }
            connection.follower?.isBehind = true
            streams.waiting.append(id)
        }
    }

    /// Sends a follower a slice of its unsent entries and returns the cost; later turns send the rest.
    func feedFollower(_ connection: Connection, at now: Timestamp) -> Int {
        guard var follower = connection.follower else { return 0 }
        follower.isBehind = false
        lendOutput(to: connection)
        let cost = follower.appendNews(
            to: connection, limit: limits.unsentBytesBeforeReadingPauses, slice: streams.sliceSize, instance: instance,
            at: now)
        if follower.hasNews, !isReadingPaused(connection) {
            follower.isBehind = true
            streams.waiting.append(connection.id)
        }
        connection.follower = follower
        touch(connection)
        account(connection)
        return cost
    }

    /// Sends a follower a comment to keep the stream alive; resets a follower that has read nothing for the whole idle
    /// time.
    func keepAlive(_ connection: Connection, at now: Timestamp) {
        guard let follower = connection.follower else { preconditionFailure("Only followers may be kept alive.") }
        guard follower.unreadTime < patience.idle else { return end(connection, .reset) }
        // An obligation can be broken just because time passes.
        connection.follower?.verdicts?.isDue = true
        if connection.output.isEmpty {
            lendOutput(to: connection)
            connection.sendBody(ServerSentEvent.keepAlive)
            touch(connection)
        } else {
            connection.follower?.unreadTime += Follower.keepAliveInterval
        }
        arm(connection, .keepAlive, after: Follower.keepAliveInterval, at: now)
    }

    /// Ends an event stream cleanly because its world is gone or the server is stopping.
    func endEvents(on connection: Connection, at now: Timestamp) {
        // Sends the latest entries if the reader has room.
        if connection.follower?.hasNews == true, !isReadingPaused(connection) { _ = feedFollower(connection, at: now) }
        let follower = connection.follower
        connection.follower = nil
        if let world = follower?.world { breakpoints.disableAbandoned(of: world, at: now) }
        connection.http.endBody(into: &connection.output.bytes)
        linger(connection, at: now)
    }
}

/// A connection that receives a journal's entries as they are recorded.
struct Follower {
    let world: World
    /// The number of the last entry that was sent.
    private(set) var lastNumber: Int
    /// Whether the follower is queued for a slice.
    var isBehind = false
    /// How long the reader has gone without reading any of the waiting output, in nanoseconds.
    var unreadTime: Int64 = 0
    /// The name under which this stream owns breakpoints; nil if it owns none.
    var controller: ExactString?
    /// The verdicts sent so far; nil if the stream has no verdicts.
    var verdicts: WatchedVerdicts?
    /// The world's life as last reported to the client.
    private var life = 0

    init(world: World, lastNumber: Int) {
        self.world = world
        // A number from before a server restart may be too large.
        self.lastNumber = min(max(lastNumber, 0), world.journal.lastNumber)
    }

    /// The interval between comments that keep the stream alive, in nanoseconds: 15 s.
    static let keepAliveInterval: Int64 = 15_000_000_000

    /// Whether there is something to send.
    var hasNews: Bool {
        world.journal.lastNumber > lastNumber || world.life != life || verdicts?.isBehind(in: world) ?? false
    }

    /// Describes the world; sent first, and again whenever the world restarts.
    mutating func sendWorld(to connection: Connection, instance: String, at now: Timestamp) {
        life = world.life
        verdicts?.forget()
        let data = JSONWriter.object { writer in
            writer.member("id", world.name)
            writer.member("scenario", world.settings.scenario.name)
            writer.member("guide", world.mode.rawValue)
            writer.member("clock", world.clock.manualTime == nil ? "real" : "manual")
            writer.member("now", world.date(of: world.clock.now(now)).nanosecondText)
            writer.member("first_number", world.journal.firstNumber)
            writer.member("last_number", world.journal.lastNumber)
            writer.member("instance", instance)
        }
        connection.sendBody(ServerSentEvent(event: "world", data: data).bytes)
    }

    /// Sends entries until the connection holds `limit` bytes, or the slice is full, and returns the cost.
    ///
    /// The description of a restarted world comes before its entries. Verdicts follow the entries that caused them.
    mutating func appendNews(
        to connection: Connection, limit: Int, slice: Int, instance: String, at now: Timestamp
    ) -> Int {
        let start = connection.output.writtenOffset
        var extraCost = 0
        func cost() -> Int { connection.output.writtenOffset - start + extraCost }
        let encoder = world.journalEncoder
        if world.life != life { sendWorld(to: connection, instance: instance, at: now) }
        let missed = world.journal.missedCount(after: lastNumber)
        if missed > 0 {
            let text = JSONWriter.object { writer in
                writer.member("missed", missed)
                writer.member("first_number", world.journal.firstNumber)
            }
            connection.sendBody(ServerSentEvent(event: "missed", data: text).bytes)
            // Reports the gap once, even if the journal is empty now.
            lastNumber += missed
        }
        for entry in world.journal.entries(after: lastNumber) {
            connection.sendBody(ServerSentEvent(entry, encoder: encoder).bytes)
            lastNumber = entry.number
            extraCost += entry.extraCost
            if connection.output.count > limit || cost() >= slice { return cost() }
        }
        while verdicts?.isBehind(in: world) ?? false, connection.output.count <= limit, cost() < slice {
            guard let spent = world.judgeNextWaiting() else {
                extraCost += 16 * 1024
                guard let change = verdicts?.takeChange(in: world, at: now) else { break }
                connection.sendBody(ServerSentEvent(event: "verdicts", data: change).bytes)
                break
            }
            extraCost += spent
        }
        return cost()
    }
}

/// The verdicts that an event stream has sent.
struct WatchedVerdicts {
    /// The sent outcome and counts of exercises and findings, by the obligation's id.
    private var sent: [ExactString: [Int]] = [:]
    /// The last judged entry's number, and the manual clock's time at the judgement; nil before the first judgement.
    private var judged: (number: Int, time: Timestamp?)?
    /// Whether time has passed since the last judgement.
    var isDue = false

    func isBehind(in world: World) -> Bool {
        guard !isDue, let judged else { return true }
        return judged.number < world.journal.lastNumber || judged.time != world.clock.manualTime
    }

    /// Clears the sent verdicts because the world and its judge have restarted.
    mutating func forget() { (sent, judged) = ([:], nil) }

    /// The verdicts that have changed since the last call, or all verdicts in the first call; nil if none have changed.
    mutating func takeChange(in world: World, at now: Timestamp) -> [UInt8]? {
        let verdicts = world.judgement(at: world.date(of: world.clock.now(now))).verdicts
        (judged, isDue) = ((world.journal.lastNumber, world.clock.manualTime), false)
        let changed = verdicts.filter { verdict in
            let state = [
                Verdict.Outcome.allCases.firstIndex(of: verdict.outcome) ?? 0, verdict.exercisedCount,
                verdict.findingCount,
            ]
            return sent.updateValue(state, forKey: ExactString(verdict.obligation.id)) != state
        }
        guard !changed.isEmpty else { return nil }
        return JSONWriter.object { writer in
            writer.array("verdicts") { writer in for verdict in changed { verdict.write(to: &writer) } }
        }
    }
}
