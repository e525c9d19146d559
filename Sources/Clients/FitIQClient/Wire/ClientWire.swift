import FitIQAPI

/// All of a client's connections without their transport; converts actions and bytes to transport commands and inputs.
///
/// After each call, the transport's owner performs ``takeCommands()`` in order and passes ``takeInputs()`` to the
/// client. At most ``WireLimits/connections`` are open. Actions on an ended connection are ignored, because a server
/// may end it at any time.
public struct ClientWire: Sendable {
    public let base: BaseURL
    public let limits: WireLimits
    private var connections: [Int: ClientConnection] = [:]
    private var seeds: SeededBytes
    private var commands: [TransportCommand] = []
    private var inputs: [ClientInput] = []

    /// - Parameter seed: Determines handshake and masking keys; identical seeds and calls produce identical bytes
    public init(base: BaseURL, seed: UInt64, limits: WireLimits = WireLimits()) {
        self.base = base
        self.limits = limits
        seeds = SeededBytes(seed: seed)
    }

    /// The numbers of the open connections, in order.
    public var openConnections: [Int] { connections.keys.sorted() }

    /// Returns the pending transport commands in order; each command is returned only once.
    public mutating func takeCommands() -> [TransportCommand] {
        guard !commands.isEmpty else { return [] }
        defer { commands = [] }
        return commands
    }

    /// Returns the pending client inputs in order; each input is returned only once.
    public mutating func takeInputs() -> [ClientInput] {
        guard !inputs.isEmpty else { return [] }
        defer { inputs = [] }
        return inputs
    }

    /// Performs a client action.
    ///
    /// - Precondition: The number of a new request or socket is not in use.
    public mutating func perform(_ action: ClientAction) {
        switch action {
        case .send(let request):
            if let reason = refusal(number: request.number, target: request.target) {
                inputs.append(.requestFailed(number: request.number, reason))
            } else {
                begin(ClientConnection(request, to: base, limits: limits))
            }
        case .openSocket(let request):
            let seed = seeds.nextWord()
            if let reason = refusal(number: request.number, target: request.target) {
                inputs.append(.socketFailed(number: request.number, reason))
            } else {
                begin(ClientConnection(request, to: base, seed: seed, limits: limits))
            }
        case .sendText(let number, let text):
            onConnection(number) {
                $0.send(text: text)
                return []
            }
        case .ping(let number):
            onConnection(number) {
                $0.ping()
                return []
            }
        case .closeSocket(let number, let code): onConnection(number) { $0.close(code) }
        case .cancel(let number), .dropSocket(let number): abandon(number)
        }
    }

    public mutating func receive(_ bytes: [UInt8], on number: Int) { onConnection(number) { $0.receive(bytes) } }
    public mutating func receiveEndOfStream(on number: Int) { onConnection(number) { $0.receiveEndOfStream() } }
    /// Handles a connection that failed to open or broke.
    ///
    /// The reason is a user-visible sentence.
    public mutating func fail(_ number: Int, _ reason: String) { onConnection(number) { $0.fail(reason) } }
    /// Ends all connections abruptly without reporting inputs about them.
    public mutating func abandonAll() { for number in openConnections { abandon(number) } }

    private func refusal(number: Int, target: String) -> String? {
        precondition(connections[number] == nil, "the number \(number) is taken")
        guard connections.count < limits.connections else {
            return "\(limits.connections) connections are already open, which is this client's limit."
        }
        guard target.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            return "'\(target.prefix(80))' is not allowed in a request: percent-encode everything except visible ASCII."
        }
        return nil
    }

    private mutating func begin(_ connection: ClientConnection) {
        commands.append(.connect(connection.number))
        connections[connection.number] = connection
        onConnection(connection.number) { _ in [] }
    }

    /// Changes a connection in place and sends its new output.
    private mutating func onConnection(_ number: Int, _ change: (inout ClientConnection) -> [ClientInput]) {
        // Remove the connection meanwhile, so that its buffers are not copied.
        guard var connection = connections.removeValue(forKey: number) else { return }
        inputs += change(&connection)
        let output = connection.takeOutput()
        if !output.isEmpty { commands.append(.send(number, output)) }
        if connection.isFinished { commands.append(.close(number)) } else { connections[number] = connection }
    }

    private mutating func abandon(_ number: Int) {
        if connections.removeValue(forKey: number) != nil { commands.append(.close(number)) }
    }
}

/// A command for the owner of the transport.
///
/// A connection has the same number as its request or socket.
public enum TransportCommand: Sendable, Hashable {
    /// Start connecting to the backend; bytes sent in the meantime are queued.
    case connect(Int)
    case send(Int, [UInt8])
    /// Close the connection once all earlier bytes are sent; report nothing more about it.
    case close(Int)
}

/// Generates keys from a seed, so that a client's bytes are reproducible.
struct SeededBytes: Sendable {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }
    mutating func nextWord() -> UInt64 { numbers.next() }

    mutating func next(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next() >> 32) }
    }
}

/// The limits beyond which a client abandons a connection.
public struct WireLimits: Sendable, Hashable {
    /// The maximum size of a response body in bytes.
    ///
    /// A larger body fails the request.
    public var body = 8 << 20
    /// The maximum size of a WebSocket message in bytes.
    ///
    /// A larger message ends the socket with 1009.
    public var message = 1 << 20
    /// The maximum number of open connections.
    ///
    /// A request beyond this limit fails immediately.
    public var connections = 32
    /// The maximum number of bytes waiting for a server that does not read.
    ///
    /// If more bytes are waiting, the connection ends.
    public var unsentBytes = 1 << 20

    /// Creates limits with the defaults: bodies of 8 MiB, messages of 1 MiB, 32 connections, 1 MiB unsent.
    public init() {}
}
