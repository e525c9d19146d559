import HTTPTypes

/// Which end of a connection a value implements.
public enum Role: Sendable, Hashable {
    /// Sends requests and receives responses.
    case client
    /// Receives requests and sends responses.
    case server

    @inlinable var peer: Role { self == .client ? .server : .client }
}

/// How much a connection accepts from its peer.
///
/// Excess input is rejected as soon as possible, without being buffered. Line lengths include the line end.
public struct Limits: Sendable, Equatable {
    /// The longest request or status line in bytes; a longer request line is rejected with 414.
    public var requestLine = 8 * 1024
    /// The longest method name in bytes; a longer one is rejected with 501.
    public var methodName = 32
    /// The maximum number of bytes of field lines, trailers included; more is rejected with 431.
    public var headerBlock = 16 * 1024
    /// The maximum number of field lines, trailers included; more is rejected with 431.
    public var fieldCount = 100
    /// The maximum number of bytes in a body; more is rejected with 413.
    public var body = 1024 * 1024
    /// The highest ``body`` that ``Connection/raiseBodyLimit(to:)`` may set for one request; nil disallows it.
    public var raisedBody: Int?
    /// The longest chunk-size line in bytes, extensions included; a longer one is rejected with 400.
    public var chunkLine = 256
    /// The maximum number of empty lines skipped before a request line; more is rejected with 400.
    public var leadingEmptyLines = 8
    /// The maximum number of bytes buffered while a response is pending; see ``Connection/wantsBytes``.
    ///
    /// A `receive` call beyond this fails the connection with 400.
    public var pipelined = 256 * 1024

    /// The default limits.
    public static let standard = Limits()
    public init() {}

    /// Contradictory limits are a programming error.
    func validate() {
        precondition(methodName > 0, "Limits.methodName must be positive")
        precondition(requestLine > methodName + 16, "Limits.requestLine must fit a method, a target and a version")
        precondition(chunkLine >= 18, "Limits.chunkLine must fit a 16-digit chunk size")
        precondition(
            headerBlock >= 0 && fieldCount >= 0 && body >= 0 && raisedBody ?? 0 >= 0 && leadingEmptyLines >= 0
                && pipelined >= 0)
        precondition(requestLine + headerBlock < 1 << 30, "Limits.requestLine and .headerBlock must stay under 1 GiB")
    }
}

/// The next element that ``Connection/nextEvent()`` found in the received bytes.
///
/// ``needsData``, ``paused`` and ``connectionClosed`` end a loop over events; after any other event, more events
/// follow.
public enum Event: Sendable {
    /// No more events until the next `receive`.
    case needsData
    /// No more events until this end finishes its message; none at all after a protocol change.
    case paused
    /// The head of a request (server role).
    case request(RequestHead)
    /// The head of a final response (client role) or of a 101; after a 101, the connection uses a different protocol.
    case response(ResponseHead)
    /// The head of an interim response, 1xx but not 101; the final response follows (client role).
    case informational(ResponseHead)
    /// A piece of the body. The piece shares the connection's buffer, so copy any bytes that you keep.
    case body(ArraySlice<UInt8>)
    /// The message is complete.
    case end
    /// The peer ended its stream between messages.
    case connectionClosed
}

/// One end of an HTTP/1.1 connection, without I/O: bytes in, events out; messages in, bytes out (RFC 9112).
///
/// Reading takes time linear in the number of bytes, regardless of how they are split into pieces, field lines and
/// chunks.
///
/// Pass bytes to ``receive(_:)-(UnsafeRawBufferPointer)``, then call ``nextEvent()`` until it returns
/// ``Event/needsData``, ``Event/paused`` or ``Event/connectionClosed``. Sending methods append to the caller's output.
///
/// A peer's violation throws a ``RemoteError``; a caller's mistake, such as responding twice, crashes. A server calls
/// ``nextEvent()`` again after each response: the next request may have arrived already.
///
/// A server may respond at any time after ``Event/request(_:)``. The connection then reads the rest of the request,
/// checks the limits and drops it without events. If the client may be waiting for a `100 Continue` that was never
/// sent, or the response closes the connection, ``shouldClose`` becomes true immediately and nothing more is read.
public struct Connection: Sendable {
    public let role: Role
    public let limits: Limits
    @usableFromInline var states = StateMachine()
    @usableFromInline var buffer = ReceiveBuffer()
    var head = HeadReader()
    var body = BodyReader.none
    /// Why the connection reads nothing more: the peer's violation of the protocol, or the error of
    /// ``abandonRequest(_:)``; nil while it reads.
    public internal(set) var failure: RemoteError?
    var endOfStream = false
    var emptyLines = 0
    /// The facts about the current request, in both roles.
    @usableFromInline var request = RequestFacts()
    var sending = BodyFraming.none

    @usableFromInline struct RequestFacts: Sendable {
        var isHead = false
        var isConnect = false
        var version = Version.http11
        var keepAlive = true
        /// The client may be waiting for `100 Continue` and has not sent any of its body.
        var awaitsContinue = false
        /// The final response was sent; the rest of the request is dropped.
        @usableFromInline var isAnswered = false
        /// The Content-Length, if it exceeds the limit and the limit was not raised.
        @usableFromInline var tooLargeBody: Int?
        /// The raised body limit.
        var raisedLimit: Int?
    }

    enum BodyFraming: Sendable, Equatable {
        case none, chunked, untilClose
        case length(Int)
    }

    public init(role: Role, limits: Limits = .standard) {
        limits.validate()
        self.role = role
        self.limits = limits
    }

    // MARK: Receiving

    /// Accepts received bytes and copies them.
    ///
    /// Bytes are dropped after an error and while the connection is closing. Do not call it after
    /// ``receiveEndOfStream()``, or after a protocol change: the bytes belong to the new protocol.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        precondition(!endOfStream, "no bytes may follow the end of the stream")
        switch theirState {
        case .switchedProtocol: preconditionFailure("after a protocol change, pass bytes to the new protocol")
        case .error, .mustClose, .closed: return
        default: break
        }
        if ignoresRest { return }
        // A caller that keeps reading while `wantsBytes` is false must not be able to grow the buffer without limit.
        if wantsBytes || bytes.isEmpty { buffer.append(bytes) } else { fail(.tooMuchPipelined(limits.pipelined)) }
    }

    public mutating func receive(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ receive(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { receive($0) }
        }
    }

    /// Reports that the peer will send no more bytes.
    public mutating func receiveEndOfStream() { endOfStream = true }

    // MARK: State

    // Inlined, because a call would copy the connection first.

    /// The state of this end.
    @inlinable @inline(__always) public var ourState: State { states[role] }
    @inlinable @inline(__always) public var theirState: State { states[role.peer] }

    /// Whether to close the transport once the output is flushed.
    @inlinable @inline(__always) public var shouldClose: Bool {
        switch ourState {
        case .mustClose, .closed, .error: true
        default: role == .client && theirState == .error
        }
    }

    /// Whether the connection is between messages with nothing buffered.
    @inlinable public var isIdle: Bool { states.isBetweenMessages && buffer.isEmpty }
    /// Whether a part of the peer's head has arrived.
    @inlinable public var isReadingHead: Bool {
        theirState == (role == .server ? .idle : .sendResponse) && !buffer.isEmpty
    }
    /// Whether the peer's body is expected or arriving, even if it is read only to be dropped.
    @inlinable public var isReadingBody: Bool { theirState == .sendBody && !ignoresRest }
    /// Whether the announced body exceeds the limit, so that the next ``nextEvent()`` rejects it with 413.
    @inlinable public var refusesBody: Bool { request.tooLargeBody != nil }

    /// Raises the body limit above ``Limits/body`` for the latest reported request only.
    ///
    /// Call it after ``Event/request(_:)`` and before the next ``nextEvent()``; the maximum is ``Limits/raisedBody``.
    public mutating func raiseBodyLimit(to limit: Int) {
        precondition(role == .server && theirState == .sendBody, "no request is under way")
        precondition(limit <= limits.raisedBody ?? 0, "Limits.raisedBody must allow it")
        request.raisedLimit = limit
        if let length = request.tooLargeBody, length <= limit { request.tooLargeBody = nil }
    }

    /// The number of bytes received but not consumed.
    @inlinable public var bufferedByteCount: Int { buffer.count }

    /// Whether to read from the transport: false once reading ends, and while too many bytes are waiting for a pending
    /// response.
    ///
    /// Stop reading while this is false, so that TCP slows down a client that keeps pipelining.
    @inlinable @inline(__always) public var wantsBytes: Bool {
        switch theirState {
        case .error, .mustClose, .closed, .switchedProtocol: false
        case .done, .mightSwitchProtocol: buffer.count < max(limits.pipelined, 1)
        default: !ignoresRest
        }
    }

    /// Whether a response may start now (server role): after a request, or once after an error.
    @inlinable @inline(__always) public var canRespond: Bool {
        role == .server && (ourState == .sendResponse || (ourState == .idle && theirState == .error))
    }

    /// An answered request is not read to its end if the connection closes.
    @inlinable @inline(__always)
    var ignoresRest: Bool { role == .server && request.isAnswered && !states.keepsAlive && theirState == .sendBody }

    /// Records a violation by the peer and returns it with the status that fits this role.
    @discardableResult
    mutating func fail(_ error: RemoteError) -> RemoteError {
        var error = error
        // The grammar throws the statuses that a server would send, but a bad response is the server's own fault.
        if role == .client { error.status = .badGateway }
        failure = error
        buffer.removeAll()
        states.fail(role.peer)
        return error
    }

    mutating func process(_ action: StateMachine.Action, by party: Role) {
        states.process(action, by: party)
        if states.isBetweenMessages { request = RequestFacts() }
    }
}
