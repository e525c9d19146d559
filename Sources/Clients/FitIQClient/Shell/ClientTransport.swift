import Sockets

/// A client's connection as its thread holds it: a descriptor, and what waits to be sent.
struct ClientTransport {
    let socket: Socket
    let address: SocketAddress
    /// The addresses to try where this one does not answer.
    let alternatives: ArraySlice<SocketAddress>
    /// Why the first address that was tried did not answer.
    let firstError: SocketError?
    /// What the system has not taken; bounded by ``WireLimits/unsentBytes``.
    var unsent: [UInt8]
    /// What the loop watches the descriptor for.
    var interest = Interest.write
    var isConnected = false

    /// Sends what the system takes.
    mutating func flush() -> SocketError? {
        var sent = 0
        defer { unsent.removeFirst(sent) }
        while sent < unsent.count {
            let result = unsent.withUnsafeBytes { socket.write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            switch result {
            case .wrote(let count): sent += count
            case .wouldBlock: return nil
            case .failed(let error):
                return SocketError(error.operation, code: error.code, address: address)
            }
        }
        return nil
    }
}
