import FitIQAPI
import FitIQBackend
import JSON

/// A server's worlds by id, and their total memory for the shared limits.
///
/// This is a class because the engine and its recorder share it, and both update the sums.
final class WorldTable {
    /// The world for paths that have no `/w/{id}` prefix.
    let main: World
    @exclusivity(unchecked) private var others: [ExactString: World] = [:]
    /// The number of the most recently created world; ids are never reused.
    ///
    /// On a node in a fleet, the number starts at the startup time in milliseconds since 1970, so that a restarted node
    /// does not reuse ids that clients may still have.
    @exclusivity(unchecked) var serial: Int
    /// The maximum ``serial`` in a state file; no server reaches this number, and enough numbers remain above it.
    static let largestSerial = Int.max / 4
    /// The number of worlds created so far, not counting the main one.
    @exclusivity(unchecked) private(set) var madeCount = 0
    @exclusivity(unchecked) private var deadlines = DeadlineQueue<World>()
    /// When to search for idle worlds next; nil while only the main world exists.
    @exclusivity(unchecked) var nextSweep: Timestamp?
    /// Idle worlds that still have to be removed, oldest last.
    @exclusivity(unchecked) var idle: [World] = []
    /// Whether any world has or had a network; if not, requests need not search for a network.
    @exclusivity(unchecked) private(set) var useNetworks = false
    /// How far the system's date is ahead of the engine's time because the clock was set, in nanoseconds.
    @exclusivity(unchecked) var dateShift: Int64 = 0
    /// The bytes of JSON in all worlds, and the weight of all their journals.
    @exclusivity(unchecked) private(set) var storedBytes = 0, journalWeight = 0
    /// Called with each world that may have changed; nil if there is no state file.
    @exclusivity(unchecked) var changed: ((World) -> Void)?
    private let limits: ServerLimits
    /// The bytes of JSON that one world may hold.
    private let worldLimit: Int

    init(main: World, _ configuration: Engine.Configuration, now: Timestamp) {
        self.main = main
        serial = configuration.node == nil ? 0 : Int(max(0, now.nanosecondsSinceEpoch / 1_000_000))
        limits = configuration.limits
        worldLimit = configuration.worldLimits.storedBytes
        accountStorage(of: main)
    }

    // All worlds except the main one, unordered.
    var count: Int { others.count }
    var isEmpty: Bool { others.isEmpty }
    var values: some Collection<World> { others.values }
    var keys: some Collection<ExactString> { others.keys }

    /// The world with this id, except the main world; nil for an unknown id.
    subscript(id: ExactString) -> World? {
        get { others[id] }
        set { others[id] = newValue }
    }

    /// Adds a world; raises ``serial`` if this node created the world and its number is greater.
    func add(_ world: World, _ id: WorldID, ofNode node: NodeName?) {
        others[ExactString(id.text)] = world
        madeCount += 1
        if id.node == node { serial = max(serial, id.number) }
    }

    /// The number of the next world that a request creates.
    func takeNumber() -> Int {
        serial += 1
        return serial
    }

    /// Makes a number available again, unless another request has taken the next one.
    func giveBack(_ number: Int) {
        if serial == number { serial -= 1 }
    }

    /// A world by its name, which is ``World/defaultID`` for the main world; nil for an unknown name.
    func named(_ id: String) -> World? { id == World.defaultID ? main : others[ExactString(id)] }

    /// The worlds except the main one, oldest first.
    ///
    /// Read each number only once, because with thousands of worlds, every access misses the cache.
    var byAge: [World] {
        others.values.map { (number: $0.number, world: $0) }.sorted { $0.number < $1.number }.map(\.world)
    }

    func contains(_ world: World) -> Bool { world.id.map { others[ExactString($0)] === world } ?? true }

    // MARK: Time

    /// When the engine must check a world next, by the system's clock.
    var nextDeadline: Timestamp? { deadlines.next }

    /// Queues a world's check, unless an earlier check is already queued.
    func queue(_ world: World, at time: Timestamp) {
        if let queued = world.queuedDeadline, queued <= time { return }
        world.queuedDeadline = time
        deadlines.insert(world, at: time)
        // A replaced entry stays in the queue until its time, and a busy world leaves many replaced entries.
        if deadlines.count > 2 * (count + 1) + 1024 { deadlines.removeAll { $0.queuedDeadline != $1 } }
    }

    /// Removes and returns the next due world.
    func popDue(at now: Timestamp) -> World? {
        while let (world, time) = deadlines.popDue(at: now) {
            // Skip an entry that an earlier entry has replaced.
            guard world.queuedDeadline == time else { continue }
            world.queuedDeadline = nil
            return world
        }
        return nil
    }

    // MARK: Storage

    /// The bytes of JSON that a world may hold: its own limit or the rest of the shared limit.
    func storageRoom(of world: World) -> StorageRoom { room(of: world).storage(written: world.written.sum) }

    /// The storage that the other worlds leave for a world; nil means a new world.
    func room(of world: World?) -> SharedRoom {
        SharedRoom(all: storedBytes, held: world?.accountedStorage ?? 0, limit: limits.storedBytes, own: worldLimit)
    }

    /// Updates the sum of stored bytes for one world; must be called after each possible change to the world.
    func accountStorage(of world: World) {
        changed?(world)
        if world.network != nil { useNetworks = true }
        let stored = world.storedBytes
        guard stored != world.accountedStorage else { return }
        storedBytes += stored - world.accountedStorage
        world.accountedStorage = stored
    }

    // MARK: Journals

    /// Updates the weight of the journals for one world; beyond the limit, shortens the longest journal.
    func accountJournal(of world: World) {
        if world.journal.lastNumber >= world.judgesNextAt { world.keepJudging() }
        accountWeight(of: world)
        while journalWeight > limits.journalBytes {
            var longest = main
            for other in others.values
            where (other.accountedJournal, longest.number) > (longest.accountedJournal, other.number) {
                longest = other
            }
            // Halve the journal, so that one search frees space for many entries.
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

    /// Updates both sums for a world whose journal was emptied or replaced.
    func accountEverything(of world: World) {
        accountStorage(of: world)
        accountWeight(of: world)
    }
}

/// The part of the shared storage limit that is left for a world.
struct SharedRoom: Sendable {
    /// The bytes that all worlds hold, and this world's share of them.
    let all, held: Int
    /// The shared limit, and the world's own maximum.
    let limit, own: Int

    /// The storage available for the world's data in addition to its written bytes.
    func storage(written: Int) -> StorageRoom {
        let rest = rest(written: written)
        return rest.bytes < own ? rest : StorageRoom(bytes: own, limit: own)
    }

    func rest(written: Int) -> StorageRoom { StorageRoom(bytes: limit - (all - held) - written, limit: limit) }

    /// Checks that the limit allows replacing the world's bytes with this many; throws 507 if not.
    func check(bringing bytes: Int) throws(APIError) {
        let more = max(0, bytes - held)
        guard more == 0 || all + more <= limit else { throw .storeFull("bytes", limit: limit) }
    }
}
