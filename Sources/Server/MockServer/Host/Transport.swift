import Sockets
import TLS

/// A connection's file descriptor, and the events that the loop watches on it.
struct Transport {
    let id: ConnectionID
    let socket: Socket
    /// TLS between socket and engine; nil for plain HTTP.
    var secure: SecureStream?
    var interest: Interest
    var isShutDown = false
    /// The offset in the connection's output up to which the tap has received it.
    var toldOffset = 0
    /// Whether the tap knows that the server sends no more, and that the connection ends.
    var isFinishTold = false
    var isEndTold = false
}

/// A listener and its protocol.
struct Port {
    let listener: Listener
    /// The loop's token for it; above all places of connections.
    let token: UInt64
    let isSecure: Bool

    static func token(_ place: Int) -> UInt64 { UInt64(UInt32.max) + 1 + UInt64(place) }
}

/// TLS between a socket and the engine.
///
/// Encrypted bytes stay in the engine's output until the socket takes them, and are reported as sent only then: so
/// limits and time-outs are those of a plain connection, regardless of the amount of ciphertext.
final class SecureStream {
    let session: TLSSession
    var hasReceived = false
    /// Whether the engine knows that TLS is agreed on.
    var isAnnounced = false
    /// Whether our close_notify has been written.
    var isClosed = false
    /// Bytes at the front of the engine's output that are encrypted and not reported as sent.
    private(set) var encryptedCount = 0

    /// What is encrypted at a time, in bytes of plaintext: four records.
    static let pieceSize = 64 * 1024

    init(_ context: TLSContext) {
        session = TLSSession(server: context)
    }

    /// Whether a connection's output can be encrypted: TLS is agreed on, and no close_notify was written.
    var takesOutput: Bool { isAnnounced && !isClosed }

    /// Encrypts the next piece of a connection's output, at most `most` bytes, unless one is already waiting.
    func encrypt(_ connection: Connection, most: Int) {
        guard encryptedCount == 0, takesOutput, connection.hasOutput, most > 0 else { return }
        encryptedCount = connection.withOutput { output in
            session.write(UnsafeRawBufferPointer(rebasing: output.prefix(min(most, Self.pieceSize))))
        }
    }

    /// Whether all of a connection's output is encrypted.
    func holdsAll(of connection: Connection) -> Bool {
        encryptedCount == connection.output.count && !connection.output.isHeld
    }

    /// Stops the session: the ciphertext and an alert after it are still sent, but do not count as output.
    func fail() {
        isClosed = true
        encryptedCount = 0
    }

    /// Writes close_notify after the ciphertext; nothing can be written after it.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if isAnnounced { session.close() }
    }

    /// Records that the socket has taken bytes of the ciphertext.
    ///
    /// - Returns: How many bytes of the engine's output count as sent by it: never the last one before all is sent.
    func sent(_ count: Int) -> Int {
        session.takeCiphertext(count)
        let taken = session.hasCiphertext ? min(count, encryptedCount - 1) : encryptedCount
        guard taken > 0 else { return 0 }
        encryptedCount -= taken
        return taken
    }
}
