import FitIQAPI
import Traffic

extension World {
    /// Encodes the world's entries; entries in the default world do not name a world.
    var journalEncoder: JournalEncoder { JournalEncoder(world: id, mode: mode) }

    /// The entries after the one with the given number, one object per line.
    func journalLines(after number: Int) -> [UInt8] {
        let encoder = journalEncoder
        var lines: [UInt8] = []
        for entry in journal.entries(after: number) { encoder.appendLine(entry, to: &lines) }
        return lines
    }

    /// Drops all entries and the judgement on them; later entries continue the numbering.
    func clearJournal() {
        journal.removeAll()
        forgetEarlier()
    }

    /// Restarts the judge, if there is one, with the next entry.
    func forgetEarlier() {
        forgottenNumber = journal.lastNumber
        if judge != nil { beginJudging() }
    }
}

/// A reader's snapshot of a world's journal: its entries at the time of the request.
///
/// A slow reader also gets entries that the journal drops in the meantime. Entries that the journal still has do not
/// count.
struct KeptJournal {
    private let world: World
    private let weight, droppedWeight: Int

    init(of world: World) {
        self.world = world
        (weight, droppedWeight) = (world.journal.weight, world.journal.droppedWeight)
    }

    /// The bytes of entries that only the reader still holds.
    var byteCount: Int { world.isGone ? weight : min(weight, world.journal.droppedWeight - droppedWeight) }
}

extension JournalEntry {
    /// The cost of writing the entry, in addition to its bytes: near misses require comparing all endpoints.
    var extraCost: Int {
        guard case .exchange(let exchange) = event, exchange.unmatched != nil else { return 0 }
        return 32 * 1024
    }
}
