import MockServer

/// One connection between a simulated client and the engine, as the network sees it.
final class Wire {
    /// How the connection ended, as the client sees it.
    enum Ending {
        case open
        /// The server closed it, after all that it had to say.
        case closed
        /// The server broke it off.
        case reset
        /// The client was gone without a word.
        case vanished
    }

    let id: ConnectionID
    unowned let client: SimulatedClient
    var ending = Ending.open
    /// How many more bytes the client is ready to take.
    var window = Int.max
    /// The most bytes that arrive at the server at once.
    var pieceSize = 16 * 1024
    /// Whether the server has finished sending while it still reads.
    var sawEndOfStream = false
    /// Whether the client closes when the server has finished, as it should.
    var closesInReply = true
    /// Whether the network has to look at this wire.
    var isWaiting = false
    private var inbox: [UInt8] = []
    private var delivered = 0
    private var endOfStream = EndOfStream.notYet

    private enum EndOfStream { case notYet, waiting, delivered }

    init(id: ConnectionID, client: SimulatedClient) {
        self.id = id
        self.client = client
    }

    /// Whether the server has something to take.
    var hasMore: Bool { ending == .open && (delivered < inbox.count || endOfStream == .waiting) }
    /// Whether the server has taken all bytes that the client has sent.
    var isDelivered: Bool { delivered == inbox.count }
    /// Whether the client has finished sending.
    var isFinished: Bool { endOfStream != .notYet }

    func send(_ bytes: [UInt8]) {
        guard endOfStream == .notYet else { return }
        inbox += bytes
    }

    func finishWriting() {
        if endOfStream == .notYet { endOfStream = .waiting }
    }

    /// Lends the next piece to the server; false where there is none.
    func deliverPiece(_ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
        guard delivered < inbox.count else { return false }
        let end = min(inbox.count, delivered + pieceSize)
        inbox.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[delivered..<end])) }
        delivered = end
        if delivered == inbox.count {
            inbox.removeAll(keepingCapacity: true)
            delivered = 0
        }
        return true
    }

    func takeEndOfStream() -> Bool {
        guard endOfStream == .waiting else { return false }
        endOfStream = .delivered
        return true
    }

    /// Takes what the window has room for.
    func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = min(window, bytes.count)
        guard count > 0 else { return 0 }
        if window != .max { window -= count }
        client.receive(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return count
    }
}
