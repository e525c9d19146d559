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
        return Answer(
            status: .ok, body: world.journalLines(after: 0), contentType: "application/x-ndjson; charset=utf-8")
    }

    /// `DELETE /__admin/journal`: forgets the entries; numbers go on.
    func clearJournal(of world: World) -> Answer {
        world.clearJournal()
        accountEverything(of: world)
        return Answer(status: .noContent, body: [])
    }
}

extension World {
    /// Writes the world's entries; those of the default world name none.
    var journalEncoder: JournalEncoder { JournalEncoder(world: id, mode: mode) }

    /// The entries with numbers after the given one, an object on each line.
    func journalLines(after number: Int) -> [UInt8] {
        let encoder = journalEncoder
        var lines: [UInt8] = []
        for entry in journal.entries(after: number) { encoder.appendLine(entry, to: &lines) }
        return lines
    }

    /// Forgets the entries, and what a judge made of them; numbers go on.
    func clearJournal() {
        journal.removeAll()
        forgottenNumber = journal.lastNumber
        if judge != nil { beginJudging() }
    }
}

extension JournalQuery {
    /// The query, restricted to requests that belong to no operation where this is so.
    fileprivate func unmatched(_ isUnmatched: Bool?) -> JournalQuery {
        var query = self
        if let isUnmatched { query.isUnmatched = isUnmatched }
        return query
    }
}
