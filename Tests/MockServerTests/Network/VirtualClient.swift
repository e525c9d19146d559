@testable import MockServer

/// The other end of a virtual connection: bytes as they come, no protocol.
final class VirtualClient {
    /// How the connection ended, as the client sees it.
    enum Ending: Equatable {
        case open
        /// The server closed it, after all that it had to say.
        case closed
        /// The server broke it off.
        case reset
        /// The client itself was gone.
        case byClient
    }

    let id: ConnectionID
    /// All that has arrived.
    private(set) var received: [UInt8] = []
    var ending = Ending.open
    /// Whether the server has finished sending while it still reads.
    private(set) var sawEndOfStream = false
    /// Whether the client closes when the server has finished, as it should.
    var closesInReply = true
    /// The most that the server ever had waiting for this client.
    private(set) var highestUnsent = 0

    private unowned let network: VirtualNetwork
    /// How many more bytes the client is ready to take.
    private var window: Int
    private var inbox: ArraySlice<UInt8> = []
    private var endOfStream = EndOfStream.notYet
    /// How much of `received` was taken.
    private(set) var consumed = 0

    private enum EndOfStream { case notYet, waiting, delivered }

    init(id: ConnectionID, network: VirtualNetwork, window: Int) {
        self.id = id
        self.network = network
        self.window = window
    }

    // MARK: What the client does

    func send(_ bytes: [UInt8]) {
        inbox += bytes
        network.enqueue(self)
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends in two pieces that arrive one after the other.
    func send(_ bytes: [UInt8], cutAt index: Int) {
        send(Array(bytes[..<index]))
        send(Array(bytes[index...]))
    }

    /// Sends in pieces of so many bytes.
    func send(_ bytes: [UInt8], inPiecesOf size: Int) {
        var rest = bytes[...]
        while !rest.isEmpty {
            send(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
    }

    /// Sends no more, and still reads.
    func finishWriting() {
        guard endOfStream == .notYet else { return }
        endOfStream = .waiting
        network.enqueue(self)
    }

    /// Vanishes.
    func vanish() { network.broken(self) }

    /// Takes so many bytes more.
    func read(_ count: Int = .max) {
        window = count > .max - window ? .max : window + count
        network.windowOpened(of: self)
    }

    /// Takes no more until it reads again.
    func stopReading() { window = 0 }

    /// What has arrived since the last call.
    func takeReceived() -> ArraySlice<UInt8> {
        defer { consumed = received.count }
        return received[consumed...]
    }

    /// What the server holds back because the client does not take it.
    var unsent: Int { network.connection(of: self)?.output.count ?? 0 }
    /// What the client has sent and the server has not read.
    var unread: Int { inbox.count }

    // MARK: What the network does

    var hasMore: Bool { ending == .open && (!inbox.isEmpty || endOfStream == .waiting) }

    func takePiece(upTo size: Int) -> [UInt8]? {
        guard !inbox.isEmpty else { return nil }
        defer { inbox = inbox.dropFirst(size) }
        return Array(inbox.prefix(size))
    }

    func takeEndOfStream() -> Bool {
        guard endOfStream == .waiting else { return false }
        endOfStream = .delivered
        return true
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        highestUnsent = max(highestUnsent, bytes.count)
        let count = min(window, bytes.count)
        received += bytes[..<count]
        if window != .max { window -= count }
        return count
    }

    /// Takes note of the server's end of stream; true where the client's own is to follow.
    func serverFinished() -> Bool {
        guard !sawEndOfStream else { return false }
        sawEndOfStream = true
        guard closesInReply, endOfStream == .notYet else { return false }
        endOfStream = .waiting
        return true
    }
}
