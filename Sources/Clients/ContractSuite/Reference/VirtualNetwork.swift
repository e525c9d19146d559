import FitIQAPI
import FitIQClient
import MockServer

/// An in-memory network: an engine and any number of clients on one thread, without sockets.
///
/// The network replaces `Host` and its sockets. The network reads from a connection only while reading is not paused,
/// at most 16 KiB at a time, and ends connections as documented. Bytes move only in ``settle()``, and identical calls
/// produce identical bytes.
public final class VirtualNetwork {
    public let engine: Engine
    /// The engine's time, which stops while the worlds' manual clocks advance.
    public var now: Timestamp
    private var links: [Int: Link] = [:]
    /// The links that have bytes or an end of stream that the engine has not read yet.
    private var waiting: [Link] = []
    /// The clients whose wires may contain commands.
    private var endpoints: [Weak] = []
    /// The maximum number of bytes that a server reads in one step.
    private static let pieceSize = 16 * 1024

    public init(_ engine: Engine, now: Timestamp) {
        self.engine = engine
        self.now = now
    }

    /// One client's side of the network.
    public final class Endpoint {
        public var wire: ClientWire
        /// The server's side of each connection, keyed by the client's number for it.
        fileprivate var links: [Int: Link] = [:]

        fileprivate init(_ wire: ClientWire) { self.wire = wire }
    }

    /// A connection between a client and the server.
    fileprivate final class Link {
        let id: ConnectionID
        let number: Int
        weak var endpoint: Endpoint?
        /// The client's bytes that the server has not read.
        var toServer: ArraySlice<UInt8> = []
        /// Whether the client has closed; the server notices after reading the earlier bytes.
        var isClosedByClient = false
        /// Whether the server has ended its stream.
        var isFinishedByServer = false

        init(id: ConnectionID, number: Int, endpoint: Endpoint) {
            (self.id, self.number, self.endpoint) = (id, number, endpoint)
        }
    }

    private struct Weak { weak var endpoint: Endpoint? }

    /// Adds a client.
    ///
    /// The client leaves the network when the endpoint is released.
    public func join(_ wire: ClientWire) -> Endpoint {
        endpoints.removeAll { $0.endpoint == nil }
        let endpoint = Endpoint(wire)
        endpoints.append(Weak(endpoint: endpoint))
        return endpoint
    }

    /// Whether the server has nothing to read or send.
    var isAtRest: Bool { waiting.isEmpty && engine.isQuiet }

    /// Moves bytes in both directions until none are left.
    ///
    /// Inputs for clients stay in their wires.
    ///
    /// - Returns: Whether any bytes moved.
    @discardableResult
    public func settle() -> Bool {
        var hasMoved = false
        while true {
            var isQuiet = true
            for entry in endpoints {
                guard let endpoint = entry.endpoint else { continue }
                let commands = endpoint.wire.takeCommands()
                if !commands.isEmpty {
                    isQuiet = false
                    carryOut(commands, of: endpoint)
                }
            }
            if !waiting.isEmpty {
                let batch = waiting
                waiting = []
                for link in batch where deliver(link) { isQuiet = false }
            }
            for connection in engine.takeTouched() {
                isQuiet = false
                serve(connection)
            }
            if isQuiet {
                guard engine.isBusy else { return hasMoved }
                engine.advance(to: now)
            }
            hasMoved = true
        }
    }

    // MARK: From the clients

    private func carryOut(_ commands: [TransportCommand], of endpoint: Endpoint) {
        for command in commands {
            switch command {
            case .connect(let number): connect(number, of: endpoint)
            case .send(let number, let bytes):
                guard let link = endpoint.links[number] else { continue }
                link.toServer += bytes
                schedule(link)
            case .close(let number):
                guard let link = endpoint.links.removeValue(forKey: number) else { continue }
                link.isClosedByClient = true
                schedule(link)
            }
        }
    }

    private func connect(_ number: Int, of endpoint: Endpoint) {
        guard let id = engine.open(at: now) else {
            endpoint.wire.fail(number, "the server cannot accept another connection.")
            return
        }
        let link = Link(id: id, number: number, endpoint: endpoint)
        links[id.place] = link
        endpoint.links[number] = link
    }

    private func schedule(_ link: Link) { if !waiting.contains(where: { $0 === link }) { waiting.append(link) } }

    /// Delivers a piece of a client's bytes to the server; returns whether the server accepted any bytes.
    private func deliver(_ link: Link) -> Bool {
        guard links[link.id.place] === link, let connection = engine.connection(link.id) else { return false }
        guard !link.toServer.isEmpty || link.isClosedByClient else { return false }
        guard !engine.isReadingPaused(connection) else {
            waiting.append(link)
            return false
        }
        if link.toServer.isEmpty {
            engine.receiveEndOfStream(on: link.id, at: now)
            return true
        }
        let piece = Array(link.toServer.prefix(Self.pieceSize))
        link.toServer = link.toServer.dropFirst(piece.count)
        piece.withUnsafeBytes { engine.receive($0, on: link.id, at: now) }
        waiting.append(link)
        return true
    }

    // MARK: From the server

    private func serve(_ connection: Connection) {
        // The connection had work but no longer exists.
        guard let link = links[connection.id.place], link.id == connection.id else { return }
        if connection.ending == .reset { return drop(link, .reset) }
        while connection.hasOutput {
            // A closed client resets the connection when more bytes arrive.
            guard let endpoint = link.endpoint, !link.isClosedByClient else { return drop(link, .gone) }
            let bytes = connection.withOutput { Array($0) }
            endpoint.wire.receive(bytes, on: link.number)
            engine.sent(bytes.count, on: link.id, at: now)
        }
        guard connection.isDrained else { return }
        switch connection.ending {
        case .none: break
        case .close: drop(link, .closed)
        case .reset, .resetAfterOutput: drop(link, .reset)
        case .lingering:
            guard !link.isFinishedByServer else { return }
            link.isFinishedByServer = true
            link.endpoint?.wire.receiveEndOfStream(on: link.number)
        }
    }

    private enum Ending { case closed, reset, gone }

    private func drop(_ link: Link, _ ending: Ending) {
        links[link.id.place] = nil
        if let endpoint = link.endpoint, !link.isClosedByClient {
            endpoint.links[link.number] = nil
            switch ending {
            case .closed: endpoint.wire.receiveEndOfStream(on: link.number)
            case .reset: endpoint.wire.fail(link.number, "the server has reset the connection.")
            case .gone: break
            }
        }
        engine.transportClosed(link.id)
    }
}
