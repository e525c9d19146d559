import MockServer

/// Reads a virtual connection as bytes arrive.
package protocol VirtualReader: AnyObject {
    func receive(_ bytes: UnsafeRawBufferPointer)
    func receiveEndOfStream()
}

/// The client's end of a virtual connection, which carries bytes without a protocol.
package final class VirtualClient: ClientStream {
    /// How the connection ended, as the client sees it.
    package enum Ending: Equatable {
        case open
        /// The server closed the connection after sending all bytes.
        case closed
        /// The server reset it.
        case reset
        /// The client vanished.
        case byClient
    }

    package let id: ConnectionID
    package private(set) var ending = Ending.open
    /// Everything that has arrived, unless there is a ``reader``.
    package private(set) var received: [UInt8] = []
    /// The number of bytes in `received` that were taken.
    package private(set) var consumed = 0
    /// Whether the server has finished sending but still reads.
    package private(set) var sawEndOfStream = false
    /// Whether the client closes in reply when the server has finished, as clients should.
    package var closesInReply = true
    /// The maximum number of bytes that the server ever held for this client.
    package private(set) var highestUnsent = 0
    /// The number of further bytes that the client accepts.
    package private(set) var window: Int
    /// The maximum number of bytes that arrive at the server at a time.
    package var pieceSize = 16 * 1024

    var isWaiting = false
    private unowned let network: VirtualNetwork
    private weak var reader: (any VirtualReader)?
    private var inbox: [UInt8] = []
    /// The number of bytes in `inbox` that the server has taken.
    private var delivered = 0
    private var endOfStream = EndOfStream.notYet

    private enum EndOfStream { case notYet, waiting, delivered }

    init(id: ConnectionID, network: VirtualNetwork, window: Int, reader: (any VirtualReader)?) {
        (self.id, self.network) = (id, network)
        (self.window, self.reader) = (window, reader)
    }

    // MARK: The client's actions

    package func send(_ bytes: [UInt8]) {
        if endOfStream == .notYet { inbox += bytes }
        network.enqueue(self)
    }

    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends in two pieces, one after the other.
    package func send(_ bytes: [UInt8], cutAt place: Int) {
        for piece in bytes.cut(at: place) { send(Array(piece)) }
    }

    package func send(_ bytes: [UInt8], inPiecesOf size: Int) {
        for piece in bytes.pieces(of: size) { send(Array(piece)) }
    }

    /// Stops sending, but continues to read.
    package func finishWriting() {
        guard endOfStream == .notYet else { return }
        endOfStream = .waiting
        network.enqueue(self)
    }

    /// Disappears without a close.
    package func vanish() { network.vanish(self) }

    /// Accepts this many further bytes.
    package func read(_ count: Int = .max) {
        window = count > .max - window ? .max : window + count
        network.enqueue(self)
    }

    /// Stops accepting bytes until ``read(_:)`` is called.
    package func stopReading() { window = 0 }

    /// The bytes that have arrived since the last call.
    package func takeReceived() -> ArraySlice<UInt8> {
        defer { consumed = received.count }
        return received[consumed...]
    }

    package func arrived() -> [UInt8] { Array(takeReceived()) }

    package func nextBytes() -> [UInt8]? {
        let bytes = arrived()
        return bytes.isEmpty && ending == .open && !sawEndOfStream ? nil : bytes
    }

    /// The number of bytes that the client has sent but the server has not read.
    package var unread: Int { inbox.count - delivered }

    // MARK: The network's actions

    /// Whether the server has something to read.
    var hasMore: Bool { ending == .open && (unread > 0 || endOfStream == .waiting) }

    /// Passes the next piece to the server; returns false if there is none.
    func deliverPiece(_ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
        guard unread > 0 else { return false }
        // Remove the piece first, because the server may answer and the client may send again during the call.
        let piece = inbox[delivered..<min(inbox.count, delivered + pieceSize)]
        delivered = piece.endIndex
        if unread == 0 {
            inbox = []
            delivered = 0
        }
        piece.withUnsafeBytes(take)
        return true
    }

    func takeEndOfStream() -> Bool {
        guard endOfStream == .waiting else { return false }
        endOfStream = .delivered
        return true
    }

    /// Takes as many bytes as fit into the window.
    func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        highestUnsent = max(highestUnsent, bytes.count)
        let count = min(window, bytes.count)
        guard count > 0 else { return 0 }
        if window != .max { window -= count }
        if let reader {
            reader.receive(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        } else {
            received += bytes[..<count]
        }
        return count
    }

    /// The server has finished sending; the client does the same in reply.
    func serverFinished() {
        sawEndOfStream = true
        reader?.receiveEndOfStream()
        if closesInReply, endOfStream == .notYet { endOfStream = .waiting }
    }

    func end(_ ending: Ending) {
        self.ending = ending
        if ending == .closed, !sawEndOfStream { reader?.receiveEndOfStream() }
    }
}
