import FitIQAPI
import JSON
import Recording

/// Follows how clients come back to consultations whose socket ended without their doing.
///
/// A series begins with such an end and lasts until `connected` is delivered, or the client itself closes. Each
/// handshake for the consultation is a try. A consultation belongs to one user, so it names the client; where a
/// handshake is refused before its credentials are looked at, nothing else does.
struct Reconnects: Sendable {
    /// The tries after one end.
    struct Series: Sendable {
        let user: ExactString
        let token: ExactString?
        /// What ended the socket.
        let end: JournalEntry
        /// What failed last: the socket, or a try.
        fileprivate(set) var failure: JournalEntry
        /// When the client knew of that; nil where nobody can tell, and while a try is open.
        fileprivate(set) var knownAt: Timestamp?
        fileprivate(set) var tryCount = 0
        /// The last wait that is known, and the try that it led to.
        fileprivate(set) var lastWait: (nanoseconds: Int64, tried: JournalEntry)?
        /// The token that the last try was refused with.
        fileprivate var refusedToken: ExactString?
    }

    /// A handshake of a series.
    struct Try: Sendable {
        let entry: JournalEntry
        /// How long the client had known of the failure; nil where nobody can tell.
        let wait: Int64?
        /// The series as it was before, ``Series/tryCount`` excepted, which counts this one.
        let series: Series
    }

    enum Event: Sendable {
        case tried(Try)
        /// A try failed, or the socket that it opened.
        case failed(Series)
    }

    private var byConsultation = Recent<ExactString, Series>(capacity: 4000)

    /// The series that have not come to an end, oldest first.
    var open: [Series] { byConsultation.values.sorted { $0.end.number < $1.end.number } }

    /// Takes a fact; one handshake can be a try and fail at once.
    mutating func observe(_ fact: Fact, in scene: Scene) -> [Event] {
        switch fact.kind {
        case .opened, .request: Handshake(fact).map { observe($0) } ?? []
        case .closed(let closing): scene.endedSocket.map { observe(closing, of: $0, fact, in: scene) } ?? []
        case .fault(let fault) where fault.effect == .silence: observeSilence(fact, in: scene)
        case .frame(let frame) where !frame.isFromClient && frame.type == "connected" && frame.isDelivered:
            succeed(fact, in: scene)
        case .frame, .fault, .other: []
        }
    }

    private mutating func observe(_ handshake: Handshake) -> [Event] {
        guard var series = byConsultation[handshake.consultation], !series.isForeign(handshake) else { return [] }
        var events: [Event] = []
        var isTry = true
        if let refused = series.refusedToken, handshake.credentials.token != refused {
            // The same try once more, with the token that it lacked.
            isTry = false
        } else {
            let wait = series.knownAt.map { handshake.requestedAt.nanoseconds(since: $0) }.flatMap { $0 < 0 ? nil : $0 }
            var tried = series
            tried.tryCount += 1
            series.tryCount += 1
            events.append(.tried(Try(entry: handshake.entry, wait: wait, series: tried)))
            if let wait { series.lastWait = (wait, handshake.entry) }
        }
        if handshake.isAccepted {
            (series.knownAt, series.refusedToken) = (nil, nil)
        } else {
            (series.knownAt, series.failure) = (handshake.answeredAt, handshake.entry)
            series.refusedToken = handshake.status == 401 ? handshake.credentials.token : nil
            if isTry { events.append(.failed(series)) }
        }
        byConsultation[handshake.consultation] = series
        return events
    }

    private mutating func observe(
        _ closing: RecordedClosing, of socket: Scene.Socket, _ fact: Fact, in scene: Scene
    ) -> [Event] {
        // What was silenced counted as ended then; where another is open the client has long come back.
        guard !socket.isSilenced, scene.openSockets(onConsultation: socket.consultation).isEmpty else { return [] }
        let id = socket.consultation.asciiLowercased()
        switch SocketEnding(closing, of: socket, at: fact.time) {
        case .archived: byConsultation[id] = nil
        case .closedByClient, .leftByClient:
            // Without `connected` the client may have given up a try; else it wants no more.
            if socket.connectedAt == nil { return fail(socket, fact, knownAt: nil, mayBegin: false) }
            byConsultation[id] = nil
        case .givenUp: return fail(socket, fact, knownAt: nil, mayBegin: true)
        case .unexpected(let knownAt): return fail(socket, fact, knownAt: knownAt, mayBegin: true)
        }
        return []
    }

    private mutating func observeSilence(_ fact: Fact, in scene: Scene) -> [Event] {
        guard let socket = scene.sockets[fact.connection],
            scene.openSockets(onConsultation: socket.consultation).isEmpty
        else { return [] }
        return fail(socket, fact, knownAt: nil, mayBegin: true)
    }

    private mutating func fail(_ socket: Scene.Socket, _ fact: Fact, knownAt: Timestamp?, mayBegin: Bool) -> [Event] {
        let id = socket.consultation.asciiLowercased()
        if var series = byConsultation[id] {
            (series.failure, series.knownAt, series.refusedToken) = (fact.entry, knownAt, nil)
            byConsultation[id] = series
            return series.tryCount > 0 ? [.failed(series)] : []
        }
        guard mayBegin else { return [] }
        byConsultation[id] = Series(
            user: socket.user, token: socket.credentials.token, end: fact.entry, failure: fact.entry, knownAt: knownAt)
        return []
    }

    private mutating func succeed(_ fact: Fact, in scene: Scene) -> [Event] {
        if let socket = scene.sockets[fact.connection] { byConsultation[socket.consultation.asciiLowercased()] = nil }
        return []
    }
}

extension Reconnects.Series {
    /// Whether a handshake is of somebody else, who may not even see the consultation.
    fileprivate func isForeign(_ handshake: Handshake) -> Bool {
        if let user = handshake.user { return user != self.user }
        return handshake.status == 404 && handshake.credentials.token != token
    }
}
