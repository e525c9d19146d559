import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Traffic

/// The admin API's journal: the events of a world, as lists, as lines and as they happen.
extension Engine {
    /// `GET /__admin/requests` and similar paths: the newest entries that match a query.
    ///
    /// - Throws: 400 for an invalid query.
    func journalAnswer(
        of world: World, _ head: RequestHead, kinds: Set<JournalEvent.Kind>, isUnmatched: Bool? = nil
    ) throws(APIError) -> Answer {
        var query = try JournalQuery(query: head.target.queryItems())
        query.kinds = query.kinds.isEmpty ? kinds : query.kinds.intersection(kinds)
        query.isUnmatched = isUnmatched ?? query.isUnmatched
        // A kind that is not among them matches no entry.
        let entries = query.kinds.isEmpty ? world.journal.noEntries : world.journal.entries()
        var search = JournalSearch(query, in: entries)
        let encoder = world.journalEncoder
        let (lastNumber, droppedCount) = (world.journal.lastNumber, world.journal.droppedCount)
        var hasBegun = false
        return Answer(
            PartSource(
                keeping: KeptJournal(of: world),
                json: { writer in
                    if !hasBegun {
                        hasBegun = true
                        writer.beginObject()
                        writer.key("entries")
                        writer.beginArray()
                    }
                    switch search.next() {
                    case .passed(let cost): return cost
                    case .found(let entry):
                        encoder.write(entry, to: &writer)
                        return entry.extraCost
                    case .end:
                        writer.endArray()
                        writer.member("last_number", lastNumber)
                        writer.member("dropped", droppedCount)
                        writer.endObject()
                        return nil
                    }
                }))
    }

    /// `GET /__admin/journal`: everything, oldest first, an object on each line, to keep and to judge later.
    ///
    /// - Throws: 400 for a query.
    func journalLines(of world: World, _ head: RequestHead) throws(APIError) -> Answer {
        guard head.target.query == nil else { throw .journalTakesNoQuery }
        let encoder = world.journalEncoder
        var entries = world.journal.entries().makeIterator()
        let source = PartSource(keeping: KeptJournal(of: world)) { slice in
            guard let entry = entries.next() else { return .end }
            encoder.appendLine(entry, to: &slice.bytes)
            slice.spend(entry.extraCost)
            return .more
        }
        return Answer(source, contentType: "application/x-ndjson; charset=utf-8")
    }

    /// `DELETE /__admin/journal`: drops the entries; the numbers continue.
    func clearJournal(of world: World) -> Answer {
        if world.journal.weight > Engine.largestWorkOnLoop { discard(world.journal) }
        world.clearJournal()
        worlds.accountEverything(of: world)
        return .noContent
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

    /// Drops the entries, and their judgement; the numbers continue.
    func clearJournal() {
        journal.removeAll()
        forgottenNumber = journal.lastNumber
        if judge != nil { beginJudging() }
    }
}

/// What a reader keeps of a world's journal: the entries that the journal had at the time of the request.
///
/// By their numbers alone a slow reader would miss those that fall out, in the middle of what it gets. As long as the
/// journal has them, too, they cost nothing.
struct KeptJournal {
    private let world: World
    private let weight, droppedWeight: Int

    init(of world: World) {
        self.world = world
        (weight, droppedWeight) = (world.journal.weight, world.journal.droppedWeight)
    }

    /// The bytes that only the reader keeps in memory.
    var byteCount: Int { world.isGone ? weight : min(weight, world.journal.droppedWeight - droppedWeight) }
}

extension JournalEntry {
    /// The cost of writing it in addition to its bytes: near misses are searched among all endpoints.
    var extraCost: Int {
        guard case .exchange(let exchange) = event, exchange.unmatched != nil else { return 0 }
        return 8 * 1024
    }
}
