import Sockets
import TLS
import TestSupport
import Testing

@testable import Hosting

@Suite("Listeners of a host", .timeLimit(.minutes(1)))
struct HostLoopTests {
    /// Noon of 21 November 2026.
    private static let now: Int64 = 1_795_262_400
    /// The token of the plain listener; the one for TLS has the next.
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

    /// Accepts a client at a listener, and returns for each that came whether it speaks TLS.
    private func accept(at index: Int) throws -> [Bool] {
        let listener = loop.ports[index].listener
        let client = try BlockingStream.connect(to: listener.localAddress)
        defer { client.close() }
        SingleDescriptorPoll.wait(for: .read, on: listener.descriptor)
        var accepted: [Bool] = []
        loop.accept(Self.firstToken + UInt64(index), turn) { socket, port in
            accepted.append(port.isSecure)
            socket.close()
        }
        return accepted
    }

    @Test("The second listener is the one for TLS")
    func kinds() throws {
        #expect(try accept(at: 0) == [false])
        #expect(try accept(at: 1) == [true])
        #expect(HostLoop.isListener(Self.firstToken) && !HostLoop.isListener(Self.firstToken - 1))
    }

    /// A host that waits for nothing.
    private final class Host: SocketHost {
        let loop: HostLoop
        init(_ loop: HostLoop) { self.loop = loop }
        func stop() { _ = loop.beginStop(within: .seconds(60)) }
        func readinessChanged(_ readiness: Readiness, now: MonotonicInstant) {}
        func turnEnded(now: MonotonicInstant) -> MonotonicInstant? { loop.nextDeadline }
    }

    @Test("The first signal stops a host cleanly, the second one at once", arguments: [1, 2])
    func signals(count: Int) throws {
        let host = Host(loop)
        for _ in 0..<count { host.signalReceived(15, now: turn) }
        #expect(loop.stopsAt != nil)
        // What a clean stop waits for has ended.
        if count == 1 { loop.events.stop() }
        #expect(try host.run() == (count == 1))
    }

    @Test("Only after a client with a pause does the loop listen again later")
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
