import FitIQAPI
import FitIQBackend
import Recording

/// What all worlds share: however many there are, the server holds no more than its limits.
extension Engine {
    /// How much JSON a world, or nil for a new one, may hold: its own limit, or what the other worlds leave.
    ///
    /// - Parameter written: how many bytes the admin API has brought to it, or is about to bring.
    func storageRoom(of world: World?, written: Int? = nil) -> StorageRoom {
        room(of: world).storage(written: written ?? world?.writtenBytes ?? 0)
    }

    /// What the other worlds leave a world, or nil for a new one.
    func room(of world: World?) -> SharedRoom {
        SharedRoom(
            all: storedBytes, held: world?.accountedStorage ?? 0, limit: limits.storedBytes,
            own: configuration.worldLimits.storedBytes)
    }

    /// Brings the sum of stored bytes up to date with one world.
    func accountStorage(of world: World) {
        let stored = world.storedBytes
        guard stored != world.accountedStorage else { return }
        storedBytes += stored - world.accountedStorage
        world.accountedStorage = stored
    }

    /// Brings the sum of the journals up to date with one world; beyond the limit the longest journal is cut.
    func accountJournal(of world: World) {
        if world.journal.lastNumber >= world.judgesNextAt { world.keepJudging() }
        noteWeight(of: world)
        while journalWeight > limits.journalBytes {
            var longest = defaultWorld
            for other in worlds.values
            where (other.accountedJournal, longest.number) > (longest.accountedJournal, other.number) {
                longest = other
            }
            // By half, so that the search is for many entries; of worlds alike the older one.
            longest.keepJudging()
            longest.journal.dropOldest(downTo: longest.accountedJournal / 2)
            noteWeight(of: longest)
        }
    }

    private func noteWeight(of world: World) {
        let weight = world.journal.weight
        journalWeight += weight - world.accountedJournal
        world.accountedJournal = weight
    }

    /// Takes note that a world was emptied.
    func accountEverything(of world: World) {
        accountStorage(of: world)
        noteWeight(of: world)
    }
}
