import FitIQAPI
import MockServer

/// A transport made of arrays, and a clock moved by hand: what the host does with sockets, without any.
final class Network {
    let engine: Engine
    private(set) var now: Timestamp
    private(set) var openCount = 0
    /// The open connections by place.
    private var wires: [Wire?] = []
    private var waiting: [Wire] = []
    private let report: (String) -> Void

    /// More turns than this without the clock moving are a server that spins.
    private static let mostTurns = 100_000

    init(engine: Engine, now: Timestamp, report: @escaping (String) -> Void) {
        self.engine = engine
        self.now = now
        self.report = report
    }

    /// Opens a connection; nil where the engine wants it closed at once.
    func connect(_ client: SimulatedClient) -> Wire? {
        guard let id = engine.open(at: now) else { return nil }
        let wire = Wire(id: id, client: client)
        while wires.count <= id.place { wires.append(nil) }
        if wires[id.place] != nil { report("the place \(id.place) was given away while it is taken") }
        wires[id.place] = wire
        openCount += 1
        return wire
    }

    /// Has the network look at a wire on which the client has sent something, or taken something.
    func enqueue(_ wire: Wire) {
        guard !wire.isWaiting else { return }
        wire.isWaiting = true
        waiting.append(wire)
    }

    /// The connection is gone without a word.
    func vanish(_ wire: Wire) {
        guard wire.ending == .open else { return }
        drop(wire, .vanished)
    }

    /// Delivers and serves until nothing moves, and has the engine do what is due by now, as the host does at each turn's end.
    func turn() {
        settle()
        var turns = 0
        while let due = engine.nextDeadline, due <= now {
            serveDeadlines()
            turns += 1
            if turns > Network.mostTurns { return report("the engine asks for the present time again and again") }
        }
    }

    /// Moves the clock, stopping at each deadline on the way.
    func advance(byNanoseconds nanoseconds: Int64) {
        let target = now.advanced(byNanoseconds: nanoseconds)
        turn()
        while let due = engine.nextDeadline, due <= target {
            now = max(now, due)
            serveDeadlines()
            turn()
        }
        now = target
    }

    private func serveDeadlines() {
        engine.advance(to: now)
        if let next = engine.nextDeadline, next <= now, !engine.isBusy {
            report("a deadline of \(now.nanosecondsSinceEpoch - next.nanosecondsSinceEpoch) ns ago was not served")
        }
        settle()
    }

    private func settle() {
        var turns = 0
        while true {
            let touched = engine.takeTouched()
            for connection in touched { serve(connection) }
            guard !touched.isEmpty || !waiting.isEmpty else { return }
            var batch: [Wire] = []
            swap(&batch, &waiting)
            var moved = !touched.isEmpty
            for wire in batch {
                wire.isWaiting = false
                if deliver(wire) { moved = true }
            }
            if !moved { return }
            turns += 1
            if turns > Network.mostTurns { return report("the engine is never done with what arrived") }
        }
    }

    /// Delivers one piece to the engine, or what the window has room for to the client; false where nothing moved.
    private func deliver(_ wire: Wire) -> Bool {
        guard wire.ending == .open, let connection = engine.connection(wire.id) else { return false }
        let hasRoom = connection.hasOutput && wire.window > 0
        if hasRoom { serve(connection) }
        // Where reading is paused, the wire is looked at again once the client has taken something.
        guard wire.ending == .open, wire.hasMore, !engine.isReadingPaused(connection) else { return hasRoom }
        if !wire.deliverPiece({ engine.receive($0, on: wire.id, at: now) }) {
            guard wire.takeEndOfStream() else { return false }
            engine.receiveEndOfStream(on: wire.id, at: now)
        }
        if wire.hasMore { enqueue(wire) }
        return true
    }

    private func serve(_ connection: Connection) {
        // Touched, and gone since.
        guard let wire = wires[connection.id.place], wire.id == connection.id else { return }
        if connection.ending == .reset { return drop(wire, .reset) }
        while connection.hasOutput {
            let count = connection.withOutput { wire.take($0) }
            if count == 0 { return }
            engine.sent(count, on: wire.id, at: now)
            if wire.hasMore { enqueue(wire) }
        }
        guard connection.isDrained else { return }
        switch connection.ending {
        case .none: break
        case .close: drop(wire, .closed)
        case .reset, .resetAfterOutput: drop(wire, .reset)
        case .lingering:
            guard !wire.sawEndOfStream else { return }
            wire.sawEndOfStream = true
            wire.client.receiveEndOfStream()
            if wire.closesInReply {
                wire.finishWriting()
                enqueue(wire)
            }
        }
    }

    private func drop(_ wire: Wire, _ ending: Wire.Ending) {
        wire.ending = ending
        wires[wire.id.place] = nil
        openCount -= 1
        engine.transportClosed(wire.id)
        if ending == .closed, !wire.sawEndOfStream { wire.client.receiveEndOfStream() }
    }
}
