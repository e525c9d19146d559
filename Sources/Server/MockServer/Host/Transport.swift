import Sockets
import TLS

/// A connection's file descriptor and what the loop watches it for.
struct Transport {
    let id: ConnectionID
    let socket: Socket
    /// TLS between socket and engine; nil where plain HTTP is spoken.
    var secure: SecureStream?
    var interest: Interest
    var isShutDown = false
    /// Up to which byte of the connection's output who reads along was told.
    var toldOffset = 0
    /// Whether who reads along was told that we send no more, and that the connection ends.
    var isFinishTold = false
    var isEndTold = false
}

/// A listener, and what is spoken there.
struct Port {
    let listener: Listener
    /// How the loop names it; above all places of connections.
    let token: UInt64
    let isSecure: Bool

    static func token(_ place: Int) -> UInt64 { UInt64(UInt32.max) + 1 + UInt64(place) }
}

/// TLS on its way between a socket and the engine.
///
/// What was encrypted and not yet sent still stands in the engine's output, and is reported as sent as the socket takes it: so
/// limits and time-outs are those of a plain connection, whatever lies encrypted.
final class SecureStream {
    let session: TLSSession
    /// Whether anything has arrived.
    var hasReceived = false
    /// Whether the engine knows that TLS is agreed on.
    var isAnnounced = false
    /// Whether our farewell has been written.
    var isClosed = false
    /// Bytes at the front of the engine's output that are encrypted and not reported as sent.
    private(set) var encryptedCount = 0

    /// What is encrypted at a time, in bytes of plaintext: four records.
    static let pieceSize = 64 * 1024

    init(_ context: TLSContext) {
        session = TLSSession(server: context)
    }

    /// Whether a connection's output can be encrypted: TLS is agreed on, and no farewell was said.
    var takesOutput: Bool { isAnnounced && !isClosed }

    /// Encrypts the next piece of a connection's output, so many bytes at most, unless there is one on its way.
    func encrypt(_ connection: Connection, most: Int) {
        guard encryptedCount == 0, takesOutput, connection.hasOutput, most > 0 else { return }
        encryptedCount = connection.withOutput { output in
            session.write(UnsafeRawBufferPointer(rebasing: output.prefix(min(most, Self.pieceSize))))
        }
    }

    /// Whether everything that a connection has to say is encrypted.
    func holdsAll(of connection: Connection) -> Bool {
        encryptedCount == connection.output.count && !connection.output.isHeld
    }

    /// Nothing goes on: what was encrypted is sent all the same, and an alert behind it, but counts for nothing.
    func fail() {
        isClosed = true
        encryptedCount = 0
    }

    /// Says farewell behind what was encrypted; nothing can be written after it.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if isAnnounced { session.close() }
    }

    /// Notes that the socket has taken bytes of the ciphertext.
    ///
    /// - Returns: how many bytes of the engine's output count as sent by it: never the last one before all is gone.
    func sent(_ count: Int) -> Int {
        session.takeCiphertext(count)
        let taken = session.hasCiphertext ? min(count, encryptedCount - 1) : encryptedCount
        guard taken > 0 else { return 0 }
        encryptedCount -= taken
        return taken
    }
}
