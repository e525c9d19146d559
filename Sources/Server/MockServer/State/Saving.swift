import FitIQAPI
import FitIQBackend
import Text

/// A server's state file and the changes that it does not contain yet.
///
/// The loop collects changes in slices, and another thread writes them. A transaction adds slices until everything is
/// saved, so each commit captures the state at a single moment. The loop collects the next slice only after the last
/// slice is written, so at most one slice waits for a slow disk.
///
/// This is a class because the engine uses it after every request, and the lists of a value type would be copied each
/// time.
final class Saving {
    let file: StateFile
    private let table: WorldTable
    private let hasDefaultWorld: Bool
    /// The worlds that may have unsaved changes, without duplicates.
    @exclusivity(unchecked) private(set) var worlds: [World] = []
    /// Steps for deleted worlds, and for a file whose content is unknown.
    @exclusivity(unchecked) private(set) var steps: [StateStep] = []
    /// Whether written slices or the last world's number are waiting for a commit.
    @exclusivity(unchecked) var needsCommit = false
    @exclusivity(unchecked) private(set) var sliceCount = 0
    /// The earliest time for the next slice.
    @exclusivity(unchecked) private var earliest = Timestamp(nanosecondsSinceEpoch: 0)
    @exclusivity(unchecked) private var isWriting = false
    /// The error from the last slice; nil once a later slice was committed.
    @exclusivity(unchecked) private(set) var failure: Refusal?

    init(_ file: StateFile, of table: WorldTable, hasDefaultWorld: Bool) {
        (self.file, self.table, self.hasDefaultWorld) = (file, table, hasDefaultWorld)
    }

    /// The shortest time between two commits in nanoseconds; the first change after a pause is written immediately.
    private static let interval: Int64 = 100_000_000
    /// The time until the next attempt after a failure, in nanoseconds.
    private static let pause: Int64 = 5_000_000_000
    /// The approximate number of entities to collect in a loop turn; collecting them takes well under a millisecond.
    ///
    /// The number doubles after every 16 full slices of a transaction, up to a factor of 64. A transaction therefore
    /// ends unless every turn brings even more changes.
    private static let savedInTurn = 512

    /// When to call ``startSlice(at:)``; nil if nothing is unsaved or a slice is being written.
    var due: Timestamp? { !isWriting && hasWork ? earliest : nil }

    /// Adds the next slice to the file, and returns whether to commit after it; nil if nothing is due.
    func startSlice(at now: Timestamp) -> Bool? {
        guard let due, due <= now else { return nil }
        let limit = Self.savedInTurn << min(sliceCount / 16, 6)
        guard let slice = takeSlice(upTo: limit) else { return nil }
        isWriting = true
        sliceCount = slice.commits ? 0 : sliceCount + (slice.steps.count < limit ? 0 : 1)
        file.add(slice.steps, commits: slice.commits)
        return slice.commits
    }

    /// Continues after a slice was written; returns an error that follows a success.
    func finishSlice(_ result: Result<Void, Refusal>, commits: Bool, at now: Timestamp) -> Refusal? {
        isWriting = false
        switch result {
        case .success:
            if commits { failure = nil }
            // The rest of a transaction follows immediately, unless it waits for a paused world.
            let follows = !commits && worlds.contains { !$0.isPaused }
            earliest = follows ? now : now.advanced(byNanoseconds: Self.interval)
            return nil
        case .failure(let error):
            defer { failure = error }
            earliest = now.advanced(byNanoseconds: Self.pause)
            saveAnew()
            return failure == nil ? error : nil
        }
    }

    /// Marks all data as unsaved, because the file's content is unknown.
    func saveAnew() {
        steps = [.forgetAll(except: hasDefaultWorld ? nil : World.defaultID)]
        sliceCount = 0
        for world in [table.main] + table.byAge {
            (world.savedPart, world.isInFile) = (nil, false)
            noteUnsaved(world)
            // A commit that left out this world would lose it.
            world.isPartlySaved = world.awaitsSaving
        }
    }

    /// Queues a world for saving if it has changed.
    func noteUnsaved(_ world: World) {
        guard !world.isGone else { return }
        guard world.replay == nil else {
            // A world that replays a session is not saved, so remove its earlier state from the file.
            if world.isInFile || world.awaitsSaving { noteRemoval(of: world) }
            return
        }
        guard !world.awaitsSaving, world.isUnsaved else { return }
        guard world.id != nil || hasDefaultWorld else { return }
        world.awaitsSaving = true
        worlds.append(world)
    }

    /// Removes a world from the file, because it was deleted or is no longer saved.
    func noteRemoval(of world: World) {
        worlds.removeAll { $0 === world }
        if world.isInFile { steps.append(.remove(world: world.name)) }
        (world.savedPart, world.isInFile, world.awaitsSaving, world.isPartlySaved) = (nil, false, false, false)
        needsCommit = true
    }

    /// Removes and returns unsaved changes, and whether to commit after them; nil if there are none.
    ///
    /// It skips paused worlds. No commit happens while the file has only a part of a paused world's changes.
    ///
    /// - Parameter atTheEnd: Whether the server is ending, so that no paused world resumes.
    func takeSlice(upTo limit: Int, atTheEnd: Bool = false) -> (steps: [StateStep], commits: Bool)? {
        guard atTheEnd || hasWork else { return nil }
        var steps = self.steps
        self.steps = []
        var rest: [World] = []
        for world in worlds {
            if world.isPaused && !atTheEnd || steps.count >= limit || !take(world, upTo: limit, into: &steps) {
                rest.append(world)
            } else {
                world.awaitsSaving = false
            }
        }
        steps.append(.serial(table.serial))
        worlds = rest
        let commits = rest.allSatisfy { $0.isPaused && !$0.isPartlySaved }
        needsCommit = !commits
        return (steps, commits)
    }

    /// Takes changes to a world's entities, and finally the world's head; returns whether nothing is left.
    private func take(_ world: World, upTo limit: Int, into steps: inout [StateStep]) -> Bool {
        let part = world.presentPart
        if world.savedPart?.life != part.life {
            world.backend.noticeChanges(allSaved: false)
            steps.append(
                .begin(world: world.name, number: world.number, scenario: world.settings.requestedScenario))
        }
        for change in world.backend.takeChanges(upTo: max(1, limit - steps.count)) {
            steps.append(.entity(change, world: world.name))
        }
        (world.savedPart, world.isInFile) = (part, true)
        world.isPartlySaved = world.backend.hasUnsavedChanges()
        guard !world.isPartlySaved else { return false }
        steps.append(.head(world: world.name, world.head, world.turn.date))
        return true
    }

    /// Whether there are changes to write now; paused worlds wait.
    private var hasWork: Bool {
        !steps.isEmpty || worlds.contains { !$0.isPaused }
            || needsCommit && !worlds.contains(where: \.isPartlySaved)
    }
}

/// The saved part of a world, except its entities.
struct SavedPart: Equatable {
    /// The saved life (``World/life``); the file has no data from a later life.
    var life: Int
    var issuedIDs: Int
    var manualTime: Timestamp?
}

extension World {
    fileprivate var presentPart: SavedPart {
        SavedPart(life: life, issuedIDs: turn.identifiers.issuedCount, manualTime: clock.manualTime)
    }

    fileprivate var isUnsaved: Bool {
        backend.hasUnsavedChanges() || savedPart != presentPart
    }

    /// The world as a scenario file that has no users; the state file contains it in addition to the entities.
    var head: [UInt8] {
        WorldData(issuedIDs: turn.identifiers.issuedCount).scenarioFile(
            name: settings.scenario.name, guide: settings.mode, seed: settings.seed, clock: settings.clock,
            rules: settings.scenario.rules)
    }

    /// Marks a restored world as saved, unless its save time is later than the current time.
    ///
    /// In that case, restoring has changed the world's times.
    func countAsSaved(_ saved: SavedWorld) {
        isInFile = true
        guard saved.time <= turn.date else { return }
        backend.noticeChanges(allSaved: true)
        savedPart = presentPart
    }
}
