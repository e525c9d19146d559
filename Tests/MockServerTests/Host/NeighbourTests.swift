import Foundation
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import MockServer

@Suite("A client with badly behaved neighbours", .serialized)
struct NeighbourTests {
    enum Neighbour: CaseIterable, Sendable {
        /// Sends requests as fast as the connection accepts them, and reads the answers.
        case floods
        /// Sends requests byte by byte.
        case trickles
        /// Sends requests and reads nothing.
        case neverReads
        /// Opens connections, and closes them with unread answers, which resets them.
        case comesAndGoes
    }

    private final class Neighbourhood: @unchecked Sendable {
        private let isOver = Atomic(false)
        private let done = DispatchSemaphore(value: 0)
        private let work = Atomic(0)

        var amount: Int { work.load(ordering: .relaxed) }

        init(_ neighbour: Neighbour, at address: SocketAddress) {
            Thread { [self] in
                // A neighbour that the server disconnects need not continue.
                try? run(neighbour, address)
                done.signal()
            }.start()
        }

        func end() -> Bool {
            isOver.store(true, ordering: .relaxed)
            return done.wait(timeout: .now() + 60) == .success
        }

        private func run(_ neighbour: Neighbour, _ address: SocketAddress) throws {
            let bytes = Request.quickActions.bytes
            let client = try HostClient(address)
            let answerLength = try client.lengthOfAnswer(to: .quickActions)
            while !isOver.load(ordering: .relaxed) {
                switch neighbour {
                case .floods:
                    try client.write((0..<50).flatMap { _ in bytes })
                    try client.skip(50 * answerLength)
                case .trickles:
                    for byte in bytes { try client.write([byte]) }
                    try client.skip(answerLength)
                case .neverReads: try client.stream.write(bytes, timeout: .milliseconds(100))
                case .comesAndGoes:
                    let visitor = try HostClient(address)
                    try visitor.write(bytes + bytes.prefix(20))
                    visitor.stream.close()
                }
                work.add(1, ordering: .relaxed)
            }
        }
    }

    @Test(
        "The server answers requests while other clients flood, trickle or never read",
        arguments: EventQueue.Kind.allCases, Neighbour.allCases)
    func served(kind: EventQueue.Kind, neighbour: Neighbour) throws {
        let server = try RunningHost(kind)
        let neighbours = (0..<3).map { _ in Neighbourhood(neighbour, at: server.address) }
        let client = try server.connect()
        let clock = ContinuousClock()
        var slowest = Duration.zero
        // Run at least this many rounds, and keep going until a neighbour has done something.
        var rounds = 0
        while rounds < 100 || rounds < 100_000 && neighbours.allSatisfy({ $0.amount == 0 }) {
            rounds += 1
            let start = clock.now
            #expect(try client.exchange(Request()).status == 200)
            slowest = max(slowest, clock.now - start)
        }
        // A turn serves each neighbour at most 16 KiB; serving one neighbour until it is done would never end.
        #expect(slowest < .seconds(15))
        #expect(neighbours.contains { $0.amount > 0 })
        for neighbour in neighbours { #expect(neighbour.end()) }
        try server.shutDown()
    }

    @Test("A client that never reads uses bounded memory", arguments: EventQueue.Kind.allCases)
    func boundedMemory(kind: EventQueue.Kind) throws {
        let (server, client) = try RunningHost.connected(kind)
        let bytes = (0..<100).flatMap { _ in Request.quickActions.bytes }
        // Write until the buffers of both sides are full.
        #expect(throws: SocketError.self) {
            for _ in 0..<100_000 { try client.stream.write(bytes, timeout: .seconds(1)) }
        }
        let unsent = try server.onLoop { $0.engine.connections.map { $0.output.count }.reduce(0, +) }
        #expect(unsent > 0 && unsent <= 256 * 1024 + 16 * 1024)
        let buffered = try server.onLoop { $0.engine.connections.map { $0.http.bufferedByteCount }.max() ?? 0 }
        #expect(buffered <= 16 * 1024)
        client.stream.close()
        try server.shutDown()
    }
}
