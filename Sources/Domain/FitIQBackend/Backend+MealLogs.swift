import FitIQAPI
import JSON
import Nutrition

/// The commands of meal logs; each returns the body of its success, and the outcome goes to the user's sockets.
extension Backend {
    /// Creates a meal log and starts its processing (`POST /api/v1/meal-logs/natural`).
    ///
    /// - Throws: 507 at the limit of the user's meal logs, or if the world is full.
    public mutating func createMealLog(
        _ request: CreateMealLogRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        let limits = configuration.limits
        guard users[user].mealLogs.count < limits.mealLogs else {
            throw .storeFull("meal logs of this user", limit: limits.mealLogs)
        }
        try checkStorage()

        let log = MealLog(
            id: turn.identifiers.next(), userID: users[user].id, rawInput: request.rawInput,
            mealType: request.mealType, loggedAt: request.loggedAt ?? DateTime(turn.now), createdAt: turn.now)
        let position = insert(log, of: user, at: placeInList(of: log, of: user))
        process(position, from: turn.now, at: turn.now)
        return mealLogs[position].body
    }

    /// Adds a log to the lists of the world and, at a place, of its user, and returns its position.
    mutating func insert(_ log: MealLog, of user: UserID, at place: Int) -> Int {
        let record = MealLogRecord(log, owner: user, form: mealLogForm)
        let position = mealLogs.append(record)
        mealLogPositions[log.id] = position
        users[user].mealLogs.insert(position, at: place)
        storedBytes += record.byteCount
        return position
    }

    /// Starts processing a meal log, by the first matching rule of the script or with the built-in parser.
    ///
    /// Processing that would have ended before now, as in a planted world, ends now.
    mutating func process(_ position: Int, from start: Timestamp, at now: Timestamp) {
        let log = mealLogs[position].log
        let rule = script.meal(log.rawInput, mealType: log.mealType)
        mealLogs[position].outcome = rule?.outcome ?? .parsed
        // Endless processing is never due.
        guard rule?.outcome != .never else { return }
        let duration = MealProcessing.duration(by: rule, at: configuration.pace, seed: log.id.seed)
        schedule.insert(
            ScheduledStep(time: max(now, start.advanced(byNanoseconds: duration)), position: position, work: .mealLog))
    }

    /// Returns a meal log (`GET /api/v1/meal-logs/{id}`), or throws 404.
    public func mealLog(_ id: String, for user: UserID) throws(APIError) -> [UInt8] {
        mealLogs[try mealLogPosition(of: id, ownedBy: user)].body
    }

    /// The position of this user's meal log; throws 404 for another user's, as if it did not exist.
    func mealLogPosition(of id: String, ownedBy user: UserID) throws(APIError) -> Int {
        guard let resource = resource(id), let position = mealLogPositions[resource], mealLogs[position].owner == user
        else { throw .unknownMealLog(id) }
        return position
    }

    /// Lists meal logs, newest `logged_at` first, then newest created first (`GET /api/v1/meal-logs`).
    public func mealLogs(_ query: MealLogListQuery, for user: UserID) -> [UInt8] {
        let matching = users[user].mealLogs.reversed().filter { query.matches(mealLogs[$0].log) }
        let objects = matching[query.page.range(of: matching.count)].map { mealLogs[$0].listItem }
        return MealLog.listBody(
            objects, page: query.page, total: matching.count, isForApps: configuration.mode.servesApps)
    }

    /// Ends the processing of a meal log and notifies every open socket of its user.
    mutating func finishMealLog(_ position: Int, _ turn: inout Turn) {
        // The room is checked again: thousands of other logs may have been completed since the 201.
        let outcome =
            storedBytes < storageRoom.bytes
            ? MealProcessing.outcome(mealLogs[position].outcome, of: mealLogs[position].log, at: turn.now)
            : .failed(.storeFull(limit: storageRoom.limit), at: turn.now)
        storedBytes -= mealLogs[position].byteCount
        mealLogs[position].finish(outcome, form: mealLogForm)
        storedBytes += mealLogs[position].byteCount

        let sockets = openSockets(of: mealLogs[position].owner)
        guard !sockets.isEmpty else { return }
        guard let frame = MealLogEvent.frame(of: mealLogs[position].log, in: configuration.mode) else {
            preconditionFailure("Processing ended without an outcome.")
        }
        for socket in sockets { turn.effects.append(.send(socket, frame)) }
    }

    /// All open sockets of a user: by consultation, of which inactive ones have none, then that of the meals.
    private func openSockets(of user: UserID) -> [SocketID] {
        let chats = users[user].active.sorted().flatMap { consultations[$0].sockets }
        return mealSockets[user]?.open.map { chats + [$0] } ?? chats
    }

    private var mealLogForm: GuideMode { configuration.mode.form(of: .showMealLog) }

    /// The index of a new log among the user's, which are sorted by `loggedAt`; it goes after equal times.
    private func placeInList(of log: MealLog, of user: UserID) -> Int {
        let positions = users[user].mealLogs
        var range = 0..<positions.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let isBefore = mealLogs[positions[middle]].log.loggedAt <= log.loggedAt
            range = isBefore ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

/// A meal log and its JSON, which is encoded when the log changes, not when it is read.
package struct MealLogRecord: Sendable {
    let owner: UserID
    package private(set) var log: MealLog
    /// The outcome of processing, from the script at the start.
    var outcome = MealRule.Outcome.parsed
    /// The list item in the form of the union.
    private(set) var listItem: [UInt8] = []
    /// The body of the endpoints that return this log.
    private(set) var body: [UInt8] = []

    init(_ log: MealLog, owner: UserID, form: GuideMode) {
        (self.log, self.owner) = (log, owner)
        encode(in: form)
    }

    package var byteCount: Int { listItem.count + body.count }

    mutating func finish(_ progress: MealLog.Progress, form: GuideMode) {
        log.progress = progress
        encode(in: form)
    }

    private mutating func encode(in form: GuideMode) {
        listItem = log.object(in: .union)
        body = MealLog.body(of: form == .union ? listItem : log.object(in: form), in: form)
    }
}

/// The duration and the outcome of processing a meal.
enum MealProcessing {
    /// The processing time in nanoseconds: by the rule, or else 2.0 to 4.5 s; 0 at the instant pace, with any rule.
    ///
    /// A pure function: the same log takes the same time in every run. A guide's test checks after 5 s.
    static func duration(by rule: MealRule? = nil, at pace: Pace, seed: UInt64) -> Int64 {
        if pace == .instant { return 0 }
        if let duration = rule?.duration { return duration }
        var numbers = SplitMix64(seed: seed)
        return 2_000_000_000 + Int64(numbers.next(below: 2_500_000_001))
    }

    static func outcome(_ outcome: MealRule.Outcome, of log: MealLog, at time: Timestamp) -> MealLog.Progress {
        switch outcome {
        case .parsed: return self.outcome(of: MealParser.parse(log.rawInput), for: log.id, at: time)
        case .completed(let items):
            var identifiers = ResourceIDSequence(seed: log.id.seed)
            return .completed(items.map { MealLogItem($0, id: identifiers.next()) }, at: time)
        case .failed(let message, let details):
            return .failed(MealLogFailure(message: message, details: details), at: time)
        case .never: preconditionFailure("What never ends is never due.")
        }
    }

    /// The outcome of the built-in parser.
    ///
    /// The items' ids derive from the log's. Ids from the world's sequence would make later ids depend on when a
    /// client's next request happens to arrive.
    static func outcome(of meal: ParsedMeal, for log: ResourceID, at time: Timestamp) -> MealLog.Progress {
        guard !meal.isTruncated else { return .failed(.tooManyFoods(limit: MealParser.maximumItems), at: time) }
        guard !meal.items.isEmpty else { return .failed(.noFood, at: time) }
        var identifiers = ResourceIDSequence(seed: log.seed)
        return .completed(meal.items.map { MealLogItem($0, id: identifiers.next()) }, at: time)
    }

    /// The id of a food: the same in every log and world, so clients can keep what they know about it.
    static func foodID(ofKey key: String) -> ResourceID {
        // FNV-1a spreads the key over 64 bits; the sequence turns them into 128.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        var identifiers = ResourceIDSequence(seed: hash)
        return identifiers.next()
    }
}

extension MealLogItem {
    init(_ item: MealItem, id: ResourceID) {
        self.init(
            id: id, foodID: MealProcessing.foodID(ofKey: item.foodKey), name: item.name, quantity: item.quantity,
            unit: item.unit, amountText: item.amountText, nutrients: item.nutrients,
            confidence: item.confidence, notes: item.notes)
    }
}
