import Sockets
import TLS
import TestSupport
import Testing

@testable import Hosting

/// A server's stream over TLS that the test reads and writes itself, with a client at the other end of the socket.
@Suite("Host streams", .timeLimit(.minutes(1)))
struct SocketStreamTests {
    private let stream: SocketStream
    private let client: BlockingStream
    private let session: TLSSession
    /// The server's certificate.
    private let context: TLSContext
    private let buffer = ReadBuffer()

    /// Noon of 21 November 2026.
    private static let now: Int64 = 1_795_262_400
    /// A TLS record that is not encrypted with any key.
    private static let changedRecord: [UInt8] = [0x17, 3, 3, 0, 32] + [UInt8](repeating: 0, count: 32)

    /// Creates both ends and completes the handshake.
    init() throws {
        let authority = try CertificateAuthority.make(subject: "Tests", now: Self.now, serial: [1])
        let identity = try authority.issue(for: CertificateName.local, now: Self.now, serial: [2])
        let context = try TLSContext.server(certificates: identity.certificates, key: identity.key)
        let (client, socket) = try Self.connection()
        (self.client, self.context) = (client, context)
        stream = SocketStream(socket, token: 0, session: TLSSession(server: context), interest: .read)
        session = TLSSession(client: try .client(trust: .only(authority.certificate)), host: "127.0.0.1", now: Self.now)
        while !stream.isAgreed {
            try sendOfClient()
            _ = try read()
            sendOfServer([])
            while session.phase == .handshaking, !session.hasCiphertext {
                try client.read().withUnsafeBytes { session.receive($0) }
            }
        }
    }

    private struct NothingArrived: Error {}

    /// Both ends of a new connection.
    private static func connection() throws -> (client: BlockingStream, server: Socket) {
        let listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
        defer { listener.close() }
        let client = try BlockingStream.connect(to: listener.localAddress)
        SingleDescriptorPoll.wait(for: .read, on: listener.descriptor)
        guard case .accepted(let socket) = listener.accept() else { throw NothingArrived() }
        return (client, socket)
    }

    private func read() throws -> SocketStream.Reading { try read(stream) }

    /// Reads the bytes in transit to the server.
    private func read(_ stream: SocketStream) throws -> SocketStream.Reading {
        let deadline = MonotonicInstant.now().advanced(by: BlockingStream.patience)
        guard SingleDescriptorPoll.wait(for: .read, on: stream.socket.descriptor, until: deadline) == nil else {
            throw NothingArrived()
        }
        return stream.read(into: buffer) { _ in }
    }

    private func sendOfClient() throws {
        let bytes = session.withCiphertext { Array($0) }
        session.takeCiphertext(bytes.count)
        try client.write(bytes)
    }

    /// Sends all remaining bytes, and returns the number of bytes sent.
    @discardableResult
    private func sendOfServer(_ bytes: [UInt8], isLast: Bool = false) -> Int {
        var sent = 0
        while case .wrote(let count) = bytes.dropFirst(sent).withUnsafeBytes({ stream.send($0, isLast: isLast) }) {
            sent += count
        }
        return sent
    }

    @Test(
        "A stream reports a TLS failure once and may ignore failures after its own close_notify",
        arguments: [
            (isAfterFarewell: false, isIgnored: false), (isAfterFarewell: false, isIgnored: true),
            (isAfterFarewell: true, isIgnored: false), (isAfterFarewell: true, isIgnored: true),
        ])
    func lateFailure(isAfterFarewell: Bool, isIgnored: Bool) throws {
        // By default, a stream does not ignore late failures.
        if isIgnored { stream.ignoresLateFailure = true }
        if isAfterFarewell { sendOfServer([], isLast: true) }
        try client.write(Self.changedRecord)
        let reading = try read()
        #expect(stream.hasReceived && !stream.isOpen && stream.isMute)
        switch reading {
        case .failed: #expect(!(isAfterFarewell && isIgnored))
        case .bytes: #expect(isAfterFarewell && isIgnored)
        case .end, .nothing, .broken: Issue.record("\(reading)")
        }
        try client.write(Self.changedRecord)
        guard case .bytes = try read() else { throw NothingArrived() }
        #expect(!stream.hasEnded)
        client.finishWriting()
        guard case .end = try read() else { throw NothingArrived() }
        #expect(stream.hasEnded)
    }

    @Test("A stream is truncated only if the peer ends it without close_notify", arguments: [true, false])
    func ends(_ isCutOff: Bool) throws {
        #expect(!stream.wasCutOff && !stream.isAtEnd)
        if !isCutOff {
            session.close()
            try sendOfClient()
            guard case .end = try read() else { throw NothingArrived() }
        }
        client.finishWriting()
        guard case .end = try read() else { throw NothingArrived() }
        #expect(stream.hasEnded && stream.isAtEnd && stream.wasCutOff == isCutOff)
    }

    @Test("A finished stream sends close_notify unless it ends abruptly", arguments: [true, false])
    func finishes(_ isAbrupt: Bool) throws {
        if isAbrupt { stream.finish(abruptly: true) } else { stream.finish() }
        #expect(stream.isShutDown && stream.isMute)
        while true {
            let bytes = try client.read()
            guard !bytes.isEmpty else { break }
            bytes.withUnsafeBytes { session.receive($0) }
        }
        var plaintext: [UInt8] = []
        while session.readPlaintext(into: &plaintext, limit: 1024) {}
        #expect((session.phase == .closed) == !isAbrupt)
    }

    @Test("Releasing a stream closes it without a reset")
    func forgotten() throws {
        let (client, socket) = try Self.connection()
        do {
            let stream = SocketStream(socket, token: 0, session: nil, interest: .read)
            #expect(stream.isAgreed && stream.isOpen && !stream.wasCutOff)
        }
        #expect(try client.receive() == nil)
        client.close()
    }

    @Test("A stream closes its descriptor only once, even if another connection reuses the number")
    func closesOnce() throws {
        let (client, socket) = try Self.connection()
        let stream = SocketStream(socket, token: 0, session: nil, interest: .read)
        stream.close(reset: false)
        // The system reuses the lowest free descriptors first.
        let others = try (0..<8).map { _ in try Self.connection() }
        stream.close(reset: false)
        for other in others {
            #expect(other.client.socket.peerAddress != nil && other.server.peerAddress != nil)
            other.client.close()
            other.server.close()
        }
        client.close()
    }

    @Test("A client that sends plain HTTP to the TLS port gets a plain answer")
    func plainText() throws {
        let (client, socket) = try Self.connection()
        let stream = SocketStream(socket, token: 0, session: TLSSession(server: context), interest: .read)
        #expect(!stream.hasReceived)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        guard case .failed(.plainHTTP(from: .client, _)) = try read(stream) else { throw NothingArrived() }
        #expect(stream.hasReceived && stream.isOpen && !stream.hasCiphertext && !stream.hasEnded)
        _ = Array("no TLS".utf8).withUnsafeBytes { stream.send($0, isLast: true) }
        #expect(try client.receive(until: "TLS") == "no TLS")
        client.finishWriting()
        guard case .end = try read(stream) else { throw NothingArrived() }
        #expect(stream.hasEnded && !stream.wasCutOff)
        client.close()
    }

    @Test("After its close_notify, a stream does not wait for writability")
    func outputAfterFarewell() {
        #expect(stream.takesOutput)
        #expect(stream.interest(reads: true, hasOutput: true) == [.read, .write])
        #expect(sendOfServer([1, 2, 3], isLast: true) == 3)
        #expect(stream.isOpen && !stream.hasCiphertext && !stream.takesOutput)
        #expect(sendOfServer([4]) == 0)
        #expect(stream.interest(reads: true, hasOutput: true) == .read)
        #expect(stream.interest(reads: false, hasOutput: true) == [])
    }
}
