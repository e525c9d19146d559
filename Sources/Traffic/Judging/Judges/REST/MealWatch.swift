import FitIQAPI
import JSON
import Traffic

/// Classifies a client's requests for its meal logs during processing: which of them are polls.
///
/// The first load right after creating is not a poll, nor the first right after a socket opened, which may have come
/// too late for the event, nor any load once the client knows the final status (`meal/polling-cadence`).
struct MealWatch: Sendable {
    /// A log whose final status its client does not know yet.
    struct Log: Sendable {
        let id: ExactString
        let client: ExactString
        /// The entry that showed it first: the 201.
        let entry: JournalEntry
        /// When the free load was granted, or nil once it is used.
        var freeSince: Timestamp?
        /// Whether its event was sent but did not arrive, so that polling is the only way.
        var isEventLost = false
        var pollCount = 0
    }

    /// The kind of a request.
    enum Load: Sendable {
        /// It does not concern logs in processing.
        case none
        /// A load that is not a poll.
        case free
        /// A poll for these logs, oldest first; never empty.
        case poll([Log])
    }

    /// How long "right after" is.
    static let grace = 5 * Tolerance.second - Tolerance.interval
    /// The maximum number of logs watched per client; beyond it, the oldest are dropped.
    static let mostLogs = 16

    private var logs = Recent<ExactString, [Log]>()
    /// When the client learned a log's final status; a fault may let the event overtake the 201.
    private var settled = Recent<Owned, Timestamp>()

    /// Returns the logs of a client that are in processing as far as it knows, oldest first.
    func logs(of client: ExactString) -> [Log] { logs[client] ?? [] }

    mutating func observe(_ fact: Fact, in scene: Scene) -> Load {
        switch fact.kind {
        case .request(let request):
            guard let client = request.client else { return .none }
            return observe(request, of: client)
        case .opened(let opening):
            guard let user = opening.opening.user else { return .none }
            change(user) { $0.freeSince = fact.time }
        case .frame(let frame):
            guard let user = scene.sockets[fact.connection]?.user else { return .none }
            if let log = frame.settledMealLog {
                settle(log.id, of: user, at: fact.time)
            } else if !frame.isFromClient, let id = frame.lostMealLog {
                change(user) { if $0.id == id { $0.isEventLost = true } }
            }
        case .fault:
            guard let user = scene.sockets[fact.connection]?.user else { return .none }
            change(user) { $0.isEventLost = true }
        case .closed, .other: break
        }
        return .none
    }

    mutating func count(_ id: ExactString, of client: ExactString) {
        change(client) { if $0.id == id { $0.pollCount += 1 } }
    }

    private mutating func observe(_ request: RequestFact, of client: ExactString) -> Load {
        switch request.restEndpoint {
        case .createMealLog, .createMealLogs, .updateMealLog:
            for log in request.acceptedMealLogs { watch(log.id, of: client, request) }
            return .none
        case .showMealLog, .listMealLogs: break
        case .deleteMealLog:
            if let id = request.pathID { logs[client]?.removeAll { $0.id == id } }
            return .none
        case .deleteUser:
            logs[client] = nil
            return .none
        default: return .none
        }
        let load = classify(request, of: client)
        for log in request.shownMealLogs where log.isFinal { settle(log.id, of: client, at: request.answeredAt) }
        return load
    }

    private mutating func classify(_ request: RequestFact, of client: ExactString) -> Load {
        let id = request.restEndpoint == .showMealLog ? request.pathID : nil
        let asked = logs(of: client).filter { log in (id ?? log.id) == log.id && log.entry.time <= request.requestedAt }
        guard !asked.isEmpty else { return .none }
        let isFree = asked.contains { $0.freeSince.map { request.requestedAt.lag(behind: $0) < Self.grace } ?? false }
        change(client) { log in if (id ?? log.id) == log.id { log.freeSince = nil } }
        return isFree ? .free : .poll(asked)
    }

    private mutating func watch(_ id: ExactString, of client: ExactString, _ request: RequestFact) {
        // What was known before a change of the text is out of date after it.
        let known = settled[Owned(client: client, id: id)]
        if let known, request.restEndpoint != .updateMealLog || known >= request.requestedAt { return }
        var all = logs(of: client).filter { $0.id != id }
        all.append(Log(id: id, client: client, entry: request.entry, freeSince: request.entry.time))
        if all.count > Self.mostLogs { all.removeFirst() }
        logs[client] = all
    }

    private mutating func settle(_ id: ExactString, of client: ExactString, at time: Timestamp) {
        settled[Owned(client: client, id: id)] = time
        guard var all = logs[client], let index = all.firstIndex(where: { $0.id == id }) else { return }
        all.remove(at: index)
        logs[client] = all.isEmpty ? nil : all
    }

    private mutating func change(_ client: ExactString, _ body: (inout Log) -> Void) {
        guard var all = logs[client] else { return }
        for index in all.indices { body(&all[index]) }
        logs[client] = all
    }
}

extension FrameFact {
    /// The meal log whose event was sent but did not arrive completely.
    fileprivate var lostMealLog: ExactString? {
        guard !isDelivered, type?.hasPrefix("meal_log.") == true else { return nil }
        return json?["data"].flatMap { ShownMealLog($0) }?.id
    }
}
