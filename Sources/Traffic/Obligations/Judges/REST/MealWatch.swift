import FitIQAPI
import JSON
import Recording

/// What a client does about its meal logs while they are processed: which of its requests are polls.
///
/// One load right after creating is none, nor is one right after a socket opened, which may have come too late for the event;
/// nor is anything that is loaded once the client knows the final status (CONTRACT section 9, `meal/polling-cadence`).
struct MealWatch: Sendable {
    /// A log whose final status its client does not know yet.
    struct Log: Sendable {
        let id: ExactString
        let client: ExactString
        /// The entry that showed it first: the 201.
        let entry: JournalEntry
        /// Since when one load is no poll, for a while; nil once it is used up.
        var freeSince: Timestamp?
        /// Whether its event was sent and did not arrive: then there is nothing but polling.
        var isEventLost = false
        /// How often it was polled.
        var pollCount = 0
    }

    /// What a request is.
    enum Load: Sendable {
        /// It has nothing to do with logs that are processed.
        case none
        /// A load that is no poll.
        case free
        /// A poll for these logs, which are never none; oldest first.
        case poll([Log])
    }

    /// How long "right after" is.
    static let grace = 5 * Tolerance.second - Tolerance.interval
    /// The most logs of a client that are watched at once; of more the oldest are let go.
    static let mostLogs = 16

    private var logs = Recent<ExactString, [Log]>()
    /// The logs whose final status the client knows: a fault may let the event overtake the 201.
    private var settled = Recent<Owned, Bool>()

    /// The logs of a client that are processed, as far as it knows; oldest first.
    func logs(of client: ExactString) -> [Log] { logs[client] ?? [] }

    /// Takes the next fact, and says what kind of load it is.
    mutating func observe(_ fact: Fact, in scene: Scene) -> Load {
        switch fact.kind {
        case .request(let request):
            guard let client = request.client else { return .none }
            return observe(request, of: client, fact.entry)
        case .opened(let opening):
            guard let user = opening.opening.user else { return .none }
            change(user) { $0.freeSince = fact.time }
        case .frame(let frame):
            guard let user = scene.sockets[fact.connection]?.user else { return .none }
            if let log = frame.settledMealLog {
                settle(log.id, of: user)
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

    /// Counts a poll for a log.
    mutating func count(_ id: ExactString, of client: ExactString) {
        change(client) { if $0.id == id { $0.pollCount += 1 } }
    }

    private mutating func observe(_ request: RequestFact, of client: ExactString, _ entry: JournalEntry) -> Load {
        switch request.restEndpoint {
        case .createMealLog:
            for log in request.shownMealLogs where !log.isFinal { watch(log.id, of: client, entry) }
            return .none
        case .showMealLog, .listMealLogs: break
        default: return .none
        }
        let load = classify(request, of: client)
        for log in request.shownMealLogs where log.isFinal { settle(log.id, of: client) }
        return load
    }

    private mutating func classify(_ request: RequestFact, of client: ExactString) -> Load {
        let id = request.restEndpoint == .showMealLog ? request.pathID : nil
        let asked = logs(of: client).filter { log in
            (id ?? log.id) == log.id && log.entry.time <= request.requestedAt
        }
        guard !asked.isEmpty else { return .none }
        let isFree = asked.contains { $0.freeSince.map { request.requestedAt.lag(behind: $0) < Self.grace } ?? false }
        change(client) { log in
            if (id ?? log.id) == log.id { log.freeSince = nil }
        }
        return isFree ? .free : .poll(asked)
    }

    private mutating func watch(_ id: ExactString, of client: ExactString, _ entry: JournalEntry) {
        guard settled[Owned(client: client, id: id)] == nil else { return }
        var all = logs(of: client)
        all.append(Log(id: id, client: client, entry: entry, freeSince: entry.time))
        if all.count > Self.mostLogs { all.removeFirst() }
        logs[client] = all
    }

    private mutating func settle(_ id: ExactString, of client: ExactString) {
        settled[Owned(client: client, id: id)] = true
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
    /// The meal log whose event was sent and did not arrive whole.
    fileprivate var lostMealLog: ExactString? {
        guard !isDelivered, type?.hasPrefix("meal_log.") == true else { return nil }
        return json?["data"].flatMap { ShownMealLog($0) }?.id
    }
}
