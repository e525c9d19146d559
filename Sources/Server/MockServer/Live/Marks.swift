import FitIQAPI
import FitIQBackend
import JSON

/// A point in a world's history to which it can rewind.
struct Mark: Sendable {
    let name: ExactString
    /// The number of the journal entry about the mark.
    let number: Int
    /// The world's date when the mark was set.
    let time: Timestamp
    let snapshot: World.Snapshot
    /// The size of the mark's stored data, in bytes of JSON.
    var bytes: Int { snapshot.backend.storedBytes }

    /// The maximum number of marks in a world.
    package static let most = 16
    /// The maximum length of a name in bytes.
    package static let nameBytes = 100

    func write(to writer: inout JSONWriter) {
        writer.member("name", name.text)
        writer.member("number", number)
        writer.member("time", time.nanosecondText)
        writer.member("bytes", bytes)
    }
}

/// A world's marks: points to which it can rewind any number of times.
extension Engine {
    /// Adds a mark at the world's current time; a mark without a name gets the next free one.
    func addMark(named name: String?, _ snapshot: World.Snapshot, to world: World, at now: Timestamp) -> Mark {
        if world.live == nil { world.live = LiveControl() }
        let taken = Set(world.live?.marks.map(\.name.text) ?? [])
        let free = (1...).lazy.map { "mark-\($0)" }.first { !taken.contains($0) }
        let name = ExactString(name ?? free ?? "mark")
        world.setTime(now)
        recorder.record(.note("mark \(name.text)"), at: world.turn.now, in: world)
        let mark = Mark(name: name, number: world.journal.lastNumber, time: world.turn.date, snapshot: snapshot)
        world.live?.marks.append(mark)
        world.written.marks += mark.bytes
        worlds.accountStorage(of: world)
        return mark
    }

    func removeMarks(_ range: Range<Int>, of world: World) {
        guard let live = world.live, !range.isEmpty else { return }
        let removed = Array(live.marks[range])
        world.written.marks -= removed.reduce(0) { $0 + $1.bytes }
        discard(removed)
        world.live?.marks.removeSubrange(range)
    }

    /// Restores a mark's state, clock and faults; keeps the journal, drops later marks and ends all sockets.
    func goBack(
        _ world: World, to mark: Mark, _ snapshot: World.Snapshot, endingSocketsWith ending: SocketEnding,
        at now: Timestamp
    ) {
        world.setTime(now)
        breakpoints.releaseAll(of: world, .ended, at: now)
        let reason = "The world returned to an earlier state"
        // Record the ends of sockets before the rewind.
        for connection in connections where connection.world === world && connection.isOpenSocket && !connection.isEcho
        {
            // Send held output before the end, so that it is in the journal.
            if connection.output.isHeld { release(connection, in: world, at: now, skippingWaits: true) }
            recorder.recordEnd(of: connection, by: .server, .shutdown, message: reason)
            guard ending != .close, connection.isServed else { continue }
            drop(connection, ending == .reset ? .reset : .finish, in: world, at: now)
        }
        lives.closeConnections(of: world, reason: reason, at: now)
        if world.isLargeToFree { discard([world.backend, world.replay, world.judge] as [any Sendable]) }
        world.goBack(to: snapshot, at: now)
        breakpoints.disableAbandoned(of: world)
        let marks = world.live?.marks ?? []
        removeMarks((marks.firstIndex { $0.number > mark.number } ?? marks.count)..<marks.count, of: world)
        recorder.record(
            .note("the world returned to mark \(mark.name.text), entry \(mark.number)"), at: world.turn.now, in: world)
        world.forgetEarlier()
        worlds.accountEverything(of: world)
        queueDeadline(of: world)
    }
}
