import FitIQAPI
import FitIQBackend
import JSON

/// The worlds of a server by their ids, and what they share: together they hold no more than the server's limits.
///
/// A class, because whatever changes a world keeps the sums here up to date.
final class WorldTable {
    /// The world of the plain paths.
    let main: World
    private var others: [ExactString: World] = [:]
    /// How many worlds were ever made beside the main one: ids are not used again.
    var serial = 0
    /// When worlds have to be looked at, by the system's clock.
    private var deadlines = DeadlineQueue<World>()
    /// When idle worlds are looked for next; nil while there is only the main one.
    var nextSweep: Timestamp?
    /// Idle worlds that were found and are still to be forgotten, the oldest last.
    var idle: [World] = []
    /// Bytes of JSON that all worlds hold together.
    private(set) var storedBytes = 0
    /// What the journals of all worlds weigh together.
    private(set) var journalWeight = 0
    private let limits: ServerLimits
    /// Bytes of JSON that one world may hold.
    private let worldLimit: Int

    init(main: World, _ configuration: Engine.Configuration) {
        self.main = main
        limits = configuration.limits
        worldLimit = configuration.worldLimits.storedBytes
        accountStorage(of: main)
    }

    /// How many there are, without the main one.
    var count: Int { others.count }
    var isEmpty: Bool { others.isEmpty }
    /// All but the main one, in no order.
    var values: some Collection<World> { others.values }
    var keys: some Collection<ExactString> { others.keys }

    /// A world but the main one; nil where there is none with this id.
    subscript(id: ExactString) -> World? {
        get { others[id] }
        set { others[id] = newValue }
    }

    /// A world by its name, the main one by ``World/defaultID``; nil where there is none.
    func named(_ id: String) -> World? { id == World.defaultID ? main : others[ExactString(id)] }

    /// Whether a world is still one of the server's.
    func contains(_ world: World) -> Bool { world.id.map { others[ExactString($0)] === world } ?? true }

    // MARK: Time

    /// When a world has to be looked at next, by the system's clock.
    var nextDeadline: Timestamp? { deadlines.next }

    /// Notes when a world has to be looked at, unless it is looked at earlier.
    func look(at world: World, at time: Timestamp) {
        if let queued = world.queuedDeadline, queued <= time { return }
        world.queuedDeadline = time
        deadlines.insert(world, at: time)
        // Each entry that was replaced by an earlier one stays until its time; a world in a hurry leaves many.
        if deadlines.count > 2 * (count + 1) + 1024 { deadlines.removeAll { $0.queuedDeadline != $1 } }
    }

    /// Takes out the next world whose time has come.
    func popDue(at now: Timestamp) -> World? {
        while let (world, time) = deadlines.popDue(at: now) {
            // An entry that an earlier one has replaced.
            guard world.queuedDeadline == time else { continue }
            world.queuedDeadline = nil
            return world
        }
        return nil
    }

    // MARK: Storage

    /// How much JSON a world may hold: its own limit, or what the other worlds leave.
    func storageRoom(of world: World) -> StorageRoom { room(of: world).storage(written: world.writtenBytes) }

    /// What the other worlds leave a world, or nil for a new one.
    func room(of world: World?) -> SharedRoom {
        SharedRoom(
            all: storedBytes, held: world?.accountedStorage ?? 0, limit: limits.storedBytes, own: worldLimit)
    }

    /// Brings the sum of stored bytes up to date with one world.
    func accountStorage(of world: World) {
        let stored = world.storedBytes
        guard stored != world.accountedStorage else { return }
        storedBytes += stored - world.accountedStorage
        world.accountedStorage = stored
    }

    // MARK: Journals

    /// Brings the sum of the journals up to date with one world; beyond the limit the longest journal is cut.
    func accountJournal(of world: World) {
        if world.journal.lastNumber >= world.judgesNextAt { world.keepJudging() }
        accountWeight(of: world)
        while journalWeight > limits.journalBytes {
            var longest = main
            for other in others.values
            where (other.accountedJournal, longest.number) > (longest.accountedJournal, other.number) {
                longest = other
            }
            // By half, so that one search makes room for many entries; of equal worlds the older one.
            longest.keepJudging()
            longest.journal.dropOldest(downTo: longest.accountedJournal / 2)
            accountWeight(of: longest)
        }
    }

    private func accountWeight(of world: World) {
        let weight = world.journal.weight
        journalWeight += weight - world.accountedJournal
        world.accountedJournal = weight
    }

    /// Brings both sums up to date with a world that was emptied.
    func accountEverything(of world: World) {
        accountStorage(of: world)
        accountWeight(of: world)
    }
}
