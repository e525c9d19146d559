import Sockets
import TLS
import TestSupport
import Testing

@testable import Hosting

@Suite("Host listeners", .timeLimit(.minutes(1)))
struct HostLoopTests {
    /// Noon of 21 November 2026.
    private static let now: Int64 = 1_795_262_400
    /// The plain listener's token; the TLS listener has the next token.
    private static let firstToken: UInt64 = 1 << 40

    private let loop: HostLoop
    private let turn = MonotonicInstant(nanoseconds: 1_000_000_000)

    init() throws {
        let authority = try CertificateAuthority.make(subject: "Tests", now: Self.now, serial: [1])
        let identity = try authority.issue(for: CertificateName.local, now: Self.now, serial: [2])
        let address = try SocketAddress(host: "127.0.0.1", port: 0)
        loop = try HostLoop(
            listeningOn: address,
            secure: SecureEndpoint(address: address, certificates: identity.certificates, key: identity.key))
    }

    /// Connects a client to a listener, and accepts it.
    private func connect(to index: Int, _ begin: (Socket, HostLoop.Port) -> Void) throws -> BlockingStream {
        let listener = loop.ports[index].listener
        let client = try BlockingStream.connect(to: listener.localAddress)
        SingleDescriptorPoll.wait(for: .read, on: listener.descriptor)
        loop.accept(Self.firstToken + UInt64(index), turn, begin)
        return client
    }

    /// Accepts clients on a listener, and returns whether each one uses TLS.
    private func accept(at index: Int) throws -> [Bool] {
        var accepted: [Bool] = []
        let client = try connect(to: index) { socket, port in
            accepted.append(port.isSecure)
            socket.close()
        }
        client.close()
        return accepted
    }

    @Test("The second listener is for TLS")
    func kinds() throws {
        #expect(try accept(at: 0) == [false])
        #expect(try accept(at: 1) == [true])
        #expect(HostLoop.isListener(Self.firstToken) && !HostLoop.isListener(Self.firstToken - 1))
    }

    @Test("A host closes its streams and resets them only on request")
    func closes() throws {
        func isReset(_ close: (SocketStream) -> Void) throws -> Bool {
            let client = try connect(to: 0) { socket, port in
                if let stream = loop.serve(socket, token: 1, isSecure: port.isSecure) { close(stream) }
            }
            defer { client.close() }
            return try client.isReset()
        }
        let (closed, reset) = (try isReset { loop.close($0) }, try isReset { loop.close($0, reset: true) })
        #expect(!closed && reset)
    }

    /// A host that has nothing to wait for when it stops.
    private final class Host: SocketHost {
        let loop: HostLoop
        init(_ loop: HostLoop) { self.loop = loop }
        func stop() { _ = loop.beginStop(within: .seconds(60)) }
        func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {}
        func turnEnded(now: MonotonicInstant) -> MonotonicInstant? { loop.nextDeadline }
    }

    @Test(
        "The second signal stops a host immediately",
        arguments: [1, 2], [false, true])
    func signals(count: Int, isStopping: Bool) throws {
        let host = Host(loop)
        if isStopping { host.stop() }
        for _ in 0..<count { host.signalReceived(15, now: turn) }
        #expect(loop.stopsAt != nil)
        // Stop the loop, as if everything that a clean stop waits for had ended.
        if count == 1 { loop.events.stop() }
        #expect(try host.run() == (count == 1))
    }

    @Test(
        "A hang-up stops a host but does not count as a second signal",
        arguments: [[1, 1], [1, 15], [15, 1]] as [[Int32]])
    func hangUps(signals: [Int32]) throws {
        let host = Host(loop)
        for signal in signals { host.signalReceived(signal, now: turn) }
        #expect(loop.stopsAt != nil)
        loop.events.stop()
        #expect(try host.run())
    }

    @Test("After a failed accept, the loop pauses before it listens again")
    func pauses() throws {
        #expect(try accept(at: 0) == [false])
        #expect(loop.nextDeadline == nil)
        loop.acceptPause = .milliseconds(5)
        #expect(try accept(at: 0) == [false])
        let end = turn.advanced(by: .milliseconds(5))
        #expect(loop.nextDeadline == end)
        loop.endPause(turn)
        #expect(loop.nextDeadline == end)
        loop.endPause(end)
        #expect(loop.nextDeadline == nil)
    }
}
