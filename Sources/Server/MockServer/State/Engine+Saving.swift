import FitIQAPI
import FitIQBackend
import JSON
import Scenarios

/// A server's view of its state file.
///
/// A class, because it is asked after every request, and a value with lists would be copied for that.
final class Saving {
    let file: StateFile
    /// The worlds with possibly unsaved changes, each once.
    @exclusivity(unchecked) var worlds: [World] = []
    /// Steps for deleted worlds, and for a file in an unknown state.
    @exclusivity(unchecked) var steps: [StateStep] = []
    /// Whether slices wait for a commit, or the number of the last world does.
    @exclusivity(unchecked) var needsCommit = false
    /// How many slices were written since the last commit.
    @exclusivity(unchecked) var sliceCount = 0
    /// When steps may be written next.
    @exclusivity(unchecked) var due = Timestamp(nanosecondsSinceEpoch: 0)
    /// Whether steps are being written.
    @exclusivity(unchecked) var isWriting = false
    /// Why the last steps were not written; nil if they were.
    @exclusivity(unchecked) var failure: StateFileError?

    init(_ file: StateFile) { self.file = file }
}

/// The saved part of a world.
struct SavedPart: Equatable {
    /// Its life then (``World/life``): of a later one nothing is.
    var life: Int
    var issuedIDs: Int
    var manualTime: Timestamp?
}

/// State that survives: changes are collected in slices, and written off the loop.
///
/// Slices are written in one transaction until nothing is unsaved, so each commit is the state of one moment. While a
/// slice is written, changes gather; so at most one is in transit, however slow the disk.
extension Engine {
    /// The shortest time between two commits in nanoseconds; the first change after a pause is written at once.
    static let savingInterval: Int64 = 100_000_000
    /// After a failure.
    static let savingPause: Int64 = 5_000_000_000
    /// About how many entities are collected in a turn of the loop: well under a millisecond's work.
    ///
    /// After 16 full slices of a transaction it is twice as many, and so on up to 64 times: it ends unless more changes than
    /// that come in each turn.
    static let savedInTurn = 512

    /// When to call ``save(at:)``; nil while nothing is unsaved, or while a slice is written.
    var savingDue: Timestamp? {
        guard let saving, !saving.isWriting, saving.hasWork else { return nil }
        return saving.due
    }

    /// Collects the next slice of unsaved changes, and has it written; call it when a turn ends.
    public func save(at now: Timestamp) {
        guard let saving, let due = savingDue, due <= now else { return }
        let limit = Engine.savedInTurn << min(saving.sliceCount / 16, 6)
        guard let slice = takeSlice(upTo: limit) else { return }
        saving.isWriting = true
        let (file, commits) = (saving.file, slice.commits)
        saving.sliceCount = commits ? 0 : saving.sliceCount + (slice.steps.count < limit ? 0 : 1)
        file.add(slice.steps, commits: commits)
        beside(at: now, on: startSaving) {
            Result { () throws(StateFileError) in try file.flush() }
        } then: { engine, result, now in
            engine.saved(result.take(), commits: commits, at: now)
        }
    }

    private func saved(_ result: Result<Void, StateFileError>, commits: Bool, at now: Timestamp) {
        guard let saving else { return }
        saving.isWriting = false
        switch result {
        case .success:
            if commits { saving.failure = nil }
            // The rest of a transaction follows at once, unless its world is paused.
            let follows = !commits && saving.worlds.contains { !$0.isStanding }
            saving.due = follows ? now : now.advanced(byNanoseconds: Engine.savingInterval)
            if follows { save(at: now) }
        case .failure(let failure):
            if saving.failure == nil { observe?(.stateNotSaved(message: failure.message)) }
            saving.failure = failure
            saving.due = now.advanced(byNanoseconds: Engine.savingPause)
            saveAnew()
        }
    }

    /// Counts everything as unsaved, because the file's content is unknown.
    func saveAnew() {
        saving?.steps = [.forgetAll(except: configuration.hasDefaultWorld ? nil : World.defaultID)]
        saving?.sliceCount = 0
        for world in [defaultWorld] + worlds.byAge {
            (world.savedPart, world.isInFile) = (nil, false)
            noteUnsaved(world)
            // A commit without it would lose it.
            world.isPartlySaved = world.awaitsSaving
        }
    }

    // MARK: Collecting

    /// Records a world that may have changed.
    func noteUnsaved(_ world: World) {
        guard let saving, !world.isGone else { return }
        guard world.replay == nil else {
            // Its earlier state no longer counts.
            if world.isInFile || world.awaitsSaving { noteRemoval(of: world) }
            return
        }
        guard !world.awaitsSaving, world.isUnsaved else { return }
        guard world.id != nil || configuration.hasDefaultWorld else { return }
        world.awaitsSaving = true
        saving.worlds.append(world)
    }

    /// Notes that a world is gone, or is not saved any more.
    func noteRemoval(of world: World) {
        saving?.worlds.removeAll { $0 === world }
        if world.isInFile { saving?.steps.append(.remove(world: world.name)) }
        (world.savedPart, world.isInFile, world.awaitsSaving, world.isPartlySaved) = (nil, false, false, false)
        saving?.needsCommit = true
    }

    struct StateSlice {
        var steps: [StateStep]
        /// Whether the file has the state of one moment after it.
        var commits: Bool
    }

    /// Takes unsaved changes; nil if there are none.
    ///
    /// A paused world is left for later. Then no commit may have a part of its earlier state.
    ///
    /// - Parameter atTheEnd: Whether no world will resume.
    func takeSlice(upTo limit: Int, atTheEnd: Bool = false) -> StateSlice? {
        guard let saving, atTheEnd || saving.hasWork else { return nil }
        var steps = saving.steps
        saving.steps = []
        var rest: [World] = []
        for world in saving.worlds {
            if world.isStanding && !atTheEnd || steps.count >= limit || !take(world, upTo: limit, into: &steps) {
                rest.append(world)
            } else {
                world.awaitsSaving = false
            }
        }
        steps.append(.serial(worlds.serial))
        saving.worlds = rest
        let commits = rest.allSatisfy { $0.isStanding && !$0.isPartlySaved }
        saving.needsCommit = !commits
        return StateSlice(steps: steps, commits: commits)
    }

    /// Takes changes of a world, and its other news once there are no more; returns whether there are none.
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
}

extension Saving {
    /// Whether there is something to write; paused worlds wait.
    fileprivate var hasWork: Bool {
        !steps.isEmpty || worlds.contains { !$0.isStanding }
            || needsCommit && !worlds.contains(where: \.isPartlySaved)
    }
}

extension World {
    /// Its present saved data, except its entities.
    fileprivate var presentPart: SavedPart {
        SavedPart(life: life, issuedIDs: turn.identifiers.issuedCount, manualTime: clock.manualTime)
    }

    /// Whether something may be unsaved.
    fileprivate var isUnsaved: Bool {
        backend.hasUnsavedChanges() || savedPart != presentPart
    }

    /// A scenario file without users: its data in a state file, except its entities.
    var head: [UInt8] {
        WorldData(issuedIDs: turn.identifiers.issuedCount).scenarioFile(
            name: settings.scenario.name, guide: settings.mode, seed: settings.seed, clock: settings.clock,
            rules: settings.scenario.rules)
    }

    /// Counts what it holds as saved, unless it was saved at a time that has not come yet: times in it have become
    /// earlier ones then.
    func countAsSaved(_ saved: SavedWorld) {
        isInFile = true
        guard saved.time <= turn.date else { return }
        backend.noticeChanges(allSaved: true)
        savedPart = presentPart
    }
}
