import HTTPTypes

/// The end of a connection that a value speaks for.
public enum Role: Sendable, Hashable {
    /// Sends requests, receives responses.
    case client
    /// Receives requests, sends responses.
    case server

    /// The other end.
    var peer: Role { self == .client ? .server : .client }
}

/// How much of each thing a connection takes from its peer before it refuses.
///
/// Each refusal comes as soon as it is known, without buffering what is refused. Line lengths include the line end.
public struct Limits: Sendable, Equatable {
    /// The longest request line in bytes; longer is refused with 414.
    ///
    /// Also holds for a status line.
    public var requestLine = 8 * 1024
    /// The longest method name in bytes; longer is refused with 501.
    public var methodName = 32
    /// The most bytes of field lines, trailers included; more is refused with 431.
    public var headerBlock = 16 * 1024
    /// The most field lines, trailers included; more is refused with 431.
    public var fieldCount = 100
    /// The most bytes of a body; more is refused with 413.
    public var body = 1024 * 1024
    /// The most bytes to which ``Connection/raiseBodyLimit(to:)`` can raise ``body`` for one request; nil for none.
    public var raisedBody: Int?
    /// The longest chunk-size line in bytes, extensions included; longer is refused with 400.
    public var chunkLine = 256
    /// The most empty lines skipped before a request line; more is refused with 400.
    public var leadingEmptyLines = 8
    /// The most bytes that may wait while an answer is being made; see ``Connection/wantsBytes``.
    ///
    /// A `receive` that comes when this much is already waiting fails the connection with 400.
    public var pipelined = 256 * 1024

    /// The defaults.
    public static let standard = Limits()

    /// The defaults, to be changed field by field.
    public init() {}

    /// Limits that contradict each other are a mistake of ours, not of the peer's.
    func validate() {
        precondition(methodName > 0, "Limits.methodName must be positive")
        precondition(
            requestLine > methodName + 16, "Limits.requestLine must hold a method name, a target and a version")
        precondition(chunkLine >= 18, "Limits.chunkLine must hold a chunk size of 16 digits")
        precondition(
            headerBlock >= 0 && fieldCount >= 0 && body >= 0 && raisedBody ?? 0 >= 0 && leadingEmptyLines >= 0
                && pipelined >= 0)
        precondition(requestLine + headerBlock < 1 << 30, "Limits.requestLine and .headerBlock must stay under 1 GiB")
    }
}

/// What ``Connection/nextEvent()`` found in the bytes received.
///
/// ``needsData``, ``paused`` and ``connectionClosed`` end a loop over events; all others are followed by more.
public enum Event: Sendable {
    /// Nothing more until the next `receive`.
    case needsData
    /// Nothing more until our side has finished its message, or ever after a change of protocol.
    case paused
    /// The head of a request (server role).
    case request(RequestHead)
    /// The head of a final response (client role), or a 101, after which the connection speaks another protocol.
    case response(ResponseHead)
    /// The head of an interim response, 1xx but not 101; the final response is yet to come (client role).
    case informational(ResponseHead)
    /// A piece of the body. It shares the buffer of the connection: copy what is to be kept.
    case body(ArraySlice<UInt8>)
    /// The message is complete.
    case end
    /// The peer ended its stream between messages.
    case connectionClosed
}

/// One end of an HTTP/1.1 connection, without I/O: bytes in, events out; messages in, bytes out (RFC 9112).
///
/// Give bytes to ``receive(_:)-(UnsafeRawBufferPointer)``, then call ``nextEvent()`` until it says ``Event/needsData``,
/// ``Event/paused`` or ``Event/connectionClosed``. Methods that send append to an output the caller owns.
///
/// What the peer does wrong is thrown as a ``RemoteError``; what the caller does wrong, such as answering twice,
/// stops the program. A server calls ``nextEvent()`` again after each answer, since the next request may have
/// arrived already.
///
/// A server may answer at any time after ``Event/request(_:)``. What is left of that request is then read, held to the
/// limits, and dropped without events; only where that could hang (the client waits for a `100 Continue` that was never
/// sent) or the answer closes the connection anyway, ``shouldClose`` is set at once and nothing more is read.
public struct Connection: Sendable {
    /// The end this value speaks for.
    public let role: Role
    /// What is taken from the peer before it is refused.
    public let limits: Limits

    var states = StateMachine()
    var buffer = ReceiveBuffer()
    var head = HeadReader()
    var body = BodyReader.none
    var failure: RemoteError?
    var endOfStream = false
    var emptyLines = 0

    /// What is known of the request under way, by whichever end sent it.
    var request = RequestFacts()
    /// How the body being sent is framed.
    var sending = BodyFraming.none

    struct RequestFacts: Sendable {
        var isHead = false
        var isConnect = false
        var version = Version.http11
        var keepAlive = true
        /// The client may wait for `100 Continue` and has sent nothing of its body.
        var awaitsContinue = false
        /// The final response was sent; what is left of the request is dropped.
        var isAnswered = false
        /// The Content-Length, where it is over the limit and nobody has raised that.
        var tooLargeBody: Int?
        /// What the limit was raised to.
        var raisedLimit: Int?
    }

    enum BodyFraming: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
        case untilClose
    }

    /// A fresh connection.
    ///
    /// Limits that contradict each other stop the program.
    public init(role: Role, limits: Limits = .standard) {
        limits.validate()
        self.role = role
        self.limits = limits
    }

    // MARK: Receiving

    /// Takes bytes that arrived; they are copied.
    ///
    /// Dropped after an error or when the connection is closing. Not to be called after ``receiveEndOfStream()``, nor
    /// after a change of protocol: those bytes belong to the new protocol.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        precondition(!endOfStream, "bytes after the end of the stream")
        switch theirState {
        case .switchedProtocol: preconditionFailure("after a change of protocol, give bytes to the new protocol")
        case .error, .mustClose, .closed: return
        default: break
        }
        if ignoresRest { return }
        // Whoever reads on while `wantsBytes` is false must not make us keep it all.
        if !wantsBytes, !bytes.isEmpty {
            fail(.tooMuchPipelined(limits.pipelined))
            return
        }
        buffer.append(bytes)
    }

    /// Takes bytes that arrived, from any collection.
    public mutating func receive(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ receive(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { receive($0) }
        }
    }

    /// Takes note that the peer sends no more.
    public mutating func receiveEndOfStream() { endOfStream = true }

    // MARK: State

    /// The state of our end.
    public var ourState: State { states[role] }
    /// The state of the peer's end.
    public var theirState: State { states[role.peer] }

    /// Whether the transport must be closed once everything appended so far is flushed.
    public var shouldClose: Bool {
        switch ourState {
        case .mustClose, .closed, .error: true
        default: role == .client && theirState == .error
        }
    }

    /// Whether the connection is between messages with nothing buffered.
    public var isIdle: Bool { states.isBetweenMessages && buffer.isEmpty }

    /// Whether the peer's head has begun to arrive and is not complete.
    public var isReadingHead: Bool { theirState == stateBeforeTheirHead && !buffer.isEmpty }

    /// Whether the peer's body is expected or arriving; also while it is read only to be dropped.
    public var isReadingBody: Bool { theirState == .sendBody && !ignoresRest }

    /// Whether the body was announced as larger than is taken, so that the next ``nextEvent()`` refuses it with 413.
    public var refusesBody: Bool { request.tooLargeBody != nil }

    /// Takes a larger body than ``Limits/body`` of the request that was reported last; what follows has the usual limit.
    ///
    /// To be called after ``Event/request(_:)`` and before the next ``nextEvent()``.
    ///
    /// - Precondition: a server's, with a request under way; the limit is at most ``Limits/raisedBody``.
    public mutating func raiseBodyLimit(to limit: Int) {
        precondition(role == .server && theirState == .sendBody, "no request is under way")
        precondition(limit <= limits.raisedBody ?? 0, "Limits.raisedBody must allow it")
        request.raisedLimit = limit
        if let length = request.tooLargeBody, length <= limit { request.tooLargeBody = nil }
    }

    /// The bytes received and not consumed yet.
    public var bufferedByteCount: Int { buffer.count }

    /// Whether the transport should be read: false while too much waits for an answer, and when nothing more is read.
    ///
    /// Stop reading while this is false, so that a client that pipelines without end is held back by TCP.
    public var wantsBytes: Bool {
        switch theirState {
        case .error, .mustClose, .closed, .switchedProtocol: false
        case .done, .mightSwitchProtocol: buffer.count < max(limits.pipelined, 1)
        default: !ignoresRest
        }
    }

    /// Whether a response may be begun now (server role): after a request, or once after an error.
    public var canRespond: Bool {
        role == .server && (ourState == .sendResponse || (ourState == .idle && theirState == .error))
    }

    /// The state of the peer before its head is complete.
    var stateBeforeTheirHead: State { role == .server ? .idle : .sendResponse }

    /// What is left of an answered request on a connection that closes is not even read.
    var ignoresRest: Bool {
        role == .server && request.isAnswered && !states.keepsAlive && theirState == .sendBody
    }

    /// Remembers what the peer did wrong and returns it with the status that fits our role.
    @discardableResult
    mutating func fail(_ error: RemoteError) -> RemoteError {
        var error = error
        // The hints of the grammar are those of a server; a bad response is the server's own fault.
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
