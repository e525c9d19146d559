import FitIQAPI

/// Meal logs: each command returns the body of its success; the outcome goes to the user's sockets (CONTRACT: meal logs).
extension Backend {
    /// Creates a meal log, whose processing starts now (`POST /api/v1/meal-logs/natural`).
    ///
    /// - Throws: 507 at the limit of the user's meal logs, or where the world is full.
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
        let record = MealLogRecord(log, owner: user, form: mealLogForm)
        let position = mealLogs.count
        mealLogs.append(record)
        mealLogPositions[log.id] = position
        users[user].mealLogs.insert(position, at: placeInList(of: log, of: user))
        storedBytes += record.byteCount
        process(position, from: turn.now, at: turn.now)
        return record.body
    }

    /// Begins to work out a meal log, by the first rule of the script that fits or as the built-in parser does.
    ///
    /// What would have ended before now, as in a world that is planted, ends now.
    mutating func process(_ position: Int, from start: Timestamp, at now: Timestamp) {
        let log = mealLogs[position].log
        let rule = script.meal(log.rawInput, mealType: log.mealType)
        mealLogs[position].outcome = rule?.outcome ?? .parsed
        // What never ends is never due.
        guard rule?.outcome != .never else { return }
        let duration = MealProcessing.duration(by: rule, at: configuration.pace, seed: log.id.seed)
        schedule.insert(
            ScheduledStep(time: max(now, start.advanced(byNanoseconds: duration)), position: position, work: .mealLog))
    }

    /// Shows a meal log (`GET /api/v1/meal-logs/{id}`).
    ///
    /// - Throws: 404.
    public func mealLog(_ id: String, for user: UserID) throws(APIError) -> [UInt8] {
        guard let resource = ResourceID(id), let position = mealLogPositions[resource],
            mealLogs[position].owner == user
        else { throw .unknownMealLog(id) }
        return mealLogs[position].body
    }

    /// Lists meal logs, newest `logged_at` first, then newest created first (`GET /api/v1/meal-logs`).
    public func mealLogs(_ query: MealLogListQuery, for user: UserID) -> [UInt8] {
        let matching = users[user].mealLogs.reversed().filter { query.matches(mealLogs[$0].log) }
        let objects = matching[query.page.range(of: matching.count)].map { mealLogs[$0].listItem }
        return MealLog.listBody(objects, page: query.page, total: matching.count)
    }

    /// Ends the processing of a meal log and tells every open socket of its user, whatever the consultation.
    mutating func finishMealLog(_ position: Int, _ turn: inout Turn) {
        let outcome = outcome(of: mealLogs[position], at: turn.now)
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

    /// All open sockets of a user, consultation by consultation: one that is not active has none.
    private func openSockets(of user: UserID) -> [SocketID] {
        users[user].active.values.sorted().flatMap { consultations[$0].sockets }
    }

    private func outcome(of record: MealLogRecord, at now: Timestamp) -> MealLog.Progress {
        // Asked again: between the 201 and now thousands of other logs may have been completed.
        guard storedBytes < storageRoom.bytes else { return .failed(.storeFull(limit: storageRoom.limit), at: now) }
        return MealProcessing.outcome(record.outcome, of: record.log, at: now)
    }

    private var mealLogForm: GuideMode { configuration.mode.form(of: .showMealLog) }

    /// Where a new log belongs among the user's, which are in the order of `loggedAt`; behind those of the same time.
    private func placeInList(of log: MealLog, of user: UserID) -> Int {
        let positions = users[user].mealLogs
        var range = 0..<positions.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if mealLogs[positions[middle]].log.loggedAt <= log.loggedAt {
                range = (middle + 1)..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }
}

extension Backend {
    /// How many meal logs exist, in any status.
    public var mealLogCount: Int { mealLogs.count }
}
