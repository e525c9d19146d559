import FitIQAPI
import JSON
import Traffic

struct NoFetchAfterCompleted: ObligationJudge {
    static let obligation = Obligation(
        id: "meal/no-fetch-after-completed", level: .should, origin: .guides([.mealLogWebSocket]),
        place: "handleMealLogCompleted",
        clause: "The client does not fetch a meal log after the log's meal_log.completed event has arrived.",
        tolerance: "A fetch is allowed once the socket that delivered the event has ended.",
        advice: "Decode the event's data, including items and totals, and store it in the view model; use "
            + "fetchMealLogDetails only if the socket failed.",
        scenarios: ["meal-completes"])
    static let needs: Evidence = .socketEnds

    private struct Event: Sendable {
        let connection: UInt64
        let entry: JournalEntry
    }

    private var completed = Recent<Owned, Event>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .frame(let frame):
            // A fault may have made the response unreadable.
            guard let log = frame.settledMealLog, log.status == "completed", frame.frame.faults.isEmpty,
                let user = scene.sockets[fact.connection]?.user
            else { return }
            let key = Owned(client: user, id: log.id)
            // Each of the user's sockets receives the event, and a fault may repeat it.
            guard completed[key] == nil else { return }
            findings.exercised()
            completed[key] = Event(connection: fact.connection, entry: fact.entry)
        case .request(let request):
            // New text makes the earlier event obsolete.
            for log in request.acceptedMealLogs {
                if let client = request.client { completed[Owned(client: client, id: log.id)] = nil }
            }
            guard request.restEndpoint == .showMealLog, let client = request.client, let id = request.pathID,
                let event = completed[Owned(client: client, id: id)], request.requestedAt >= event.entry.time,
                let socket = scene.sockets[event.connection], !socket.isSilenced
            else { return }
            findings.found(
                Messages.fetchedCompleted(id.text, after: request.requestedAt.nanoseconds(since: event.entry.time)),
                [event.entry, fact.entry])
        case .opened, .closed, .fault, .other: return
        }
    }
}

struct NoPollWhileConnected: ObligationJudge {
    static let obligation = Obligation(
        id: "meal/no-poll-while-connected", level: .should, origin: .guides([.webSocketArchitecture]),
        place: "testing plan", clause: "The client does not poll for a meal log while a socket is open.",
        tolerance:
            "These loads are not polls: one load within 5 s of creating the log, one load of the list after a failed "
            + "creation, and one load within 5 s of opening the socket. The judge also ignores loads after a fault "
            + "has lost the event, and loads while a fault has silenced the socket or the server has stopped reading "
            + "it.",
        advice:
            "Start polling only if the socket is not connected, and cancel the polling task when `connected` arrives.",
        scenarios: ["meal-completes"])
    static let needs: Evidence = .socketEnds

    private var watch = MealWatch()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        let load = watch.observe(fact, in: scene)
        switch fact.kind {
        case .request(let request):
            guard let client = request.client else { return }
            if !request.acceptedMealLogs.isEmpty {
                if Self.connectedSocket(of: client, at: request.answeredAt, in: scene) != nil { findings.exercised() }
                return
            }
            guard case .poll(let logs) = load,
                let socket = Self.connectedSocket(of: client, at: request.requestedAt, in: scene),
                let log = logs.first(where: { !$0.isEventLost })
            else { return }
            findings.found(
                "\(request.title) polled for a meal log although a socket had been open since "
                    + "\(Messages.clock(findings.date(of: socket.openedAt))).",
                [socket.opening, log.entry, fact.entry].sorted { $0.number < $1.number })
        case .frame(let frame):
            guard frame.isConnected, let user = scene.sockets[fact.connection]?.user else { return }
            if !watch.logs(of: user).isEmpty { findings.exercised() }
        case .opened, .closed, .fault, .other: return
        }
    }

    private static func connectedSocket(of client: ExactString, at time: Timestamp, in scene: Scene) -> Scene.Socket? {
        // If the server has stopped reading, the journal may not show that the client left.
        scene.openSockets(of: client).first { !$0.isStalled && ($0.connectedAt.map { $0 <= time } ?? false) }
    }
}

struct PollingCadence: ObligationJudge {
    static let obligation = Obligation(
        id: "meal/polling-cadence", level: .must, origin: .guides([.webSocketArchitecture]), place: "option 1",
        clause:
            "The client polls a meal log, or the list while a log is being processed, at most 12 times and at least "
            + "5 s apart, and stops at the final status.",
        tolerance:
            "Times have a tolerance of 50 ms. One load within 5 s of creating the log, opening a socket or another "
            + "log's final status is not a poll, and neither is a repeat after a failed load. If several logs are "
            + "being processed, each log's polls are counted separately. A load more than 60 s after the previous poll "
            + "is attributed to the user, and so is one load of the list within 5 s of another load. After the final "
            + "status, the client may load a log up to 2 more times, and the list up to 4 more times for each finished "
            + "log, because opening a screen also loads the log or the list. A load is attributed to the user if it "
            + "comes more than 10 s after the final status or the previous load, after another meal, or after a socket "
            + "has opened. Loads that exceed only this limit but are at least 5 s apart violate a should. The judge "
            + "assumes that a list of more than 64 KiB, which the journal truncates, contained the final status.",
        advice:
            "Poll each log every 5 s, at most 12 times, until it is completed or failed. Then leave the loop, show "
            + "the log, and load it at most once more. Stop when the log's view disappears.",
        swiftAdvice: "Use one task per log: for _ in 0..<12 { try await Task.sleep(for: .seconds(5)); … }",
        scenarios: ["meal-never-finishes"])

    static let shortestWait = 5 * Tolerance.second
    static let mostPolls = 12
    /// The longest pause between polls; a load after a longer pause was caused by the user.
    static let longestWait = 60 * Tolerance.second
    /// The longest pause between polls once the client has learned the final status.
    static let longestRest = 10 * Tolerance.second
    /// How often a log may be loaded after its final status: once, plus a poll that was already due.
    static let mostLoads = 2
    /// How often a list may be loaded after the final status; opening a screen also loads the list.
    static let mostListLoads = 4

    private struct Poll: Sendable {
        let entry: JournalEntry
        let requestedAt: Timestamp
        /// When the failed poll that this one repeats was sent or, if there is none, when this one was.
        let dueFrom: Timestamp
        let logCount: Int
        let isTooSoon: Bool
    }

    private var watch = MealWatch()
    /// The latest polls of each target, at most one per log; lists with different filters are different targets.
    private var polls = Recent<Target, [Poll]>(capacity: RecentLimits.fewest)
    /// The failure times of polls that have not been repeated yet.
    private var failures = Recent<Target, Timestamp>(capacity: RecentLimits.fewest)
    /// The number of loads since the final status, and the time of the last load.
    private var rests = Recent<Target, (count: Int, last: Timestamp)>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        let load = watch.observe(fact, in: scene)
        guard case .request(let request) = fact.kind, let client = request.client else { return }
        let target = Target(request, of: client)
        if case .late(let ended) = load { return judgeRest(request, target, ended, client, in: scene, &findings) }
        guard case .poll(let logs) = load else { return }
        rests[target] = nil
        let failedAt = failures[target].flatMap {
            request.requestedAt.nanoseconds(since: $0) < Self.shortestWait ? $0 : nil
        }
        guard request.isReadable else {
            failures[target] = failedAt ?? request.requestedAt
            return
        }
        failures[target] = nil
        findings.exercised()
        let last = polls[target] ?? []
        let isTooSoon = judgeWait(request, last, logs, fact.entry, &findings)
        let dueFrom = failedAt ?? request.requestedAt
        let poll = Poll(
            entry: fact.entry, requestedAt: request.requestedAt, dueFrom: dueFrom, logCount: logs.count,
            isTooSoon: isTooSoon)
        polls[target] = last.suffix(MealWatch.mostLogs - 1) + [poll]

        let isUsers = last.last.map { request.requestedAt.nanoseconds(since: $0.requestedAt) > Self.longestWait }
        // A poll of a list covers several logs. Count the poll towards the log with the fewest polls.
        guard isUsers != true, let log = logs.min(by: { $0.pollCount < $1.pollCount }) else { return }
        watch.count(log.id, of: client)
        if log.pollCount == Self.mostPolls {
            findings.found(
                "The meal log \(log.id.text), accepted at "
                    + "\(Messages.clock(findings.date(of: log.entry.time))), was polled more than 12 times.",
                [log.entry, fact.entry])
        }
    }

    /// Judges a load of logs whose final status the client has already received.
    private mutating func judgeRest(
        _ request: RequestFact, _ target: Target, _ ended: [MealWatch.Ended], _ client: ExactString, in scene: Scene,
        _ findings: inout Findings
    ) {
        // The client has never polled the list, so the user caused this load.
        guard request.isReadable, let end = ended.last, request.endpoint == .showMealLog || polls[target] != nil
        else { return }
        // The count starts again when another log ends.
        let known = rests[target].flatMap { $0.last >= end.entry.time ? $0 : nil }
        let rest = known ?? (count: 0, last: end.entry.time)
        let wait = request.requestedAt.nanoseconds(since: max(rest.last, end.entry.time))
        guard wait <= Self.longestRest else { return watch.forgetEnded(of: client) }
        rests[target] = (rest.count + 1, request.requestedAt)
        // `meal/no-fetch-after-completed` judges requests after a completed event in guides that have it.
        let isOthers = NoFetchAfterCompleted.obligation.applies(in: scene.mode) && end.isCompletedEvent
        let mostLoads = request.endpoint == .showMealLog ? Self.mostLoads : Self.mostListLoads
        guard rest.count == mostLoads * ended.count, !isOthers else { return }
        let isTooSoon = wait < Self.shortestWait - Tolerance.interval
        findings.breached(
            "\(request.title) was sent \(rest.count + 1) times after the final status at "
                + "\(Messages.clock(findings.date(of: end.entry.time))); one load is enough.",
            level: isTooSoon ? .must : .should, [end.entry, request.entry])
    }

    /// Compares a poll with the last poll for the same log; with n logs, that is the n-th most recent poll.
    ///
    /// - Returns: Whether the poll came too soon. The first early load of a list counts as the user reopening a screen.
    private func judgeWait(
        _ request: RequestFact, _ last: [Poll], _ logs: [MealWatch.Log], _ entry: JournalEntry,
        _ findings: inout Findings
    ) -> Bool {
        let recent = last.filter { request.requestedAt.nanoseconds(since: $0.requestedAt) < Self.shortestWait }
        let places = max(logs.count, recent.map(\.logCount).max() ?? 1)
        guard places <= last.count else { return false }
        let before = last[last.count - places]
        let wait = request.requestedAt.nanoseconds(since: before.requestedAt)
        guard wait >= 0, request.requestedAt.nanoseconds(since: before.dueFrom) < Self.shortestWait - Tolerance.interval
        else {
            return false
        }
        guard request.endpoint == .showMealLog || last.last?.isTooSoon == true else { return true }
        findings.found(
            "\(request.title) polled \(Messages.seconds(wait)) after the previous poll; polls must be at least "
                + "5 s apart.", [before.entry, entry])
        return true
    }
}

/// Determines which of a client's requests for meal logs are polls.
///
/// These loads are not polls (`meal/polling-cadence`):
/// - the first load after creating a log
/// - the first load after a socket opened, because the socket may have missed the event
/// - the first load after another log's final status
/// - the repeat of such a load that failed
/// - every load once the client knows the final status.
struct MealWatch: Sendable {
    /// A log whose client has not received the final status yet.
    struct Log: Sendable {
        let id: ExactString
        let client: ExactString
        /// The entry that first showed the log: the 201.
        let entry: JournalEntry
        /// When the client became entitled to a free load, or nil once it has used the free load.
        var freeSince: Timestamp?
        /// Whether the free load failed, in which case repeating it is free too.
        var hasFreeRepeat = false
        /// Whether a later creation failed.
        ///
        /// The client may then load the list once to look for a duplicate.
        ///
        /// The journal does not show when a client gave up on an unanswered creation.
        var mayBeListed = false
        /// Whether the event was sent but not delivered, so that the client must poll.
        var isEventLost = false
        var pollCount = 0
    }

    /// A watched log whose client has received the final status.
    struct Ended: Sendable {
        let id: ExactString
        /// The entry that showed the client the final status.
        let entry: JournalEntry
        let isCompletedEvent: Bool
    }

    enum Load: Sendable {
        /// The request is not about logs that are being processed.
        case none
        case free
        /// A poll for these logs, oldest first; the array is never empty.
        case poll([Log])
        /// A load of these logs after the user's last meal action; the array is never empty.
        case late([Ended])
    }

    /// How soon after an event a load must come to count as "right after" the event.
    static let grace = 5 * Tolerance.second - Tolerance.interval
    /// The maximum number of watched logs per client; beyond the limit, the oldest logs are dropped.
    static let mostLogs = 16

    private var logs = Recent<ExactString, [Log]>()
    /// When the client learned each log's final status; because of a fault, the event may arrive before the 201.
    private var settled = Recent<Owned, Timestamp>()
    private var ended = Recent<ExactString, [Ended]>(capacity: RecentLimits.fewest)

    /// Returns the logs that the client believes are still being processed, oldest first.
    func logs(of client: ExactString) -> [Log] { logs[client] ?? [] }

    mutating func observe(_ fact: Fact, in scene: Scene) -> Load {
        switch fact.kind {
        case .request(let request):
            guard let client = request.client else { return .none }
            return observe(request, of: client)
        case .opened(let opening):
            guard let user = opening.user else { return .none }
            ended[user] = nil
            change(user) { $0.freeSince = fact.time }
        case .frame(let frame):
            guard let user = scene.sockets[fact.connection]?.user else { return .none }
            if let log = frame.settledMealLog {
                settle(log, of: user, fact.entry, isEvent: true)
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
        if request.method != .get { ended[client] = nil }
        switch request.restEndpoint {
        case .createMealLog, .createMealLogs, .updateMealLog:
            for log in request.acceptedMealLogs { watch(log.id, of: client, request) }
            // After a failed creation, a client may load the list to check for a duplicate.
            if RetryBackoff.failure(of: request) != nil { change(client) { $0.mayBeListed = true } }
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
        for log in request.shownMealLogs where log.isFinal { settle(log, of: client, request.entry) }
        if request.isSuccess, request.exchange.responseBody.isCut {
            // The client may have read the final status in a part of the response that the journal dropped.
            logs[client]?.removeAll { request.restEndpoint == .listMealLogs || $0.id == request.pathID }
        }
        return load
    }

    private mutating func classify(_ request: RequestFact, of client: ExactString) -> Load {
        let id = request.restEndpoint == .showMealLog ? request.pathID : nil
        let asked = logs(of: client).filter { log in (id ?? log.id) == log.id && log.entry.time <= request.requestedAt }
        guard !asked.isEmpty else {
            let ended = (ended[client] ?? []).filter { (id ?? $0.id) == $0.id && $0.entry.time <= request.requestedAt }
            return ended.isEmpty ? .none : .late(ended)
        }
        let isFree = asked.contains { log in
            log.hasFreeRepeat || id == nil && log.mayBeListed
                || log.freeSince.map { request.requestedAt.nanoseconds(since: $0) < Self.grace } ?? false
        }
        change(client) { log in
            if (id ?? log.id) == log.id { (log.freeSince, log.hasFreeRepeat) = (nil, isFree && !request.isReadable) }
            if id == nil { log.mayBeListed = false }
        }
        return isFree ? .free : .poll(asked)
    }

    private mutating func watch(_ id: ExactString, of client: ExactString, _ request: RequestFact) {
        // New text makes earlier results obsolete.
        let known = settled[Owned(client: client, id: id)]
        if let known, request.restEndpoint != .updateMealLog || known >= request.requestedAt { return }
        var all = logs(of: client).filter { $0.id != id }
        all.append(Log(id: id, client: client, entry: request.entry, freeSince: request.entry.time))
        if all.count > Self.mostLogs { all.removeFirst() }
        logs[client] = all
    }

    private mutating func settle(
        _ log: ShownMealLog, of client: ExactString, _ entry: JournalEntry, isEvent: Bool = false
    ) {
        settled[Owned(client: client, id: log.id)] = entry.time
        guard var all = logs[client], let index = all.firstIndex(where: { $0.id == log.id }) else { return }
        all.remove(at: index)
        // The free load may load the list, which also covers logs that are still being processed.
        for index in all.indices { all[index].freeSince = entry.time }
        logs[client] = all.isEmpty ? nil : all
        let last = Ended(id: log.id, entry: entry, isCompletedEvent: isEvent && log.status == "completed")
        ended[client] = (ended[client] ?? []).suffix(Self.mostLogs - 1) + [last]
    }

    mutating func forgetEnded(of client: ExactString) { ended[client] = nil }

    private mutating func change(_ client: ExactString, _ body: (inout Log) -> Void) {
        guard var all = logs[client] else { return }
        for index in all.indices { body(&all[index]) }
        logs[client] = all
    }
}

extension RequestFact {
    /// Whether the client could read the response, even if the journal truncated it.
    fileprivate var isReadable: Bool { isSuccess && (answer != nil || exchange.responseBody.isCut) }
}

extension FrameFact {
    /// The meal log whose event was sent but did not arrive completely.
    fileprivate var lostMealLog: ExactString? {
        guard !isDelivered, type?.hasPrefix("meal_log.") == true else { return nil }
        return json?["data"].flatMap { ShownMealLog($0) }?.id
    }
}
