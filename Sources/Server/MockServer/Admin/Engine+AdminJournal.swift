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
        // A kind that is not among them matches no entry.
        let entries = query.kinds.isEmpty ? world.journal.noEntries : world.journal.entries()
        var search = JournalSearch(query.unmatched(isUnmatched), in: entries)
        let encoder = world.journalEncoder
        let (lastNumber, droppedCount) = (world.journal.lastNumber, world.journal.droppedCount)
        var hasBegun = false
        let source = JSONSource(keeping: KeptJournal(of: world)) { writer in
            if !hasBegun {
                hasBegun = true
                writer.beginObject()
                writer.key("entries")
                writer.beginArray()
            }
            switch search.next() {
            case .passed(let cost): return .more(cost: cost)
            case .found(let entry):
                encoder.write(entry, to: &writer)
                return .more(cost: entry.extraCost)
            case .end:
                writer.endArray()
                writer.member("last_number", lastNumber)
                writer.member("dropped", droppedCount)
                writer.endObject()
                return .end
            }
        }
        return Answer(source)
    }

    /// `GET /__admin/journal`: everything, oldest first, an object on each line, to keep and to judge later.
    ///
    /// - Throws: 400 for a query.
    func journalLines(of world: World, _ head: RequestHead) throws(APIError) -> Answer {
        guard head.target.query == nil else { throw .journalTakesNoQuery }
        return Answer(JournalLines(of: world), contentType: "application/x-ndjson; charset=utf-8")
    }

    /// `DELETE /__admin/journal`: drops the entries; the numbers continue.
    func clearJournal(of world: World) -> Answer {
        if world.journal.weight > Engine.largestWorkOnLoop { discard(world.journal) }
        world.clearJournal()
        worlds.accountEverything(of: world)
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

/// The entries that a journal had at the time of the request, a line each.
private final class JournalLines: BodySource {
    var heldByteCount: Int { kept.byteCount }
    var keepsJournal: Bool { true }
    private let kept: KeptJournal
    private let entries: Journal.Entries
    private let encoder: JournalEncoder
    private var next: Int

    init(of world: World) {
        kept = KeptJournal(of: world)
        entries = world.journal.entries()
        encoder = world.journalEncoder
        next = entries.startIndex
    }

    func fill(_ slice: inout BodySlice) -> BodyProgress {
        while next < entries.endIndex {
            guard !slice.isFull else { return .more }
            let entry = entries[next]
            encoder.appendLine(entry, to: &slice.bytes)
            slice.spend(entry.extraCost)
            next += 1
        }
        return .end
    }
}

extension JournalEntry {
    /// The cost of writing it in addition to its bytes: near misses are searched among all endpoints.
    var extraCost: Int {
        guard case .exchange(let exchange) = event, exchange.unmatched != nil else { return 0 }
        return 8 * 1024
    }
}

extension JournalQuery {
    /// The query, restricted to requests that belong to no operation if `isUnmatched` is true.
    fileprivate func unmatched(_ isUnmatched: Bool?) -> JournalQuery {
        var query = self
        if let isUnmatched { query.isUnmatched = isUnmatched }
        return query
    }
}
