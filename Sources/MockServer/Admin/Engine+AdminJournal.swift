import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Recording

/// The admin API's journal: what happened in a world, as lists, as lines and as it happens.
extension Engine {
    /// `GET /__admin/requests` and its like: the newest entries that a query asks for.
    ///
    /// - Throws: 400 for a query that cannot be.
    func journalAnswer(
        of world: World, _ head: RequestHead, kinds: Set<JournalEvent.Kind>, isUnmatched: Bool? = nil
    ) throws(APIError) -> Answer {
        var query = try JournalQuery(query: head.target.queryItems())
        query.kinds = query.kinds.isEmpty ? kinds : query.kinds.intersection(kinds)
        // A kind that is not among them: nothing is what there is of it.
        let entries = query.kinds.isEmpty ? [] : world.journal.entries(query.unmatched(isUnmatched))
        let encoder = world.journalEncoder
        return .ok(
            JSONWriter.object { writer in
                writer.array("entries") { writer in
                    for entry in entries { encoder.write(entry, to: &writer) }
                }
                writer.member("last_number", world.journal.lastNumber)
                writer.member("dropped", world.journal.droppedCount)
            })
    }

    /// `GET /__admin/journal`: everything, oldest first, an object on each line, so that it can be kept and judged later.
    ///
    /// - Throws: 400 for a query.
    func journalLines(of world: World, _ head: RequestHead) throws(APIError) -> Answer {
        guard head.target.query == nil else { throw .journalTakesNoQuery }
        let encoder = world.journalEncoder
        var lines: [UInt8] = []
        for entry in world.journal.entries() { encoder.appendLine(entry, to: &lines) }
        return Answer(status: .ok, body: lines, contentType: "application/x-ndjson; charset=utf-8")
    }

    /// `DELETE /__admin/journal`: forgets the entries; numbers go on.
    func clearJournal(of world: World) -> Answer {
        world.journal.removeAll()
        return Answer(status: .noContent, body: [])
    }

    /// `GET /__admin/events`: the entries as server-sent events, from now on, or from the one that the client saw last.
    func follow(_ world: World, _ head: RequestHead, on connection: Connection, at now: Timestamp) {
        connection.http.startResponse(
            status: .ok, fields: ServerSentEvent.responseFields, close: true, into: &connection.output.bytes)
        connection.follower = Follower(
            world: world, lastNumber: ServerSentEvent.lastID(in: head.fields) ?? world.journal.lastNumber)
        connection.http.sendBody(ServerSentEvent.retry(milliseconds: 1000), into: &connection.output.bytes)
        followers.append(connection.id)
        arm(connection, .keepAlive, after: Follower.keepAliveInterval, at: now)
    }

    /// Sends followers what they have not seen, as far as they read it.
    func feedFollowers() {
        guard !followers.isEmpty else { return }
        followers.removeAll { self[$0]?.follower == nil }
        for id in followers {
            guard let connection = self[id], connection.ending == .none, !isReadingPaused(connection),
                var follower = connection.follower, follower.world.journal.lastNumber > follower.lastNumber
            else { continue }
            lendOutput(to: connection)
            follower.appendNews(to: connection, limit: limits.unsentBytesBeforeReadingPauses)
            connection.follower = follower
            touch(connection)
            account(connection)
        }
    }
}

/// A connection that is sent the entries of a journal as they are made.
struct Follower {
    /// Whose journal.
    let world: World
    /// The number of the last entry that was sent.
    private(set) var lastNumber: Int

    init(world: World, lastNumber: Int) {
        self.world = world
        // A number from another life of the server.
        self.lastNumber = min(max(lastNumber, 0), world.journal.lastNumber)
    }

    /// Time after which a stream that has nothing to tell says so, in nanoseconds: 15 s.
    static let keepAliveInterval: Int64 = 15_000_000_000

    /// Sends entries until the connection holds so many bytes.
    mutating func appendNews(to connection: Connection, limit: Int) {
        let encoder = world.journalEncoder
        let missed = world.journal.missedCount(after: lastNumber)
        if missed > 0 {
            let text = Array("\(missed) entries fell out of the journal before they could be sent".utf8)
            connection.http.sendBody(
                ServerSentEvent(event: "missed", data: text).bytes, into: &connection.output.bytes)
        }
        for entry in world.journal.entries(after: lastNumber) {
            connection.http.sendBody(
                ServerSentEvent(entry, encoder: encoder).bytes, into: &connection.output.bytes)
            lastNumber = entry.number
            if connection.output.count > limit { break }
        }
    }
}

extension World {
    /// Writes the world's entries; those of the default world name none.
    var journalEncoder: JournalEncoder { JournalEncoder(world: id, mode: mode) }
}

extension JournalQuery {
    /// The query, restricted to requests that belong to no operation where this is so.
    fileprivate func unmatched(_ isUnmatched: Bool?) -> JournalQuery {
        var query = self
        if let isUnmatched { query.isUnmatched = isUnmatched }
        return query
    }
}
