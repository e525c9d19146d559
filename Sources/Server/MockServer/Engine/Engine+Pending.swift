import Faults
import FitIQAPI
import Recording

/// The journal and what faults hold back: an entry is made when the client can have what it tells of, or never will.
extension Engine {
    /// Records something whose last byte has just been written, now or when faults let that byte go.
    func record(
        _ subject: PendingEntry.Subject, from start: Int, in world: World, on connection: Connection
    ) {
        guard connection.output.isHeld else { return record(subject, in: world, on: connection) }
        connection.pending.append(PendingEntry(subject: subject, range: start..<connection.output.writtenOffset))
    }

    private func record(_ subject: PendingEntry.Subject, in world: World, on connection: Connection) {
        let (time, number) = (world.turn.now, connection.number(in: world))
        switch subject {
        case .exchange(let exchange): world.journal.record(exchange, at: time, connection: number)
        case .opening(let opening): world.journal.record(.opened(opening), at: time, connection: number)
        case .frame(let frame): world.journal.record(frame, at: time, connection: number)
        }
        accountJournal(of: world)
    }

    /// Records what faults have let go of.
    func recordReleased(of connection: Connection, in world: World) {
        while let entry = connection.pending.takeNext(before: connection.output.releasedOffset) {
            record(entry.subject, in: world, on: connection)
        }
    }

    /// Records what the client will never have: nothing more is let go.
    ///
    /// - Returns: whether the handshake was among it, so that the client knows of no socket, and of none of its frames.
    @discardableResult
    func recordAbandoned(of connection: Connection, in world: World) -> Bool {
        recordReleased(of: connection, in: world)
        for entry in connection.pending.takeAll() {
            record(entry.abandoned(at: connection.output.releasedOffset).subject, in: world, on: connection)
            if case .opening = entry.subject {
                connection.waitingFrames = []
                return true
            }
        }
        recordWaiting(of: connection, from: connection.output.writtenOffset, in: world, areLost: true)
        return false
    }

    /// Records the messages that a fault had wait for others.
    func recordWaiting(of connection: Connection, from start: Int, in world: World, areLost: Bool) {
        guard !connection.waitingFrames.isEmpty else { return }
        let frames = connection.waitingFrames
        connection.waitingFrames = []
        for var frame in frames {
            if areLost { frame.delivery = .none }
            record(.frame(frame), from: start, in: world, on: connection)
        }
    }

    /// Records a message that met the faults of its connection, in the place that it has among those that waited.
    ///
    /// - Parameter before: how the faults were before they were given the message.
    func record(
        sent text: [UInt8], _ outgoing: Outgoing, from start: Int, before: SocketFaults, on connection: Connection,
        in world: World
    ) {
        // The socket has come to its end, though the client may be told later.
        guard !before.isOver else { return }
        var frame = RecordedFrame(
            sender: .server, opcode: .text, payload: text, delivery: Delivery(outgoing.extent),
            faults: outgoing.ruleNames)
        let isEmpty = outgoing.transmission.bytes.isEmpty && outgoing.transmission.marks.isEmpty
        let waits = (connection.socketFaults?.waitingByteCount ?? 0) > 0
        if isEmpty, waits, frame.delivery == .complete { return connection.waitingFrames.append(frame) }
        guard !isEmpty, !connection.waitingFrames.isEmpty else {
            return record(.frame(frame), from: start, in: world, on: connection)
        }
        let isOver = connection.socketFaults?.isOver ?? false
        if before.isSwapping, !isOver {
            record(.frame(frame), from: start, in: world, on: connection)
            recordWaiting(of: connection, from: start, in: world, areLost: false)
        } else {
            recordWaiting(of: connection, from: start, in: world, areLost: before.isSwapping)
            if outgoing.transmission.bytes.isEmpty { frame.delivery = .none }
            record(.frame(frame), from: start, in: world, on: connection)
        }
    }
}

extension Delivery {
    fileprivate init(_ extent: Outgoing.Extent) {
        self =
            switch extent {
            case .whole: .complete
            case .beginning: .partial
            case .nothing: .none
            }
    }
}
