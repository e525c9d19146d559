import FitIQAPI
import JSON
import Recording

/// What all judges have to know: which sockets are open, whose they are, and what streams.
struct Scene: Sendable {
    /// How the server answers the clients that are judged.
    let mode: GuideMode

    /// The open sockets by connection.
    private(set) var sockets: [UInt64: Socket] = [:]
    /// The one that the last fact ended; nil after any other fact.
    private(set) var endedSocket: Socket?

    /// The connections of the open sockets by user and by consultation, oldest first: searching all takes too long.
    private var connectionsByUser: [ExactString: [UInt64]] = [:]
    private var connectionsByConsultation: [ExactString: [UInt64]] = [:]
    /// The connections in the order of their openings, those that ended since among them.
    private var order: [UInt64] = []
    private var orderStart = 0
    private let socketLimit: Int

    /// The most sockets that are remembered; a journal that lost the ends of some has no more open than that.
    static let socketLimit = 20_000

    init(mode: GuideMode = .union, socketLimit: Int = Scene.socketLimit) {
        precondition(socketLimit > 0, "there is room for a socket")
        self.mode = mode
        self.socketLimit = socketLimit
    }

    /// How many open sockets of a user, or on a consultation, are looked at, the newest.
    ///
    /// No client has so many; a journal of openings alone would have each of them look through all before it.
    static let lookBack = 64

    /// The open sockets of a user that are not silenced, oldest first; of many the newest.
    func openSockets(of user: ExactString) -> [Socket] {
        live(connectionsByUser[user])
    }

    /// The open sockets on a consultation that are not silenced, oldest first; of many the newest.
    func openSockets(onConsultation id: ExactString) -> [Socket] {
        live(connectionsByConsultation[id])
    }

    private func live(_ connections: [UInt64]?) -> [Socket] {
        (connections ?? []).suffix(Self.lookBack).compactMap { sockets[$0] }.filter { !$0.isSilenced }
    }

    mutating func observe(_ fact: Fact) {
        endedSocket = nil
        switch fact.kind {
        case .opened(let opening): open(opening, fact)
        case .closed: endedSocket = remove(fact.connection)
        case .fault(let fault): sockets[fact.connection]?.observe(fault, fact)
        case .frame(let frame): sockets[fact.connection]?.observe(frame, fact)
        case .request, .other: break
        }
    }

    private mutating func open(_ opening: OpeningFact, _ fact: Fact) {
        // A connection is opened once; a journal that says otherwise is not ours, and the later entry counts.
        _ = remove(fact.connection)
        if sockets.count >= socketLimit { forgetOldest() }
        let socket = Socket(opening, fact)
        sockets[fact.connection] = socket
        connectionsByUser[socket.user, default: []].append(socket.connection)
        connectionsByConsultation[socket.consultation, default: []].append(socket.connection)
        order.append(socket.connection)
        if order.count > 2 * socketLimit + 16 { dropEnded() }
    }

    private mutating func remove(_ connection: UInt64) -> Socket? {
        guard let socket = sockets.removeValue(forKey: connection) else { return nil }
        Self.remove(connection, from: &connectionsByUser[socket.user])
        Self.remove(connection, from: &connectionsByConsultation[socket.consultation])
        return socket
    }

    private static func remove(_ connection: UInt64, from connections: inout [UInt64]?) {
        if let place = connections?.firstIndex(of: connection) { connections?.remove(at: place) }
        if connections?.isEmpty ?? false { connections = nil }
    }

    private mutating func forgetOldest() {
        while orderStart < order.count {
            orderStart += 1
            if remove(order[orderStart - 1]) != nil { return }
        }
    }

    /// Lets go of the places of sockets that ended; seldom enough to cost nothing.
    private mutating func dropEnded() {
        order = order[orderStart...].filter { sockets[$0] != nil }
        orderStart = 0
    }
}
