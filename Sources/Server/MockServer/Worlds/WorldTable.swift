import FitIQAPI
import FitIQBackend
import JSON

/// The worlds of a server by their ids, and their shared limits: together they hold no more than the server's limits.
///
/// A class, because every change of a world keeps the sums here up to date.
final class WorldTable {
    /// The world of the paths without a `/w/{id}` prefix.
    let main: World
    @exclusivity(unchecked) private var others: [ExactString: World] = [:]
    /// The number of the last world that was created: ids are not used again.
    ///
    /// On a node of a fleet the first is the time of its start in milliseconds since 1970. So a restarted node never
    /// reuses an id whose clients may still exist.
    @exclusivity(unchecked) var serial: Int
    /// The largest ``serial`` of a state file: no server counts as far, and there is room for the numbers that follow.
    static let largestSerial = Int.max / 4
    /// How many worlds were created in addition to the main one.
    @exclusivity(unchecked) private(set) var madeCount = 0
    @exclusivity(unchecked) private var deadlines = DeadlineQueue<World>()
    /// When to look for idle worlds next; nil while there is only the main one.
    @exclusivity(unchecked) var nextSweep: Timestamp?
    /// Idle worlds that were found and must still be removed, the oldest last.
    @exclusivity(unchecked) var idle: [World] = []
    /// Whether a world has, or had, a network: otherwise no request looks for one.
    @exclusivity(unchecked) private(set) var useNetworks = false
    /// How many nanoseconds the system's date is ahead of the engine's time, because its clock was set since the start.
    @exclusivity(unchecked) var dateShift: Int64 = 0
    /// Bytes of JSON, and the weight of the journals, of all worlds together.
    @exclusivity(unchecked) private(set) var storedBytes = 0, journalWeight = 0
    /// Called with each world that may have changed; nil while changes are not saved.
    @exclusivity(unchecked) var changed: ((World) -> Void)?
    private let limits: ServerLimits
    /// Bytes of JSON that one world may hold.
    private let worldLimit: Int

    init(main: World, _ configuration: Engine.Configuration, now: Timestamp) {
        self.main = main
        serial = configuration.node == nil ? 0 : Int(max(0, now.nanosecondsSinceEpoch / 1_000_000))
        limits = configuration.limits
        worldLimit = configuration.worldLimits.storedBytes
        accountStorage(of: main)
    }

    // Those of all worlds except the main one, in no order.
    var count: Int { others.count }
    var isEmpty: Bool { others.isEmpty }
    var values: some Collection<World> { others.values }
    var keys: some Collection<ExactString> { others.keys }

    /// A world other than the main one; nil if there is none with this id.
    subscript(id: ExactString) -> World? {
        get { others[id] }
        set { others[id] = newValue }
    }

    /// Adds a world; a number in its id that is ahead of the others is not used again.
    func add(_ world: World, _ id: WorldID, ofNode node: NodeName?) {
        others[ExactString(id.text)] = world
        madeCount += 1
        if id.node == node { serial = max(serial, id.number) }
    }

    /// A world by its name, the main one by ``World/defaultID``; nil if there is none.
    func named(_ id: String) -> World? { id == World.defaultID ? main : others[ExactString(id)] }

    /// The worlds except the main one, the oldest first.
    ///
    /// Their numbers are read once: with thousands of worlds, each access costs a read from memory.
    var byAge: [World] {
        others.values.map { (number: $0.number, world: $0) }.sorted { $0.number < $1.number }.map(\.world)
    }

    func contains(_ world: World) -> Bool { world.id.map { others[ExactString($0)] === world } ?? true }

    // MARK: Time

    /// When a world must be checked next, by the system's clock.
    var nextDeadline: Timestamp? { deadlines.next }

    /// Queues a check of a world, unless an earlier one is queued.
    func look(at world: World, at time: Timestamp) {
        if let queued = world.queuedDeadline, queued <= time { return }
        world.queuedDeadline = time
        deadlines.insert(world, at: time)
        // Each entry that was replaced by an earlier one stays until its time; a busy world leaves many.
        if deadlines.count > 2 * (count + 1) + 1024 { deadlines.removeAll { $0.queuedDeadline != $1 } }
    }

    /// Removes and returns the next due world.
    func popDue(at now: Timestamp) -> World? {
        while let (world, time) = deadlines.popDue(at: now) {
            // Skips an entry that an earlier one has replaced.
            guard world.queuedDeadline == time else { continue }
            world.queuedDeadline = nil
            return world
        }
        return nil
    }

    // MARK: Storage

    /// How much JSON a world may hold: its own limit, or the other worlds' remainder.
    func storageRoom(of world: World) -> StorageRoom { room(of: world).storage(written: world.written.sum) }

    /// The other worlds' remainder for a world, or for a new one if nil.
    func room(of world: World?) -> SharedRoom {
        SharedRoom(all: storedBytes, held: world?.accountedStorage ?? 0, limit: limits.storedBytes, own: worldLimit)
    }

    /// Updates the sum of stored bytes with one world; call it after everything that may change a world.
    func accountStorage(of world: World) {
        changed?(world)
        if world.network != nil { useNetworks = true }
        let stored = world.storedBytes
        guard stored != world.accountedStorage else { return }
        storedBytes += stored - world.accountedStorage
        world.accountedStorage = stored
    }

    // MARK: Journals

    /// Updates the sum of the journals with one world; beyond the limit the longest journal is cut.
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

    /// Updates both sums with a world that was emptied.
    func accountEverything(of world: World) {
        accountStorage(of: world)
        accountWeight(of: world)
    }
}
