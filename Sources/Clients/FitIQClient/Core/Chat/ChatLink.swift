import FitIQAPI
import WebSocket

/// A client's socket: the wanted consultation, the open consultation, and when the next socket may open.
///
/// A socket opens only after the previous socket has ended, and never within 3 s after the client closed a socket for
/// the same consultation.
struct ChatLink: Sendable {
    struct Socket: Sendable {
        let number: Int
        let consultation: String
        let token: String
        var phase = Phase.opening
        /// When the phase times out, or nil if there is no time-out.
        var deadline: Timestamp?
        /// When the next ping is due, and the deadline for a frame after the last ping.
        var nextPing: Timestamp?
        var pongDue: Timestamp?
        /// Whether another socket replaces this one after it has closed.
        var isReplaced = false
    }

    enum Phase: Sendable, Hashable {
        case opening
        /// The socket is open, but `connected` has not arrived.
        case greeting
        case open, closing
    }

    private(set) var wanted: String?
    /// Whether the client has read the history, in which case the socket may open.
    var isReady = false
    var socket: Socket?
    private(set) var notBefore: Timestamp?
    /// The number of handshakes since `connected` or the user's request, and the delay before the last handshake.
    private(set) var tryCount = 0
    private(set) var lastWait = Duration.zero
    /// The consultations whose sockets the client closed most recently, with the times at which the sockets ended,
    /// oldest first.
    private var ownCloses: [(consultation: String, at: Timestamp)] = []
    let schedule: ReconnectSchedule
    let patience: ClientPatience
    /// The longest delay that a server can request with `Retry-After`.
    let longestRetryAfter: Duration

    init(_ configuration: ClientConfiguration) {
        schedule = configuration.reconnects
        patience = configuration.patience
        longestRetryAfter = configuration.retries.longestRetryAfter
    }

    var isConnected: Bool { socket?.phase == .open && socket?.consultation == wanted }
    /// Whether a socket is open, for any consultation.
    var hasOpenSocket: Bool { socket.map { $0.phase != .opening } ?? false }

    mutating func want(_ consultation: String?) {
        (wanted, isReady, notBefore, tryCount, lastWait) = (consultation, false, nil, 0, .zero)
    }

    /// Takes the next step towards the wanted state, and returns the step.
    mutating func step(at now: Timestamp, mayOpen: Bool) -> Step {
        if let socket {
            guard socket.consultation != wanted, socket.phase == .greeting || socket.phase == .open else {
                return .nothing
            }
            return close(.normalClosure, at: now)
        }
        guard let wanted, isReady, mayOpen, (opensAt ?? now) <= now else { return .nothing }
        return .open(consultation: wanted)
    }

    enum Step: Sendable {
        case nothing
        case open(consultation: String)
        case close(Int, CloseCode)
    }

    /// When the wanted socket may open, or nil if it may open now.
    var opensAt: Timestamp? {
        guard let ownClose = ownCloses.last(where: { $0.consultation == wanted }) else { return notBefore }
        let back = ownClose.at.advanced(by: patience.afterOwnClose)
        return max(back, notBefore ?? back)
    }

    mutating func opening(_ number: Int, _ consultation: String, token: String, at now: Timestamp) {
        socket = Socket(
            number: number, consultation: consultation, token: token, deadline: now.advanced(by: patience.handshake))
    }

    mutating func opened(at now: Timestamp) {
        socket?.phase = .greeting
        socket?.deadline = now.advanced(by: patience.connected)
        socket?.nextPing = now.advanced(by: patience.pingInterval)
    }

    /// Records `connected`.
    ///
    /// Returns whether the socket replaces a lost socket, or nil if `connected` was not expected.
    mutating func connected() -> Bool? {
        guard socket?.phase == .greeting, socket?.consultation == wanted else { return nil }
        socket?.phase = .open
        socket?.deadline = nil
        defer { (tryCount, lastWait, notBefore) = (0, .zero, nil) }
        return tryCount > 0
    }

    mutating func close(_ code: CloseCode, at now: Timestamp) -> Step {
        guard let number = socket?.number else { return .nothing }
        socket?.phase = .closing
        socket?.deadline = now.advanced(by: patience.close)
        socket?.nextPing = nil
        socket?.pongDue = nil
        return .close(number, code)
    }

    /// Records the end of the socket.
    ///
    /// The client caused the end if its close frame came first.
    mutating func ended(isOwn: Bool, at now: Timestamp) {
        guard let socket else { return }
        if isOwn {
            ownCloses.append((socket.consultation, now))
            if ownCloses.count > 8 { ownCloses.removeFirst() }
        }
        self.socket = nil
    }

    /// Schedules the next attempt; returns false if the client must give up.
    mutating func retry(asked: Duration? = nil, at now: Timestamp) -> Bool {
        tryCount += 1
        guard let delay = schedule.delay(beforeTry: tryCount) else { return false }
        if let asked, asked > longestRetryAfter { return false }
        lastWait = max(delay, lastWait, asked ?? .zero)
        notBefore = now.advanced(by: lastWait)
        return true
    }

    /// Records that a frame arrived, so that the socket counts as alive.
    mutating func signOfLife() { socket?.pongDue = nil }

    mutating func takePing(at now: Timestamp) -> Int? {
        guard let number = socket?.number, let due = socket?.nextPing, due <= now else { return nil }
        socket?.nextPing = now.advanced(by: patience.pingInterval)
        if socket?.pongDue == nil { socket?.pongDue = now.advanced(by: patience.pong) }
        return number
    }

    func nextDeadline(mayOpen: Bool) -> Timestamp? {
        if let socket { return .earliest(socket.deadline, .earliest(socket.nextPing, socket.pongDue)) }
        guard wanted != nil, isReady, mayOpen else { return nil }
        return opensAt
    }
}
