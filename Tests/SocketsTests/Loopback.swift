import CLibrary
import Testing

@testable import Sockets

/// A connected server and client on this machine.
struct Loopback {
    let client: Socket
    let server: Socket

    /// Whether this machine supports IPv6 at all; many containers do not.
    static let hasIPv6: Bool = {
        guard let address = try? SocketAddress(host: "::1", port: 0),
            let listener = try? Listener(address: address)
        else { return false }
        listener.close()
        return true
    }()

    /// The hosts for a test.
    static let hosts = hasIPv6 ? ["127.0.0.1", "::1"] : ["127.0.0.1"]

    init(host: String = "127.0.0.1") throws {
        let listener = try Listener(address: SocketAddress(host: host, port: 0))
        defer { listener.close() }
        try self.init(through: listener)
    }

    init(through listener: Listener) throws {
        client = try Socket.connect(to: listener.localAddress)
        server = try acceptSoon(listener)
        try client.waitUntil(.write)
        if let error = client.connectResult() { throw error }
    }

    func close() {
        client.close()
        server.close()
    }
}

/// Accepts the pending connection.
func acceptSoon(_ listener: Listener) throws -> Socket {
    try Socket(descriptor: listener.descriptor).waitUntil(.read)
    guard case .accepted(let socket) = listener.accept() else { throw Unexpected("no connection to accept") }
    return socket
}

struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension MonotonicInstant {
    /// A deadline that is long enough for a busy machine; only a failing test waits this long.
    static var patience: MonotonicInstant { now().advanced(by: .seconds(30)) }

    /// A deadline in the past, for checks without waiting.
    static let past = MonotonicInstant(nanoseconds: 0)
}

extension Socket {
    func waitUntil(_ interest: Interest) throws {
        if let code = SingleDescriptorPoll.wait(for: interest, on: descriptor, until: .patience) {
            throw SocketError(.wait, code: code)
        }
    }

    @discardableResult
    func send(_ text: String) -> WriteResult { Array(text.utf8).withUnsafeBytes { write($0) } }

    func receive(upTo count: Int = 4096) -> ReadResult {
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { read(into: $0) }
    }

    /// The bytes that arrive within the test's time limit, as text; empty at the end of the stream.
    func receiveText(upTo count: Int = 4096) throws -> String {
        try waitUntil(.read)
        var bytes = [UInt8](repeating: 0, count: count)
        switch bytes.withUnsafeMutableBytes({ read(into: $0) }) {
        case .bytes(let received): return String(decoding: bytes[..<received], as: UTF8.self)
        case .endOfStream: return ""
        case .wouldBlock: throw Unexpected("readable, but reading would block")
        case .failed(let error): throw error
        }
    }

    /// Writes until the buffers of both sides are full; returns the number of bytes.
    func fill() throws -> Int {
        let chunk = [UInt8](repeating: 0x2E, count: 65_536)
        var total = 0
        while true {
            switch chunk.withUnsafeBytes({ write($0) }) {
            case .wrote(let count): total += count
            case .failed(let error): throw error
            case .wouldBlock:
                // Bytes in the send buffer may still move into the other side's receive buffer.
                let end = MonotonicInstant.now().advanced(by: .milliseconds(20))
                if SingleDescriptorPoll.wait(for: .write, on: descriptor, until: end) != nil { return total }
            }
        }
    }
}

/// The event queues of this system, including epoll as on kernels without epoll_pwait2.
enum QueueUnderTest: String, CaseIterable, CustomTestStringConvertible, Sendable {
    #if os(Linux)
        case epoll
        case epollInMilliseconds
    #endif
    case poll

    var testDescription: String { rawValue }

    func open() throws -> EventQueue { EventQueue(try openBackend()) }

    func openBackend() throws -> any EventQueueBackend {
        switch self {
        #if os(Linux)
            case .epoll: try EpollSet()
            case .epollInMilliseconds: try EpollSet(roundsToMilliseconds: true)
        #endif
        case .poll: PollSet()
        }
    }
}

extension EventQueue {
    /// What one wait reports, in token order.
    func reports(until deadline: MonotonicInstant = .past) throws -> [Readiness] {
        var found: [Readiness] = []
        try wait(until: deadline) { found.append($0) }
        return found.sorted { $0.token < $1.token }
    }

    func told(until deadline: MonotonicInstant = .past) throws -> [String] {
        try reports(until: deadline).map(\.testDescription)
    }

    /// The tokens of one wait whose handler acts at each, in the order of the reports.
    func tokens(acting act: (Int) -> Void) throws -> [UInt64] {
        var tokens: [UInt64] = []
        try wait(until: .past) { readiness in
            tokens.append(readiness.token)
            act(Int(readiness.token))
        }
        return tokens
    }
}

extension Readiness: CustomTestStringConvertible {
    /// The token and the flags that are set.
    public var testDescription: String {
        let flags = [(readable, "readable"), (writable, "writable"), (hangUp, "hangUp"), (error, "error")]
        return ([String(token)] + flags.filter(\.0).map(\.1)).joined(separator: " ")
    }
}
