import FitIQAPI
import FitIQBackend
import JSON
import SQLite
import Sockets
import Synchronization
import Text

/// The file for `serve --state`: an SQLite database with a row for each world and each of its entities.
///
/// SQLite uses a write-ahead log (WAL), so the last commit survives if the process is killed at any time. Only one
/// server can use the file at a time, and only the server's user may read it. Calls may wait for the disk and for other
/// threads.
public final class StateFile: Sendable {
    public let path: String
    /// A warning for the user, as a sentence that does not end with a full stop; nil if there is none.
    public let warning: String?
    private let state: Mutex<Open>
    /// The steps to write, guarded by a separate lock, so that the loop never waits for a write.
    private let added = Mutex<[(steps: [StateStep], commits: Bool)]>([])

    fileprivate struct Open {
        /// The database; nil once the file is closed.
        var database: Database?
        /// The locked write-ahead log; nil for a database in memory.
        let log: OutputFile?
        /// Whether written steps are waiting for a commit.
        var isInTransaction = false
        /// The error that caused the steps since the last commit to be lost, if any.
        var failure: Refusal?
    }

    /// `FitQ` in ASCII, which distinguishes the file from other databases.
    private static let applicationID: Int64 = 0x4669_7451
    /// SQL that migrates each version of the schema to the next one; the first script starts from an empty file.
    private static let migrations = [
        """
        CREATE TABLE server (serial INTEGER NOT NULL);
        INSERT INTO server VALUES (0);
        CREATE TABLE world (
            name TEXT PRIMARY KEY, number INTEGER NOT NULL, time INTEGER NOT NULL, head TEXT NOT NULL, scenario TEXT
        );
        CREATE TABLE entity (
            number INTEGER PRIMARY KEY, world TEXT NOT NULL, list TEXT NOT NULL, owner TEXT NOT NULL, id TEXT NOT NULL,
            data TEXT NOT NULL, UNIQUE (world, list, owner, id)
        );
        """
    ]

    /// The default file size limit in bytes: several times ``ServerLimits/storedBytes``.
    public static let largest = 4 * 1024 * 1024 * 1024

    /// Opens or creates a file, and migrates its schema.
    ///
    /// Opening removes other users' permissions for the file and for SQLite's files next to it.
    ///
    /// - Parameter largest: The maximum size of the file in bytes; a commit that would exceed it fails.
    /// - Throws: An error if another server uses the file, if the file is not a state file, has a later version or has
    ///   triggers, or if SQLite cannot read or write it.
    public init(_ path: String, largest: Int = largest) throws(Refusal) {
        self.path = path
        // Create the file with mode 0600, which SQLite copies to its other files.
        let created = path == ":memory:" ? nil : try? OutputFile(creating: path)
        let (database, logPath): (Database, String?)
        do throws(Refusal) {
            database = try Self.mapping(path) { () throws(SQLiteError) in try Database(path: path) }
            logPath = database.path.map { $0 + "-wal" }
            guard Self.isFree(logPath) else { throw .inUse(path) }
        } catch {
            created?.discard()
            throw error
        }
        // Close this descriptor before SQLite locks the file, because closing a descriptor releases all locks of the
        // process (fcntl(2)).
        created?.close()
        // SQLite keeps the lock until the file is closed, so that a second server fails immediately.
        try Self.mapping(path) { () throws(SQLiteError) in
            try database.run(script: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        }
        try Self.migrate(database, path)
        warning = database.path.flatMap { Self.makePrivate($0, as: path) }
        try Self.mapping(path) { () throws(SQLiteError) in
            // A commit survives if the process is killed. A power failure may lose the last commits, but nothing else.
            try database.run(script: "COMMIT; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            try database.run(script: "PRAGMA max_page_count = \(largest / Int(database.integer("PRAGMA page_size")))")
        }
        let log = logPath.flatMap { try? OutputFile(opening: $0) }
        // Keep the log locked until the file is closed, because the log keeps its name when the file is moved.
        try? log?.lock()
        state = Mutex(Open(database: database, log: log))
    }

    deinit { close() }

    /// Closes the file, which merges and removes its log; do not read or write after closing.
    ///
    /// A program must call this function before exiting, because threads that have just written still retain the file.
    public func close() {
        state.withLock { state in
            guard state.database != nil else { return }
            state.database = nil
            state.log?.close()
        }
    }

    /// Whether no other server is writing to this log.
    ///
    /// A server whose file was moved still writes its log here, and SQLite would use that log for the new file.
    private static func isFree(_ log: String?) -> Bool {
        guard let file = log.flatMap({ try? OutputFile(opening: $0) }) else { return true }
        defer { file.close() }
        return (try? file.lock()) != nil
    }

    /// Removes other users' permissions for the files; returns a warning if they had any.
    private static func makePrivate(_ file: String, as path: String) -> String? {
        let open = ["", "-wal", "-shm", "-journal"].map { file + $0 }.filter { OutputFile.rightsOfOthers(to: $0) != 0 }
        guard !open.isEmpty else { return nil }
        return open.map(OutputFile.makePrivate).contains(false)
            ? "other users can read '\(path)', which contains password hashes and tokens, but its mode cannot be "
                + "changed"
            : "other users could read '\(path)', which contains password hashes and tokens; its mode is now 0600"
    }

    private static func migrate(_ database: Database, _ path: String) throws(Refusal) {
        let (application, version, tables) = try mapping(path) { () throws(SQLiteError) in
            (
                try database.integer("PRAGMA application_id"), try database.integer("PRAGMA user_version"),
                try database.integer("SELECT count(*) FROM sqlite_master")
            )
        }
        let isNew = (application, version, tables) == (0, 0, 0)
        guard isNew || application == applicationID else { throw .foreign(path) }
        guard version >= 0 else { throw .foreign(path) }
        guard version <= migrations.count else { throw .later(path, version: version, known: migrations.count) }
        // A trigger would run for each saved row and could change or delete other rows.
        var trigger: String?
        try mapping(path) { () throws(SQLiteError) in
            try database.run("SELECT min(name) FROM sqlite_master WHERE type = 'trigger' HAVING count(*) > 0") {
                trigger = $0.text(0)
            }
        }
        if let trigger { throw .altered(path, trigger: trigger) }
        try mapping(path) { () throws(SQLiteError) in
            for migration in migrations[Int(version)...] { try database.run(script: migration) }
            try database.run(
                script: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(migrations.count)")
        }
    }

    private static func mapping<Result>(
        _ path: String, _ body: () throws(SQLiteError) -> Result
    ) throws(Refusal) -> Result {
        do { return try body() } catch { throw Refusal(error, path) }
    }

    /// Reads the content, including steps that are written but not committed.
    public func read() throws(Refusal) -> SavedState {
        try state.withLock { state throws(Refusal) in
            let database = state.opened
            let (serial, worlds) = try Self.mapping(path) { () throws(SQLiteError) in
                (Int(try database.integer("SELECT serial FROM server")), try Self.worlds(database))
            }
            var saved = SavedState(serial: serial, worlds: [])
            for world in worlds {
                let entities = try Self.mapping(path) { () throws(SQLiteError) in try Self.entities(of: world, database)
                }
                if let stray = world.stray(among: entities) { throw Refusal(stray, world: world.name, path) }
                saved.worlds.append((world, world.file(with: entities)))
            }
            return saved
        }
    }

    private static func worlds(_ database: Database) throws(SQLiteError) -> [SavedWorld] {
        var worlds: [SavedWorld] = []
        try database.run("SELECT name, number, time, head, scenario FROM world ORDER BY number") { row in
            let scenario = row.bytes(4)
            worlds.append(
                SavedWorld(
                    name: row.text(0), number: Int(row.integer(1)), head: row.bytes(3),
                    time: Timestamp(nanosecondsSinceEpoch: row.integer(2)), scenario: scenario.isEmpty ? nil : scenario
                ))
        }
        return worlds
    }

    private static func entities(of world: SavedWorld, _ database: Database) throws(SQLiteError) -> [SavedEntity] {
        var entities: [SavedEntity] = []
        try database.run(
            "SELECT list, owner, id, data FROM entity WHERE world = ? ORDER BY number", .text(world.name)
        ) { row in
            entities.append(
                SavedEntity(
                    list: row.text(0), owner: ExactString(row.text(1)), id: ExactString(row.text(2)),
                    data: row.bytes(3)))
        }
        return entities
    }

    /// Adds steps after the earlier steps; never waits for the disk.
    ///
    /// - Parameter commits: Whether ``flush()`` commits after these steps; otherwise later steps do.
    func add(_ steps: [StateStep], commits: Bool) { added.withLock { $0.append((steps, commits)) } }

    /// Writes the added steps in order.
    ///
    /// - Throws: An error if the file cannot be written. All steps since the last commit are then lost, and each call
    ///   fails until a step is ``StateStep/forgetAll``.
    func flush() throws(Refusal) {
        try state.withLock { state throws(Refusal) in
            for slice in takeAdded() { try write(slice.steps, commits: slice.commits, to: &state) }
            if let failure = state.failure { throw failure }
        }
    }

    private func takeAdded() -> [(steps: [StateStep], commits: Bool)] {
        added.withLock { added in
            defer { added = [] }
            return added
        }
    }

    private func write(_ steps: [StateStep], commits: Bool, to state: inout Open) throws(Refusal) {
        if case .forgetAll? = steps.first { state.failure = nil }
        if let failure = state.failure { throw failure }
        do throws(Refusal) {
            if let gone = state.gone(path) { throw gone }
            let database = state.opened
            try Self.mapping(path) { () throws(SQLiteError) in
                if !state.isInTransaction { try database.run(script: "BEGIN IMMEDIATE") }
                state.isInTransaction = true
                for step in steps { try step.apply(to: database) }
                guard commits else { return }
                try database.run(script: "COMMIT")
                state.isInTransaction = false
            }
        } catch {
            // Ignore the error if SQLite has already rolled back.
            try? state.opened.run(script: "ROLLBACK")
            state.isInTransaction = false
            state.failure = error
            // If the file was moved without its log, merge the log into the file, so that the file contains the last
            // commit.
            if state.gone(path) != nil { try? state.opened.run(script: "PRAGMA wal_checkpoint(TRUNCATE)") }
            throw error
        }
    }
}

extension StateFile.Open {
    fileprivate var opened: Database {
        guard let database else { preconditionFailure("A closed state file must not be read or written.") }
        return database
    }

    /// An error if the file or its log was moved, otherwise nil.
    fileprivate func gone(_ path: String) -> Refusal? {
        if opened.hasMoved { return .gone(path) }
        guard let log, !log.isAt(log.path) else { return nil }
        return .gone(log.path)
    }
}

extension Engine {
    /// Writes and commits all unsaved changes, for a server that is ending.
    ///
    /// - Throws: The error if writing the whole state again also fails.
    public func saveAll() throws(Refusal) {
        guard let saving else { return }
        if saving.failure != nil { saving.saveAnew() }
        do throws(Refusal) {
            try saveRest(of: saving)
        } catch {
            // Write everything again, because the last slice may have failed after the loop ended, unnoticed by the
            // engine.
            saving.saveAnew()
            try saveRest(of: saving)
        }
    }

    private func saveRest(of saving: Saving) throws(Refusal) {
        // Also save paused worlds, because they will not resume.
        let rest = saving.takeSlice(upTo: .max, atTheEnd: true)?.steps ?? []
        // Commit even if no steps are left, because earlier steps may be uncommitted.
        saving.file.add(rest, commits: true)
        // This also writes a slice that was added before the loop ended.
        try saving.file.flush()
    }
}

extension StateStep {
    fileprivate func apply(to database: Database) throws(SQLiteError) {
        switch self {
        case .forgetAll(let kept):
            try database.run("DELETE FROM entity WHERE world IS NOT ?", kept.map { .text($0) } ?? .null)
            try database.run("DELETE FROM world WHERE name IS NOT ?", kept.map { .text($0) } ?? .null)
        case .serial(let serial): try database.run("UPDATE server SET serial = ?", .integer(Int64(serial)))
        case .begin(let world, let number, let scenario):
            try database.run("DELETE FROM entity WHERE world = ?", .text(world))
            try database.run(
                "INSERT OR REPLACE INTO world (name, number, time, head, scenario) VALUES (?, ?, 0, '', ?)",
                .text(world), .integer(Int64(number)), scenario.map { .bytes($0) } ?? .null)
        case .head(let world, let head, let time):
            try database.run(
                "UPDATE world SET head = ?, time = ? WHERE name = ?", .bytes(head),
                .integer(time.nanosecondsSinceEpoch), .text(world))
        case .remove(let world):
            try database.run("DELETE FROM entity WHERE world = ?", .text(world))
            try database.run("DELETE FROM world WHERE name = ?", .text(world))
        case .entity(let change, let world): try change.apply(to: database, in: world)
        }
    }
}

extension EntityChange {
    fileprivate func apply(to database: Database, in world: String) throws(SQLiteError) {
        let (list, owner) = (place.list.name, place.owner?.text ?? "")
        if let data {
            // A row's number is its place in creation order, so the number stays the same when the row changes. SQLite
            // does not write unchanged rows.
            try database.run(
                """
                INSERT INTO entity (world, list, owner, id, data) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET data = excluded.data WHERE data <> excluded.data
                """, .text(world), .text(list), .text(owner), .text(place.id.text), .bytes(data.encoded))
        } else {
            try database.run(
                "DELETE FROM entity WHERE world = ? AND list = ? AND owner = ? AND id = ?", .text(world), .text(list),
                .text(owner), .text(place.id.text))
            guard place.list == .consultations else { return }
            try database.run(
                "DELETE FROM entity WHERE world = ? AND list = ? AND owner = ?", .text(world),
                .text(EntityPlace.List.messages.name), .text(place.id.text))
        }
    }
}

extension Database {
    fileprivate func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        var result: Int64 = 0
        try run(sql) { result = $0.integer(0) }
        return result
    }
}

/// Why a state file is unusable.
extension Refusal {
    fileprivate init(_ error: SQLiteError, _ path: String) {
        self =
            if error.isForeign {
                .foreign(path)
            } else if error.isBusy {
                .inUse(path)
            } else if error.cannotOpen {
                Refusal("'\(path)' cannot be opened or created: its folder must exist and be writable")
            } else {
                Refusal(error.message, at: "'\(path)'")
            }
    }

    /// An error in a world's content.
    init(world: String, _ path: String, _ reason: String) {
        self.init(reason, at: "'\(path)'", "world \(world)")
    }

    fileprivate static func inUse(_ path: String) -> Refusal {
        Refusal(
            "'\(path)' is in use by another server, or by an SQLite tool: stop that program, or choose a different file"
        )
    }

    fileprivate static func gone(_ path: String) -> Refusal {
        Refusal(
            "'\(path)' was moved, removed or replaced while the server was running: changes since then are lost unless "
                + "the file is restored before the server exits")
    }

    /// An error about a row that no server could have written and that would be lost.
    init(_ stray: SavedEntity, world: String, _ path: String) {
        self.init(
            world: world, path,
            "the row with the id \(stray.id.text.quoted()) in the list \(stray.list.quoted()) was not written by "
                + "fitiq-mock: its list, its owner or the id in its data is unknown; delete the row, or choose a "
                + "different file")
    }

    /// An error about an impossible number for the last world.
    init(serial: Int, largest: Int, _ path: String) {
        self.init(
            "the number of its last world is \(serial), but must be from 0 to \(largest); set 'serial' in its table "
                + "'server' to 0, or choose a different file", at: "'\(path)'")
    }

    fileprivate static func foreign(_ path: String) -> Refusal {
        Refusal(
            "'\(path)' is not a fitiq-mock state file: choose a different file, or a file that does not exist yet")
    }

    fileprivate static func altered(_ path: String, trigger: String) -> Refusal {
        Refusal(
            "'\(path)' has the trigger \(trigger.quoted()), which would change the data that a server saves: drop it, or "
                + "choose a different file")
    }

    fileprivate static func later(_ path: String, version: Int64, known: Int) -> Refusal {
        Refusal(
            "'\(path)' was written by a later fitiq-mock: it has version \(version), but this fitiq-mock reads only up to "
                + "\(known); update fitiq-mock, or choose a different file")
    }
}
