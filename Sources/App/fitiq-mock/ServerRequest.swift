import CLibrary
import FitIQClient
import HTTP1
import HTTPTypes
import JSON
import Sockets
import Text

/// A request to a server on its own connection: takes bytes of the response and returns bytes of its body.
struct ServerRequest {
    /// The client's bytes to send.
    private(set) var bytes: [UInt8] = []
    /// Whether the response has started and is a success.
    private(set) var hasBegun = false
    private(set) var isComplete = false
    private let base: BaseURL
    private var http: HTTP1.Connection
    /// The status and the start of the body of a response that is not a success.
    private(set) var refusal: (status: Int, body: [UInt8])?
    private static let refusalLimit = 64 * 1024

    /// - Parameters:
    ///   - method: the method. A `body` is JSON.
    ///   - path: the path and query below a world's admin API, such as `clock`.
    ///   - base: the URL of the server or of one of its worlds, such as `http://127.0.0.1:8080/w/w1`.
    ///   - world: the world's ID, or nil for the world in the URL.
    init(
        _ method: HTTPRequest.Method = .get, path: String, of base: BaseURL, world: String? = nil,
        adminToken: String?, fields: HTTPFields = [:], body: [UInt8]? = nil
    ) {
        var fields = fields
        if let name = HTTPField.Name("X-Admin-Token") { fields[name] = adminToken }
        if body != nil { fields[.contentType] = "application/json" }
        self.init(method, target: Self.path(path, of: base, world: world), of: base, fields: fields, body: body)
    }

    /// - Parameter target: the path and query on the server.
    init(
        _ method: HTTPRequest.Method = .get, target: String, of base: BaseURL, fields: HTTPFields = [:],
        body: [UInt8]? = nil
    ) {
        var limits = HTTP1.Limits()
        // An event stream does not end.
        limits.body = 1 << 60
        self.base = base
        http = HTTP1.Connection(role: .client, limits: limits)
        var fields = fields
        fields[.hostField] = base.authority
        http.sendRequest(method: method, target: target, fields: fields, body: body, into: &bytes)
    }

    /// The path on the server, such as `/__admin/worlds/w1/clock` for `clock` and `http://127.0.0.1:8080/w/w1`.
    static func path(_ path: String, of base: BaseURL, world: String? = nil) -> String {
        let place = place(of: base)
        let world = world.map(PercentCoding.encoded) ?? place.world
        return "\(place.server)/__admin/\(world.map { "worlds/\($0)/" } ?? "")\(path)"
    }

    /// The path before `/__admin`, and the world of a URL that ends with `/w/{id}`.
    static func place(of base: BaseURL) -> (server: String, world: String?) {
        let parts = base.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 2, parts[parts.count - 2] == "w" else { return (base.path, nil) }
        return (parts.dropLast(2).joined(separator: "/"), parts.last)
    }

    /// Receives bytes of the response and returns the part that belongs to its body.
    ///
    /// - Throws: `badHTTP`, or `refused` when a response is complete and is not a success.
    mutating func receive(_ bytes: some Collection<UInt8>) throws(ClientError) -> [UInt8] {
        http.receive(bytes)
        return try read()
    }

    mutating func receiveEndOfStream() throws(ClientError) -> [UInt8] {
        guard !hasBegun else { throw .truncatedResponse }
        http.receiveEndOfStream()
        return try read()
    }

    private mutating func read() throws(ClientError) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let event: HTTP1.Event
            do throws(RemoteError) { event = try http.nextEvent() } catch { throw .badHTTP(error) }
            switch event {
            case .response(let head):
                hasBegun = head.status.kind == .successful
                if !hasBegun { refusal = (head.status.code, []) }
            case .body(let bytes):
                if refusal == nil { body += bytes }
                if refusal?.body.count ?? 0 < Self.refusalLimit { refusal?.body += bytes }
            case .end, .connectionClosed:
                isComplete = true
                guard let refusal else { return body }
                let message = (try? JSON.parse(refusal.body))?["error"]?["message"]?.string ?? "no message"
                throw .refused(status: refusal.status, message: message.onOneLine(limit: 400))
            case .needsData, .paused: return body
            case .request, .informational: continue
            }
        }
    }

    /// How long a request may take, and what can end it early.
    struct Patience {
        /// How long the server may send nothing.
        var silence: Duration
        /// When the whole response must have arrived.
        var deadline = MonotonicInstant(nanoseconds: .max)
        /// A gate that Ctrl-C opens, for example; a request then has only ``lastTime`` left.
        var stop: Gate?
        static let connectTime = Duration.seconds(10)

        /// The limits for an answer that must be complete within the given time.
        static func answer(within time: Duration) -> Self { Self(silence: time, deadline: .now().advanced(by: time)) }

        /// A time that is short, but long enough for a working server.
        static let lastTime = Duration.milliseconds(300)
        /// How often to check whether to stop.
        private static let lookTime = Duration.milliseconds(50)

        /// Waits until a descriptor is ready, but no longer than this time; returns the errno of a failure, or nil.
        mutating func wait(for interest: Interest, on descriptor: Int32, atMost time: Duration) -> Int32? {
            let end = MonotonicInstant.now().advanced(by: time)
            while true {
                let now = MonotonicInstant.now()
                if let stop, stop.wait(until: now) {
                    deadline = min(deadline, now.advanced(by: Self.lastTime))
                    self.stop = nil
                }
                // Check the time first: if the server keeps sending bytes, the descriptor is always ready.
                if deadline <= now { return ETIMEDOUT }
                let last = min(end, deadline)
                let next = stop == nil ? last : min(last, now.advanced(by: Self.lookTime))
                let code = SingleDescriptorPoll.wait(for: interest, on: descriptor, until: next)
                guard code == ETIMEDOUT, next < last else { return code }
            }
        }
    }

    /// Sends the request and passes on bytes of the body as they arrive.
    ///
    /// Blocks until the response is complete.
    ///
    /// - Parameter body: returns whether to continue.
    /// - Throws: `transport` with ETIMEDOUT when the patience runs out, or `badHTTP`, `truncatedResponse` or `refused`.
    mutating func run(within patience: Patience, _ body: ([UInt8]) -> Bool) throws(ClientError) {
        var patience = patience
        let address = try Self.address(of: base, &patience)
        let socket = try Self.connect(to: address, &patience)
        defer { socket.close() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        try send(on: socket, at: address, &patience)
        while !isComplete {
            if let code = patience.wait(for: .read, on: socket.descriptor, atMost: patience.silence) {
                throw .transport(SocketError(.read, code: code, address: address))
            }
            let bytes: [UInt8]
            switch socket.read(into: buffer) {
            case .bytes(let count): bytes = try receive(buffer[..<count])
            case .endOfStream: bytes = try receiveEndOfStream()
            case .wouldBlock: continue
            case .failed(let error): throw .transport(error)
            }
            if hasBegun, !body(bytes) { return }
        }
    }

    /// Checks that the server accepts connections, without sending anything.
    static func connect(to base: BaseURL, within patience: Patience) throws(ClientError) {
        var patience = patience
        try connect(to: address(of: base, &patience), &patience).close()
    }

    private func send(on socket: Socket, at address: SocketAddress, _ patience: inout Patience) throws(ClientError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch rest.withUnsafeBytes(socket.write) {
            case .wrote(let count): rest = rest.dropFirst(count)
            case .failed(let error): throw .transport(error)
            case .wouldBlock:
                if let code = patience.wait(for: .write, on: socket.descriptor, atMost: patience.silence) {
                    throw .transport(SocketError(.write, code: code, address: address))
                }
            }
        }
    }

    /// Resolves the host of a URL and returns the address to use.
    ///
    /// - Parameter resolve: looks up a name on its own thread.
    static func address(
        of base: BaseURL, _ patience: inout Patience, resolve: @escaping HostLookup.Resolve = SocketAddress.resolve
    ) throws(ClientError) -> SocketAddress {
        do throws(SocketError) {
            if let known = try SocketAddress.resolveAtOnce(host: base.host, port: base.port) { return known[0] }
            let gate = try Gate()
            let lookup = try HostLookup(host: base.host, port: base.port, resolve: resolve, end: gate.open)
            _ = patience.wait(for: .read, on: gate.descriptor, atMost: Patience.connectTime)
            guard let answer = lookup.answer else { throw .resolutionTimeout(host: base.host) }
            return .preferred(in: try answer.get())
        } catch {
            throw .transport(error)
        }
    }

    private static func connect(to address: SocketAddress, _ patience: inout Patience) throws(ClientError) -> Socket {
        do throws(SocketError) {
            let socket = try Socket.connect(to: address)
            let code = patience.wait(for: .write, on: socket.descriptor, atMost: Patience.connectTime)
            let error = code.map { SocketError(.connect, code: $0, address: address) }
            guard let error = error ?? socket.connectResult(to: address) else { return socket }
            socket.close()
            throw error
        } catch {
            throw .transport(error)
        }
    }
}
