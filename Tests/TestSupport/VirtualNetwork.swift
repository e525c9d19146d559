import FitIQAPI
import MockServer
import Traffic

/// A transport that is made of arrays and has a manual clock; it takes the place of ``Host`` and its sockets.
///
/// Like the host, it reads from a connection only while reading is not paused, at most 16 KiB at a time, and ends
/// connections as documented.
package final class VirtualNetwork {
    /// What moves automatically.
    package enum Motion {
        /// Everything moves: sent bytes arrive immediately, and slices of long answers arrive as fast as they are read.
        case atOnce
        /// Everything moves except slices of long answers, which wait for ``turn()``.
        case slicesByTurn
        /// Nothing moves: everything waits for ``catchUp()`` and ``advance(by:)``.
        case never
    }

    package let engine: Engine
    package private(set) var now: Timestamp
    package private(set) var openCount = 0
    package private(set) var observations: [MockServer.Observation] = []
    package var motion: Motion
    /// Records the bytes of connections that are opened after it is set.
    package var recorder: SessionRecorder?
    /// Called for each violation of the engine's contract with a transport.
    package var report: (String) -> Void = { _ in }
    /// Moves bytes between the engine and its worlds' upstream servers; returns whether any moved.
    package var serveUpstreams: () -> Bool = { false }
    /// The open connections, indexed by the `place` in their IDs.
    private var clients: [VirtualClient?] = []
    private var waiting: [VirtualClient] = []

    /// A server that takes more turns than this while the clock stands still is spinning.
    private static let mostTurns = 100_000

    package init(_ engine: Engine, now: Timestamp, motion: Motion = .atOnce) {
        self.engine = engine
        self.now = now
        self.motion = motion
        engine.observe = { [unowned self] in observations.append($0) }
    }

    /// Opens a connection; returns nil if the engine wants it closed immediately.
    ///
    /// - Parameters:
    ///   - window: the number of bytes that the client accepts before it reads again.
    ///   - reader: receives the bytes in place of ``VirtualClient/received``.
    package func connect(
        window: Int = .max, isLocal: Bool = true, isSecure: Bool = false, reader: (any VirtualReader)? = nil
    ) -> VirtualClient? {
        guard let id = engine.open(at: now, isLocal: isLocal, isSecure: isSecure) else { return nil }
        let client = VirtualClient(id: id, network: self, window: window, reader: reader)
        while clients.count <= id.place { clients.append(nil) }
        if clients[id.place] != nil { report("the place \(id.place) was given away while it is taken") }
        clients[id.place] = client
        openCount += 1
        recorder?.opened(id.number, scheme: "http")
        settleUnlessByHand()
        return client
    }

    package func connection(of client: VirtualClient) -> Connection? { engine.connection(client.id) }

    // MARK: Time

    /// Moves the clock, stopping at each deadline on the way.
    package func advance(by duration: Duration) {
        let target = now + duration
        guard catchUp() else { return }
        while let due = engine.nextDeadline, due <= target {
            now = max(now, due)
            guard serveDeadlines(), catchUp() else { return }
        }
        now = target
    }

    /// Runs one turn of the host's loop without input.
    package func turn() {
        engine.advance(to: now)
        settle()
    }

    /// Moves bytes until nothing moves any more, and lets the engine do everything that is due.
    ///
    /// - Returns: False if bytes never stop moving, which is reported.
    @discardableResult
    package func catchUp() -> Bool {
        settle()
        var turns = 0
        while let due = engine.nextDeadline, due <= now {
            guard serveDeadlines() else { return false }
            turns += 1
            guard turns <= Self.mostTurns else {
                report("the engine asks for the present time again and again")
                return false
            }
        }
        return true
    }

    package func beginShutdown() {
        engine.beginShutdown(at: now)
        settleUnlessByHand()
    }

    private func serveDeadlines() -> Bool {
        engine.advance(to: now)
        engine.save(at: now)
        let late = engine.nextDeadline.map { now.nanosecondsSinceEpoch - $0.nanosecondsSinceEpoch } ?? -1
        let isServed = late < 0 || engine.isBusy
        if !isServed { report("a deadline of \(late) ns ago was not served: a host would spin") }
        settle()
        return isServed
    }

    // MARK: Bytes

    /// Queues a client that has sent bytes or can accept more.
    func enqueue(_ client: VirtualClient) {
        if !client.isWaiting {
            client.isWaiting = true
            waiting.append(client)
        }
        settleUnlessByHand()
    }

    /// Removes the connection without closing it.
    func vanish(_ client: VirtualClient) {
        guard client.ending == .open else { return }
        drop(client, .byClient)
        settleUnlessByHand()
    }

    private func settleUnlessByHand() { if motion != .never { settle() } }

    /// Serves connections and delivers bytes until nothing moves any more.
    package func settle() {
        for _ in 0..<Self.mostTurns {
            let touched = engine.takeTouched()
            for connection in touched { serve(connection) }
            var batch: [VirtualClient] = []
            swap(&batch, &waiting)
            var isStill = touched.isEmpty
            for client in batch {
                client.isWaiting = false
                if deliver(client) { isStill = false }
            }
            if serveUpstreams() { isStill = false }
            guard isStill else { continue }
            guard engine.isBusy, motion == .atOnce else { return }
            engine.advance(to: now)
        }
        report("the engine is never done with what arrived")
    }

    /// Delivers one piece to the engine, or bytes to the client within its window; returns false if nothing moved.
    private func deliver(_ client: VirtualClient) -> Bool {
        guard client.ending == .open, let connection = connection(of: client) else { return false }
        let hasRoom = connection.hasOutput && client.window > 0
        if hasRoom { serve(connection) }
        // If reading is paused, the engine marks the connection as touched when reading resumes.
        guard client.hasMore, engine.isRead(connection) else { return hasRoom }
        let hadPiece = client.deliverPiece { bytes in
            recorder?.clientSent(bytes, on: client.id.number, at: now)
            engine.receive(bytes, on: client.id, at: now)
        }
        if !hadPiece {
            guard client.takeEndOfStream() else { return false }
            recorder?.finished(client.id.number, by: .client, at: now)
            engine.receiveEndOfStream(on: client.id, at: now)
        }
        requeue(client)
        return true
    }

    private func requeue(_ client: VirtualClient) {
        guard client.hasMore, !client.isWaiting else { return }
        client.isWaiting = true
        waiting.append(client)
    }

    private func serve(_ connection: Connection) {
        // The connection was touched, but has been closed since.
        guard let client = clients[connection.id.place], client.id == connection.id else { return }
        if connection.ending == .reset { return drop(client, .reset) }
        defer { requeue(client) }
        while connection.hasOutput {
            let count = connection.withOutput { bytes in
                let count = client.take(bytes)
                recorder?.serverSent(UnsafeRawBufferPointer(rebasing: bytes[..<count]), on: client.id.number, at: now)
                return count
            }
            if count == 0 { return }
            engine.sent(count, on: client.id, at: now)
        }
        guard connection.isDrained else { return }
        switch connection.ending {
        case .none: break
        case .close: drop(client, .closed)
        case .reset, .resetAfterOutput: drop(client, .reset)
        case .lingering:
            guard !client.sawEndOfStream else { return }
            recorder?.finished(client.id.number, by: .server, at: now)
            client.serverFinished()
        }
    }

    private func drop(_ client: VirtualClient, _ ending: VirtualClient.Ending) {
        client.end(ending)
        clients[client.id.place] = nil
        openCount -= 1
        recorder?.ended(
            client.id.number, by: ending == .byClient ? .client : .server, isReset: ending != .closed, at: now)
        engine.transportClosed(client.id, at: now)
    }
}

extension Duration {
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

extension Timestamp {
    package static func + (time: Timestamp, duration: Duration) -> Timestamp {
        time.advanced(byNanoseconds: duration.wholeNanoseconds)
    }
}
