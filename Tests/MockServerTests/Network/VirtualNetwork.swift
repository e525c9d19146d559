import FitIQAPI
import Testing
import Traffic

@testable import MockServer

/// A transport made of arrays, and a clock moved by hand: what ``Host`` does with sockets, without any.
///
/// Like the host it reads from a connection only while reading is not paused, at most `pieceSize` bytes at a time, and
/// obeys each ending as documented.
final class VirtualNetwork {
    /// What the host reads in one go.
    static let pieceSize = 16 * 1024
    /// 2025-01-29T10:30:00Z.
    static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    let engine: Engine
    private(set) var now = VirtualNetwork.start
    /// What the engine told its observer.
    private(set) var observations: [MockServer.Observation] = []
    /// Sees what goes over the wire, where set before the first connection.
    var recorder: SessionRecorder?
    /// Whether slices of long answers wait for ``turn()``; else they come one after another, as fast as they are taken.
    var makesSlicesByTurn = false
    /// The open connections by place.
    private var clients: [Int: VirtualClient] = [:]
    /// Clients with bytes or an end of stream that the engine has not taken.
    private var waiting: [VirtualClient] = []

    init(_ configure: (inout Engine.Configuration) -> Void = { _ in }) {
        var configuration = Engine.Configuration(pace: .instant)
        configure(&configuration)
        do throws(APIError) {
            engine = try Engine(configuration, now: now)
        } catch {
            preconditionFailure("The scenario's data does not fit together: \(error.message)")
        }
        engine.observe = { [unowned self] in observations.append($0) }
    }

    /// How many connections are open as the transport sees it.
    var openCount: Int { clients.count }

    /// Opens a connection; nil where the engine wants it closed at once.
    func connect(window: Int = .max, isLocal: Bool = true, isSecure: Bool = false) -> VirtualClient? {
        guard let id = engine.open(at: now, isLocal: isLocal, isSecure: isSecure) else { return nil }
        #expect(clients[id.place] == nil, "a place was given away while it is taken")
        let client = VirtualClient(id: id, network: self, window: window)
        clients[id.place] = client
        recorder?.opened(id.number, scheme: "http")
        settle()
        return client
    }

    /// Opens a connection that the limits allow for certain.
    func open(window: Int = .max, isLocal: Bool = true, isSecure: Bool = false) throws -> VirtualClient {
        try #require(
            connect(window: window, isLocal: isLocal, isSecure: isSecure), "the engine refused a connection outright")
    }

    /// Moves the clock, stopping at each deadline on the way.
    func advance(by duration: Duration) {
        let target = now + duration
        while let due = engine.nextDeadline, due <= target {
            now = max(now, due)
            engine.advance(to: now)
            settle()
            if let next = engine.nextDeadline, next <= now {
                Issue.record("the engine asks for a time that has been served: the host would spin")
                break
            }
        }
        now = target
    }

    func beginShutdown() {
        engine.beginShutdown(at: now)
        settle()
    }

    /// Serves connections and delivers bytes until nothing moves any more.
    func settle() {
        while true {
            let touched = engine.takeTouched()
            for connection in touched { serve(connection) }
            var isQuiet = touched.isEmpty
            let batch = waiting
            waiting = []
            for client in batch {
                if deliver(to: client) { isQuiet = false }
                if client.hasMore { waiting.append(client) }
            }
            if isQuiet {
                guard engine.isBusy, !makesSlicesByTurn else { return }
                engine.advance(to: now)
            }
        }
    }

    /// One turn of the host's loop, in which nothing arrives.
    func turn() {
        engine.advance(to: now)
        settle()
    }

    func enqueue(_ client: VirtualClient) {
        if !waiting.contains(where: { $0 === client }) { waiting.append(client) }
        settle()
    }

    /// The client takes more, so the server can send more.
    func windowOpened(of client: VirtualClient) {
        if let connection = connection(of: client) { serve(connection) }
        settle()
    }

    /// The connection is gone without a word.
    func broken(_ client: VirtualClient) {
        guard client.ending == .open else { return }
        drop(client, .byClient)
        settle()
    }

    func connection(of client: VirtualClient) -> Connection? { engine.connection(client.id) }

    private func deliver(to client: VirtualClient) -> Bool {
        guard client.ending == .open, let connection = connection(of: client), !engine.isReadingPaused(connection)
        else {
            return false
        }
        if let piece = client.takePiece(upTo: Self.pieceSize) {
            piece.withUnsafeBytes {
                recorder?.clientSent($0, on: client.id.number, at: now)
                engine.receive($0, on: client.id, at: now)
            }
            return true
        }
        guard client.takeEndOfStream() else { return false }
        recorder?.finished(client.id.number, by: .client, at: now)
        engine.receiveEndOfStream(on: client.id, at: now)
        return true
    }

    private func serve(_ connection: Connection) {
        // Touched, and gone since.
        guard let client = clients[connection.id.place], client.id == connection.id else { return }
        if connection.ending == .reset { return drop(client, .reset) }
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
            if !client.sawEndOfStream { recorder?.finished(client.id.number, by: .server, at: now) }
            if client.serverFinished() { waiting.append(client) }
        }
    }

    private func drop(_ client: VirtualClient, _ ending: VirtualClient.Ending) {
        client.ending = ending
        clients[client.id.place] = nil
        recorder?.ended(
            client.id.number, by: ending == .byClient ? .client : .server, isReset: ending != .closed, at: now)
        engine.transportClosed(client.id, at: now)
    }
}
