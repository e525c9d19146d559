import TestSupport
import Testing

@testable import MockServer

@Suite("Bytes held across all connections")
struct HeldBytesTests {
    private static let limit = 300_000

    private func network() -> VirtualNetwork { VirtualNetwork { $0.limits.heldBytes = Self.limit } }

    /// The head of a masked binary frame of 16 MiB, and a part of its payload.
    private static func unfinished(_ count: Int) -> [UInt8] {
        [0x82, 0xFF, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: count)
    }

    private func isMemory(_ observation: MockServer.Observation, limit: Int) -> Bool {
        if case .memory(limit) = observation { true } else { false }
    }

    private func sockets(_ network: VirtualNetwork, _ counts: [Int]) throws -> [VirtualSocket] {
        try counts.map { count in
            let socket = try network.echo()
            socket.wire.send(Self.unfinished(count))
            return socket
        }
    }

    private func largeWorld(in network: VirtualNetwork) throws -> (WorldClient, HeldJobs) {
        let world = try network.largeWorld()
        return (world, HeldJobs(network))
    }

    @Test("The sum of held bytes follows the connections and returns to zero")
    func sum() throws {
        let network = network()
        let wire = try network.open()
        wire.send(
            "POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 400))
        #expect(network.engine.connections.heldBytes >= 400)
        wire.vanish()
        #expect(network.engine.connections.heldBytes == 0)
    }

    @Test("When unread answers exceed the limit, the server resets the largest")
    func unreadAnswers() throws {
        let network = network()
        let modest = try network.open(window: 0)
        modest.send(Request(target: "/ready").bytes)
        let readers = try (0..<120).map { _ in
            let wire = try network.open(window: 0)
            wire.send(Request.quickActions.bytes)
            #expect(network.engine.connections.heldBytes <= Self.limit)
            return wire
        }
        #expect(try network.client().exchange(.quickActions).status == 200)
        #expect(readers.contains { $0.ending == .reset } && readers.contains { $0.ending == .open })
        // The server drops the smallest socket last.
        #expect(modest.ending == .open)
        for reader in readers + [modest] { reader.vanish() }
        #expect(network.engine.connections.heldBytes == 0)
    }

    @Test("One byte beyond the limit resets only the largest unfinished message")
    func unfinishedMessages() throws {
        let network = network()
        let sockets = try sockets(network, [50_000, Self.limit - 50_000])
        #expect(network.engine.connections.heldBytes == Self.limit)
        #expect(sockets.map(\.wire.ending) == [.open, .open])
        #expect(network.observations.allSatisfy { !isMemory($0, limit: Self.limit) })
        sockets[0].wire.send([7])
        #expect(sockets.map(\.wire.ending) == [.open, .reset])
        #expect(network.engine.connections.heldBytes == 50_001)
        #expect(network.observations.contains { isMemory($0, limit: Self.limit) })
    }

    @Test("Exceeding the limit on held bytes frees an eighth of the limit")
    func hysteresis() throws {
        let network = network()
        let sockets = try sockets(network, Array(repeating: 10_000, count: 30))
        #expect(network.engine.connections.heldBytes == Self.limit && sockets.allSatisfy { $0.wire.ending == .open })
        sockets[29].wire.send([7])
        #expect(network.engine.connections.heldBytes <= Self.limit - Self.limit / 8)
        #expect(sockets.filter { $0.wire.ending == .reset }.count == 4 && sockets[29].wire.ending == .reset)
    }

    @Test("The server drops no more connections than necessary")
    func noMoreThanNeeded() throws {
        let network = network()
        let sockets = try sockets(network, Array(repeating: Self.limit / 8, count: 8))
        // The largest connection is dropped because of its last byte, and exactly the allowed amount is still held.
        sockets[0].wire.send([7])
        #expect(network.engine.connections.heldBytes == Self.limit - Self.limit / 8)
        #expect(sockets[0].wire.ending == .reset && sockets.dropFirst().allSatisfy { $0.wire.ending == .open })
    }

    @Test("A connection that holds nothing is not dropped, however much a job holds")
    func jobHoldsMost() throws {
        let network = VirtualNetwork { $0.limits.heldBytes = 1_000_000 }
        let jobs = HeldJobs(network)
        let world = try network.world()
        let (idle, holder) = (try network.open(), try network.echo())
        let put = try world.send(.put, "state", #"{"name":"a"}"# + String(repeating: " ", count: 950_000))
        holder.wire.send(Self.unfinished(100_000))
        #expect(holder.wire.ending == .reset && idle.ending == .open && put.wire.ending == .open)
        try jobs.runAll()
        #expect(try put.response().status == 200)
    }

    @Test("The server drops other connections if a job's answer exceeds the limit")
    func answerOfAJob() throws {
        /// Resets the world; returns the size of the answer, and how a socket with this many held bytes ended.
        func reset(holding count: Int) throws -> (size: Int, ending: VirtualClient.Ending) {
            let network = self.network()
            let (world, jobs) = try largeWorld(in: network)
            let client = try world.send(.post, "reset")
            let socket = try sockets(network, [count])[0]
            #expect(network.engine.connections.heldBytes == count)
            try jobs.runAll()
            return (try client.response().body.count, socket.wire.ending)
        }
        let size = try reset(holding: 1).size
        #expect(try reset(holding: Self.limit - size).ending == .open)
        #expect(try reset(holding: Self.limit - size + 1).ending == .reset)
    }

    @Test("A job's answer may use the whole limit, and a larger answer drops no connection")
    func largestAnswer() throws {
        func export(limit: Int) throws -> (answer: Response, ending: VirtualClient.Ending) {
            let network = VirtualNetwork { $0.limits.heldBytes = limit }
            let (world, jobs) = try largeWorld(in: network)
            let client = try world.send(.get, "state")
            let socket = try sockets(network, [1_000])[0]
            try jobs.runAll()
            return (try client.response(), socket.wire.ending)
        }
        let size = try export(limit: 512 << 20).answer.body.count
        let largest = try export(limit: size)
        #expect(largest.answer.body.count == size && largest.ending == .reset)
        let tooLarge = try export(limit: size - 1)
        #expect(tooLarge.answer.status == 503 && tooLarge.ending == .open)
    }

    @Test("The journal records a note, not an exchange, for an API answer that does not fit")
    func refusedAnswer() throws {
        let network = VirtualNetwork { $0.limits.heldBytes = 1_000 }
        let refused = try network.exchange(.quickActions)
        #expect(refused.status == 503 && refused.fields[.connection] == "close")
        #expect(network.engine.journalEntries(ofWorld: World.defaultID).map(\.event.kind) == [.note])
    }

    @Test("An incoming request that holds the most bytes gets a 503")
    func arriving() throws {
        let network = network()
        let upload = try network.open()
        upload.send("POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n")
        upload.send([UInt8](repeating: 0x20, count: 200_000))
        #expect(try sockets(network, [120_000])[0].wire.ending == .open)
        #expect(upload.received.starts(with: Array("HTTP/1.1 503".utf8)))
        #expect(network.engine.connections.heldBytes <= Self.limit)
    }

    @Test("The limit on held bytes also drops chat sockets, and the journal records each drop")
    func chat() throws {
        let network = network()
        let chat = try network.socket(on: try network.consultation())
        chat.wire.send(Self.unfinished(0).prefix(2) + [0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])
        chat.wire.send([UInt8](repeating: 7, count: Self.limit + 1))
        #expect(chat.wire.ending == .reset)
        let journal = try network.admin(.get, "journal").text
        #expect(journal.contains("which is the limit, and this connection held the most"), "\(journal)")
    }

    @Test("An answer too large for the limit returns 503 and drops no connection")
    func ownAnswer() throws {
        let network = VirtualNetwork { $0.limits.heldBytes = 2_000 }
        let socket = try sockets(network, [1_000])[0]
        #expect(try network.exchange(Request(target: "/openapi.yaml")).refusal == "503 SERVER_BUSY")
        #expect(socket.wire.ending == .open)
    }

    @Test("The server answers probes under any load", arguments: ["/health", "/ready"])
    func probes(_ path: String) throws {
        let network = network()
        for _ in 0..<20 {
            let socket = try sockets(network, [Self.limit - network.engine.connections.heldBytes])[0]
            #expect(network.engine.connections.heldBytes == Self.limit && socket.wire.ending == .open)
            #expect(try network.exchange(Request(target: path)).status == 200)
            #expect(socket.wire.ending == .reset)
        }
    }

    @Test("The sums of held bytes are correct at the limits for random clients", arguments: UInt64(1)...20)
    func random(_ seed: UInt64) throws {
        var numbers = Draw(seed: seed)
        let network = VirtualNetwork {
            $0.limits.heldBytes = 200_000
            $0.limits.echoBytes = 60_000
        }
        let pieces: [[UInt8]] = [
            Request(target: "/docs").bytes, Request(target: "/health").bytes, Request.create().bytes,
            Array(Request(target: "/health").bytes.dropLast(2)),
            Array("POST /api/v1/goals HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n".utf8),
            Request.handshake("/__admin/echo").bytes, Self.unfinished(9_000),
            [UInt8](repeating: 0x20, count: 30_000), [UInt8](repeating: 7, count: 5_000),
        ]
        var clients: [VirtualClient] = []
        for _ in 0..<1500 {
            let choice = numbers.below(12)
            if choice >= pieces.count || clients.isEmpty {
                clients.append(try network.open(window: [0, 40_000, .max][numbers.below(3)]))
            } else {
                let client = numbers.element(of: clients)
                if client.ending == .open { client.send(pieces[choice]) }
            }
            if numbers.once(in: 20) { clients[0].vanish() }
            clients.removeAll { $0.ending != .open }
            let totals = network.engine.inspectConnections()
            #expect(totals.countedBytes == totals.accountedBytes && totals.counted == totals.open)
            #expect(totals.countedWebSockets == totals.openWebSockets)
            // Response heads do not count towards the limit.
            #expect(totals.countedBytes <= 201_000 && network.engine.connections.echoBytes <= 60_000)
        }
        #expect(
            network.observations.contains {
                if case .refused(status: .serviceUnavailable, _) = $0 { return true }
                return isMemory($0, limit: 200_000) || isMemory($0, limit: 60_000)
            })
        for client in clients { client.vanish() }
        #expect(network.engine.connections.heldBytes == 0 && network.engine.connections.echoBytes == 0)
    }

    @Test("One byte beyond the echo sockets' own limit drops the largest echo socket")
    func echoes() throws {
        let network = VirtualNetwork { $0.limits.echoBytes = 200_000 }
        let chat = try network.socket(on: try network.consultation())
        chat.wire.send(Self.unfinished(0).prefix(2) + [0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])
        chat.wire.send([UInt8](repeating: 7, count: 250_000))
        let echoes = try sockets(network, [80_000, 120_000])
        #expect(network.engine.connections.echoBytes == 200_000 && echoes.map(\.wire.ending) == [.open, .open])
        echoes[0].wire.send([7])
        #expect(echoes.map(\.wire.ending) == [.open, .reset] && chat.wire.ending == .open)
        #expect(network.engine.connections.echoBytes == 80_001)
        #expect(network.observations.contains { isMemory($0, limit: 200_000) })
        for socket in [chat, echoes[0]] { socket.wire.vanish() }
        #expect(network.engine.connections.echoBytes == 0 && network.engine.connections.heldBytes == 0)
    }

    @Test("133 echo sockets with large unfinished messages leave room for other clients")
    func attack() throws {
        // Use a 64th of the real limits.
        let network = VirtualNetwork {
            $0.limits.heldBytes /= 64
            $0.limits.echoBytes /= 64
            $0.limits.echoMessage /= 64
        }
        let piece = Self.unfinished(0).prefix(6) + [0, 4, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 65_536)
        let limit = network.engine.limits.echoBytes
        for _ in 0..<133 {
            try network.echo().wire.send(Array(piece))
            #expect(network.engine.connections.heldBytes <= limit)
            #expect(try network.exchange(Request(target: "/health")).status == 200)
        }
        #expect(try network.exchange(.create()).status == 201)
        #expect(network.engine.inspectConnections().openWebSockets <= limit / 65_536)
    }

    @Test("The limits on held bytes equal the documented values")
    func documented() { #expect(ServerLimits().heldBytes == 512 << 20 && ServerLimits().echoBytes == 64 << 20) }
}
