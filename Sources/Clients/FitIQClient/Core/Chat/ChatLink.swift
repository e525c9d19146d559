import FitIQAPI
import WebSocket

/// The one socket of a client: which consultation is wanted, which one is open, and when the next may be opened.
///
/// It opens a socket only when the one before is gone, and none for a consultation within 3 s after closing it.
struct ChatLink: Sendable {
    /// A socket from its handshake to its end.
    struct Socket: Sendable {
        let number: Int
        let consultation: String
        let token: String
        var phase = Phase.opening
        /// When the phase has lasted too long; nil where it may last.
        var deadline: Timestamp?
        /// When the next ping is due, and until when a sign of life after the last one.
        var nextPing: Timestamp?
        var pongDue: Timestamp?
        /// Whether it is to be replaced once it is closed.
        var isReplaced = false
    }

    /// Where a socket stands.
    enum Phase: Sendable, Hashable {
        /// The handshake is out.
        case opening
        /// It is open, and `connected` has not come.
        case greeting
        /// `connected` has come.
        case open
        /// The client's close frame is out.
        case closing
    }

    /// The consultation whose chat is wanted.
    private(set) var wanted: String?
    /// Whether its history was read, so that the socket may be opened.
    var isReady = false
    /// The socket, if there is one.
    var socket: Socket?
    /// No handshake before that time.
    private(set) var notBefore: Timestamp?
    /// How many handshakes there were since `connected`, or since the user asked, and the wait before the last.
    private(set) var tryCount = 0
    private(set) var lastWait = Duration.zero
    /// The consultations whose sockets the client closed last, and when they were gone; oldest first.
    private var ownCloses: [(consultation: String, at: Timestamp)] = []

    let schedule: ReconnectSchedule
    let patience: ClientPatience
    /// The longest wait that a server can ask for with `Retry-After`.
    let longestRetryAfter: Duration

    init(_ configuration: ClientConfiguration) {
        schedule = configuration.reconnects
        patience = configuration.patience
        longestRetryAfter = configuration.retries.longestRetryAfter
    }

    /// Whether a chat can be sent on.
    var isConnected: Bool { socket?.phase == .open && socket?.consultation == wanted }
    /// Whether any socket is open, for whatever consultation.
    var hasOpenSocket: Bool { socket.map { $0.phase != .opening } ?? false }

    /// Wants another consultation, or none.
    mutating func want(_ consultation: String?) {
        (wanted, isReady, notBefore, tryCount, lastWait) = (consultation, false, nil, 0, .zero)
    }

    /// Brings the socket nearer to what is wanted.
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

    /// What is to be done.
    enum Step: Sendable {
        case nothing
        case open(consultation: String)
        case close(Int, CloseCode)
    }

    /// When the wanted socket may be opened; nil where nothing holds it back.
    var opensAt: Timestamp? {
        guard let ownClose = ownCloses.last(where: { $0.consultation == wanted }) else { return notBefore }
        let back = ownClose.at.advanced(by: patience.afterOwnClose)
        return max(back, notBefore ?? back)
    }

    /// Notes that a handshake is out.
    mutating func opening(_ number: Int, _ consultation: String, token: String, at now: Timestamp) {
        socket = Socket(
            number: number, consultation: consultation, token: token, deadline: now.advanced(by: patience.handshake))
    }

    /// Notes that the handshake was accepted.
    mutating func opened(at now: Timestamp) {
        socket?.phase = .greeting
        socket?.deadline = now.advanced(by: patience.connected)
        socket?.nextPing = now.advanced(by: patience.pingInterval)
    }

    /// Notes `connected`.
    ///
    /// - Returns: whether the socket takes the place of one that was lost; nil where it is no news.
    mutating func connected() -> Bool? {
        guard socket?.phase == .greeting, socket?.consultation == wanted else { return nil }
        socket?.phase = .open
        socket?.deadline = nil
        defer { (tryCount, lastWait, notBefore) = (0, .zero, nil) }
        return tryCount > 0
    }

    /// Begins to close the socket.
    mutating func close(_ code: CloseCode, at now: Timestamp) -> Step {
        guard let number = socket?.number else { return .nothing }
        socket?.phase = .closing
        socket?.deadline = now.advanced(by: patience.close)
        socket?.nextPing = nil
        socket?.pongDue = nil
        return .close(number, code)
    }

    /// Notes that the socket is gone.
    ///
    /// - Parameter isOwn: whether the client's close frame came first, whyever.
    mutating func ended(isOwn: Bool, at now: Timestamp) {
        guard let socket else { return }
        if isOwn {
            ownCloses.append((socket.consultation, now))
            if ownCloses.count > 8 { ownCloses.removeFirst() }
        }
        self.socket = nil
    }

    /// Plans the next try.
    ///
    /// - Returns: whether there is one.
    mutating func retry(asked: Duration? = nil, at now: Timestamp) -> Bool {
        tryCount += 1
        guard let delay = schedule.delay(beforeTry: tryCount) else { return false }
        if let asked, asked > longestRetryAfter { return false }
        lastWait = max(delay, lastWait, asked ?? .zero)
        notBefore = now.advanced(by: lastWait)
        return true
    }

    /// Notes that something came: the socket lives.
    mutating func signOfLife() { socket?.pongDue = nil }

    /// Whether a ping is due; it counts as sent.
    mutating func takePing(at now: Timestamp) -> Int? {
        guard let number = socket?.number, let due = socket?.nextPing, due <= now else { return nil }
        socket?.nextPing = now.advanced(by: patience.pingInterval)
        if socket?.pongDue == nil { socket?.pongDue = now.advanced(by: patience.pong) }
        return number
    }

    /// When something is due by itself.
    func nextDeadline(mayOpen: Bool) -> Timestamp? {
        if let socket { return earlier(socket.deadline, earlier(socket.nextPing, socket.pongDue)) }
        guard wanted != nil, isReady, mayOpen else { return nil }
        return opensAt
    }
}
