import Sockets
import Synchronization

extension ClientLoop {
    func carryOut(_ command: TransportCommand) {
        switch command {
        case .connect(let number): connect(number)
        case .send(let number, let bytes):
            if lookup.send(bytes, on: number) { return }
            transports[number]?.unsent += bytes
            if transports[number]?.isConnected == true { flush(number) }
        case .close(let number):
            // If the system does not accept the bytes immediately, the server is not reading, so drop the bytes with
            // the connection.
            lookup.forget(number)
            drop(number)
        }
    }

    private func connect(_ number: Int) {
        do throws(SocketError) {
            if addresses.isEmpty {
                guard let known = try SocketAddress.resolveAtOnce(host: wire.base.host, port: wire.base.port) else {
                    return try lookup.wait(number, for: wire.base, now: .now())
                }
                addresses = known
            }
        } catch {
            return fail(number, .transport(error))
        }
        connect(number, to: addresses[...], unsent: [], after: nil)
    }

    /// Continues the connections that were waiting for the backend's addresses.
    func serveLookup(_ now: MonotonicInstant) {
        for number in lookup.takeOverdue(now) { fail(number, .transport(.resolutionTimeout(host: wire.base.host))) }
        guard let (answer, waiting) = lookup.takeAnswer() else { return }
        addresses = (try? answer.get()) ?? []
        for (number, unsent) in waiting {
            switch answer {
            case .success(let found): connect(number, to: found[...], unsent: unsent, after: nil)
            case .failure(let error): fail(number, .transport(error))
            }
        }
    }

    /// Tries addresses in sequence; if none answers, reports the error of the first address.
    private func connect(
        _ number: Int, to addresses: ArraySlice<SocketAddress>, unsent: [UInt8], after first: SocketError?
    ) {
        var first = first
        var rest = addresses
        while let address = rest.popFirst() {
            do throws(SocketError) {
                let socket = try Socket.connect(to: address)
                do throws(SocketError) {
                    try watch(socket, as: number)
                } catch {
                    socket.close()
                    throw error
                }
                transports[number] = ClientTransport(
                    socket: socket, address: address, alternatives: rest, firstError: first, unsent: unsent)
                return
            } catch {
                first = first ?? error
            }
        }
        // The name may resolve to different addresses next time.
        self.addresses = []
        if let first { fail(number, .transport(first)) }
    }

    /// Handles the end of a connection attempt, successful or not.
    func connected(_ number: Int) {
        guard let transport = transports[number] else { return }
        if let error = transport.socket.connectResult(to: transport.address) {
            drop(number)
            connect(number, to: transport.alternatives, unsent: transport.unsent, after: transport.firstError ?? error)
        } else {
            transports[number]?.isConnected = true
            flush(number)
        }
    }

    func flush(_ number: Int) {
        if let error = transports[number]?.flush() { return fail(number, .transport(error)) }
        guard let transport = transports[number] else { return }
        if transport.unsent.count > wire.limits.unsentBytes {
            return fail(number, .notRead(limit: wire.limits.unsentBytes))
        }
        setInterest(transport.unsent.isEmpty ? .read : [.read, .write], of: number)
    }

    func read(_ number: Int) {
        guard let transport = transports[number] else { return }
        switch transport.socket.read(into: readBuffer) {
        case .bytes(let count): wire.receive([UInt8](readBuffer[..<count]), on: number)
        case .endOfStream: wire.receiveEndOfStream(on: number)
        case .wouldBlock: break
        case .failed(let error):
            fail(number, .transport(SocketError(error.operation, code: error.code, address: transport.address)))
        }
    }
}

/// A client's connection on its thread: a descriptor and unsent bytes.
struct ClientTransport {
    let socket: Socket
    let address: SocketAddress
    /// The addresses to try if the current address fails.
    let alternatives: ArraySlice<SocketAddress>
    let firstError: SocketError?
    /// Bytes that the system has not accepted yet, at most ``WireLimits/unsentBytes``.
    var unsent: [UInt8]
    var interest = Interest.write
    var isConnected = false

    mutating func flush() -> SocketError? {
        var sent = 0
        defer { unsent.removeFirst(sent) }
        while sent < unsent.count {
            let result = unsent.withUnsafeBytes { socket.write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            switch result {
            case .wrote(let count): sent += count
            case .wouldBlock: return nil
            case .failed(let error): return SocketError(error.operation, code: error.code, address: address)
            }
        }
        return nil
    }
}

/// Resolves the backend's host on a single thread while connections wait, each until its deadline.
struct NameLookup {
    typealias Resolve = HostLookup.Resolve
    typealias Answer = HostLookup.Answer
    /// How long a connection waits for the addresses.
    static let patience = Duration.seconds(10)

    private struct Waiting {
        var unsent: [UInt8] = []
        let deadline: MonotonicInstant
    }

    private let resolve: Resolve
    private let mailbox: Mailbox
    private var waiting: [Int: Waiting] = [:]
    private var lookup: HostLookup?

    init(_ mailbox: Mailbox, resolve: @escaping Resolve) {
        self.mailbox = mailbox
        self.resolve = resolve
    }

    /// Makes a connection wait for the addresses; throws an error if the system cannot create another thread.
    mutating func wait(_ number: Int, for base: BaseURL, now: MonotonicInstant) throws(SocketError) {
        if lookup == nil {
            lookup = try HostLookup(host: base.host, port: base.port, resolve: resolve) { [mailbox] in mailbox.post {} }
        }
        waiting[number] = Waiting(deadline: now.advanced(by: Self.patience))
    }

    /// Stores the output of a waiting connection; returns false if the connection is not waiting.
    mutating func send(_ bytes: [UInt8], on number: Int) -> Bool {
        waiting[number]?.unsent.append(contentsOf: bytes) != nil
    }

    mutating func forget(_ number: Int) { waiting[number] = nil }

    /// Returns the answer only once, with the waiting connections in numerical order.
    mutating func takeAnswer() -> (answer: Answer, waiting: [(number: Int, unsent: [UInt8])])? {
        guard let answer = lookup?.answer else { return nil }
        lookup = nil
        defer { waiting = [:] }
        return (answer, waiting.sorted { $0.key < $1.key }.map { ($0.key, $0.value.unsent) })
    }

    /// Removes and returns the connections that have waited too long.
    mutating func takeOverdue(_ now: MonotonicInstant) -> [Int] {
        let overdue = waiting.filter { $0.value.deadline <= now }.keys.sorted()
        for number in overdue { waiting[number] = nil }
        return overdue
    }

    var nextDeadline: MonotonicInstant? { waiting.values.map(\.deadline).min() }
}
