import HTTPTypes

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
