import FitIQAPI
import JSON
import Nutrition

/// The meal log commands; each returns the body of its success response, and the outcome is sent to the user's sockets.
extension Backend {
    /// Creates a meal log and starts its processing (`POST /api/v1/meal-logs/natural`).
    ///
    /// - Throws: A 507 at the limit on the user's meal logs, or if the world is full.
    public mutating func createMealLog(
        _ request: CreateMealLogRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        try checkRoom(for: 1, of: user)
        return mealLogs[add(request, by: user, &turn)].body
    }

    /// Creates all meal logs in a batch or none; a single log may have user-entered foods
    /// (`POST /api/v1/meal-logs/batch`).
    ///
    /// - Throws: The same errors as for a single log.
    public mutating func createMealLogs(
        _ request: CreateMealLogsRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        try checkRoom(for: request.mealLogs.count, of: user)
        let positions = request.mealLogs.map { add($0, by: user, &turn) }
        return request.isManual
            ? mealLogs[positions[0]].body : MealLog.batchBody(positions.map { mealLogs[$0].listItem })
    }

    func checkRoom(for count: Int, of user: UserID) throws(APIError) {
        let limit = configuration.limits.mealLogs
        guard users[user].mealLogs.count + count <= limit else {
            throw .storeFull("meal logs for this user", limit: limit)
        }
        try checkStorage()
    }

    private mutating func add(_ request: CreateMealLogRequest, by user: UserID, _ turn: inout Turn) -> Int {
        var log = MealLog(
            id: turn.identifiers.next(), userID: users[user].id, rawInput: request.rawInput,
            mealType: request.mealType, loggedAt: request.loggedAt ?? DateTime(turn.date), createdAt: turn.date)
        if !request.items.isEmpty {
            (log.isManual, log.notes) = (true, request.notes)
            log.progress = MealProcessing.completed(request.items, seed: log.seed, at: turn.date)
        }
        let position = insert(log, of: user)
        if log.status == .processing { process(position, from: turn.now, at: turn.now) }
        return position
    }

    /// Changes a meal log; new text without foods is processed again (`PUT /api/v1/meal-logs/{id}`).
    ///
    /// - Throws: A 404; a 400 for foods if the log has none; a 507 if the world is full and the request has text or
    ///   foods.
    public mutating func updateMealLog(
        _ id: String, _ request: UpdateMealLogRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        let position = try mealLogPosition(of: id, ownedBy: user)
        let old = mealLogs[position].log
        var log = old
        request.apply(to: &log)
        if let items = request.items {
            guard case .completed = old.progress else { throw .foodsNotReplaceable(old.status) }
            // The new foods get new ids.
            let seed = turn.identifiers.next().seed
            log.progress = MealProcessing.completed(items, seed: seed, at: turn.date)
        }
        let isReworded = request.items == nil && !log.rawInput.isExactly(old.rawInput)
        guard isReworded || log != old else { return mealLogs[position].body }
        if request.items != nil || request.rawInput ?? request.notes != nil { try checkStorage() }
        log.changedAt = turn.date
        if isReworded { (log.startedAt, log.progress, log.isManual) = (turn.date, .processing, false) }
        change(position) { $0 = log }
        if isReworded { process(position, from: turn.now, at: turn.now) }
        return mealLogs[position].body
    }

    private mutating func change(_ position: Int, _ body: (inout MealLog) -> Void) {
        storedBytes -= mealLogs[position].byteCount
        list(mealLog: position, isListed: false)
        mealLogs[position].change(in: configuration.mode, body)
        list(mealLog: position)
        storedBytes += mealLogs[position].byteCount
    }

    /// Adds a log to the lists of the world and its user, and returns its position.
    mutating func insert(_ log: MealLog, of user: UserID) -> Int {
        let position = mealLogs.append(MealLogRecord(log, owner: user, in: configuration.mode))
        list(mealLog: position)
        storedBytes += mealLogs[position].byteCount
        return position
    }

    /// Adds a log to its user's list, or removes it before a change.
    mutating func list(mealLog position: Int, isListed: Bool = true) {
        let (owner, kind) = (mealLogs[position].owner, mealLogs[position].log.kind)
        users[owner].mealLogs.list(position, kind, isListed: isListed, in: mealLogs.isLoggedBefore)
    }

    /// Starts processing a meal log, using the script's first matching rule or the built-in parser.
    ///
    /// If processing should already have ended, as in a seeded world, it ends now.
    mutating func process(_ position: Int, from start: Timestamp, at now: Timestamp) {
        let log = mealLogs[position].log
        let rule = script.meal(log.rawInput, mealType: log.mealType)
        mealLogs[position].outcome = rule?.outcome ?? .parsed
        // Endless processing has no due time.
        mealLogs[position].dueAt = nil
        guard rule?.outcome != .never else { return }
        let duration = MealProcessing.duration(by: rule, at: configuration.pace, seed: log.seed)
        let time = max(now, start.advanced(byNanoseconds: duration))
        mealLogs[position].dueAt = time
        schedule.insert(ScheduledStep(time: time, position: position, work: .mealLog))
    }

    /// Returns a meal log (`GET /api/v1/meal-logs/{id}`), or throws 404.
    public func mealLog(_ id: String, for user: UserID) throws(APIError) -> [UInt8] {
        mealLogs[try mealLogPosition(of: id, ownedBy: user)].body
    }

    /// The position of this user's meal log; throws 404 for other users' logs and unknown ids.
    func mealLogPosition(of id: String, ownedBy user: UserID) throws(APIError) -> Int {
        guard let resource = resource(id), let position = mealLogs.position(of: resource),
            mealLogs[position].owner == user
        else { throw .unknownMealLog(id) }
        return position
    }

    /// Lists meal logs, newest `logged_at` first, then newest created first (`GET /api/v1/meal-logs`).
    public func mealLogs(_ query: MealLogListQuery, for user: UserID) -> Deferred<[UInt8]> {
        let runs = users[user].mealLogs.runs(of: query.matches).map { run in
            let first = query.start.map { start in run.partition { mealLogs[$0].log.loggedAt < start } }
            let end = query.end.map { end in run.partition { mealLogs[$0].log.loggedAt <= end } }
            return run[(first ?? run.startIndex)..<max(first ?? run.startIndex, end ?? run.endIndex)]
        }
        let (page, total) = query.page.positions(in: runs, mealLogs.isLoggedBefore)
        let (items, isForApps) = (page.map { mealLogs[$0].listItem }, configuration.mode.servesApps)
        return Deferred(copying: items.reduce(0) { $0 + $1.count }) {
            MealLog.listBody(items, page: query.page, total: total, isForApps: isForApps)
        }
    }

    /// Ends the processing of a meal log and notifies every open socket of its user.
    mutating func finishMealLog(_ position: Int, _ turn: inout Turn) {
        mealLogs[position].dueAt = nil
        // Check storage again: other logs may have filled it since the 201.
        let outcome =
            storedBytes < storageRoom.bytes
            ? MealProcessing.outcome(mealLogs[position].outcome, of: mealLogs[position].log, at: turn.date)
            : .failed(.storeFull(limit: storageRoom.limit), at: turn.date)
        finish(position, outcome, &turn)
    }

    /// Stores the outcome of a meal log and notifies every open socket of its user, in any consultation.
    mutating func finish(_ position: Int, _ outcome: MealLog.Progress, _ turn: inout Turn) {
        change(position) { $0.progress = outcome }
        let sockets = openSockets(of: mealLogs[position].owner)
        guard !sockets.isEmpty else { return }
        guard let frame = MealLogEvent.frame(of: mealLogs[position].log, in: configuration.mode) else {
            preconditionFailure("Processing must end with an outcome.")
        }
        for socket in sockets { turn.effects.append(.send(socket, frame)) }
    }

    /// All open sockets of a user: the consultations' sockets, then the meal socket.
    private func openSockets(of user: UserID) -> [SocketID] {
        let chats = users[user].active.sorted().flatMap { consultations[$0].sockets }
        return mealSockets[user]?.open.map { chats + [$0] } ?? chats
    }
}

extension Shelf<MealLogRecord> {
    fileprivate func isLoggedBefore(_ left: Int, _ right: Int) -> Bool {
        (self[left].log.loggedAt, left) < (self[right].log.loggedAt, right)
    }
}

/// A meal log and its JSON, which is re-encoded whenever the log changes.
package struct MealLogRecord: Identifiable, Sendable {
    let owner: UserID
    package private(set) var log: MealLog
    package var id: ResourceID { log.id }
    /// The outcome of processing, determined by the script at the start.
    var outcome = MealRule.Outcome.parsed
    /// When processing ends; nil if it has ended or never ends.
    var dueAt: Timestamp?
    /// The list item in the union's form.
    private(set) var listItem: [UInt8] = []
    /// The body of the endpoints that return this log.
    private(set) var body: [UInt8] = []

    init(_ log: MealLog, owner: UserID, in mode: GuideMode) {
        (self.log, self.owner) = (log, owner)
        encode(in: mode)
    }

    package var byteCount: Int { listItem.count + body.count }

    mutating func change(in mode: GuideMode, _ body: (inout MealLog) -> Void) {
        body(&log)
        encode(in: mode)
    }

    private mutating func encode(in mode: GuideMode) {
        if !mode.servesApps {
            // Otherwise, exports would contain an uncounted member that appears in no response.
            log.notes = nil
            if case .failed(var failure, let time) = log.progress {
                failure.suggestions = []
                log.progress = .failed(failure, at: time)
            }
        }
        let form = mode.form(of: .showMealLog)
        listItem = log.object(in: .union, isForApps: mode.servesApps)
        body = log.body(of: listItem, in: form)
    }
}

enum MealProcessing {
    /// The processing time in nanoseconds: the rule's, or 2.0 to 4.5 s; always 0 at the instant pace.
    ///
    /// A pure function, so a log takes the same time in every run. A guide's test checks after 5 s.
    static func duration(by rule: MealRule? = nil, at pace: Pace, seed: UInt64) -> Int64 {
        if pace == .instant { return 0 }
        if let duration = rule?.duration { return duration }
        var numbers = SplitMix64(seed: seed)
        return 2_000_000_000 + Int64(numbers.next(below: 2_500_000_001))
    }

    static func outcome(_ outcome: MealRule.Outcome, of log: MealLog, at time: Timestamp) -> MealLog.Progress {
        switch outcome {
        case .parsed: self.outcome(of: MealParser.parse(log.rawInput), seed: log.seed, at: time)
        case .completed(let items): completed(items, seed: log.seed, at: time)
        case .failed(let failure): .failed(failure, at: time)
        case .never: preconditionFailure("Processing that never ends must not have a due time.")
        }
    }

    static func outcome(of meal: ParsedMeal, seed: UInt64, at time: Timestamp) -> MealLog.Progress {
        guard !meal.isTruncated else { return .failed(.tooManyFoods(limit: MealParser.maximumItems), at: time) }
        return meal.items.isEmpty ? .failed(.noFood, at: time) : completed(meal.items, seed: seed, at: time)
    }

    /// The foods as log items.
    ///
    /// The items' ids derive from the log's id. If the ids came from the world's sequence, later ids would depend on
    /// when the next request arrives.
    static func completed(_ foods: [MealItem], seed: UInt64, at time: Timestamp) -> MealLog.Progress {
        var (items, identifiers) = (foods, ResourceIDSequence(seed: seed))
        for index in items.indices {
            items[index].id = identifiers.next()
            items[index].foodType =
                items[index].foodType ?? MealParser.parse(items[index].name).items.first?.foodType ?? .food
        }
        return .completed(items, at: time)
    }
}

extension MealLog {
    /// The seed for the duration and the items' ids; it changes each time the text is processed.
    var seed: UInt64 {
        id.seed &+ UInt64(bitPattern: startedAt.nanosecondsSinceEpoch &- createdAt.nanosecondsSinceEpoch)
    }
}

/// Meal photos: recognized foods wait in a session until the user confirms or rejects them. A confirmed session is
/// kept.
extension Backend {
    /// Recognizes a meal with the script's first rule for photos, or generates one (`POST /api/v1/meal-logs/photo`).
    ///
    /// - Throws: A 507 if the world is full.
    public mutating func recognizeMealPhoto(
        _ request: MealPhotoRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        try checkStorage()
        let id = turn.identifiers.next()
        var numbers = SplitMix64(seed: id.seed)
        var log = MealLog(
            id: id, userID: users[user].id, rawInput: MealParser.madeUp(&numbers), mealType: request.mealType,
            loggedAt: request.loggedAt ?? DateTime(turn.date), createdAt: turn.date)
        let outcome = script.meal(nil, mealType: log.mealType)?.outcome ?? .parsed
        log.progress = MealProcessing.outcome(outcome, of: log, at: turn.date)
        (log.rawInput, log.notes) = (log.items.words, request.notes)
        let photo = MealPhoto(log)
        if users[user].photos.count >= configuration.limits.photos {
            removePhoto(at: users[user].photos.firstIndex { $0.mealLogID != nil } ?? 0, of: user)
        }
        insert(photo, of: user)
        return photo.body
    }

    mutating func insert(_ photo: MealPhoto, of user: UserID) {
        users[user].photos.append(photo)
        storedBytes += photo.byteCount
    }

    private mutating func removePhoto(at index: Int, of user: UserID) {
        storedBytes -= users[user].photos.remove(at: index).byteCount
    }

    /// Returns the recognized foods, or throws 404 (`GET /api/v1/meal-logs/photo/{id}`).
    public func mealPhoto(_ id: String, for user: UserID) throws(APIError) -> [UInt8] {
        users[user].photos[try photoIndex(id, of: user)].body
    }

    private func photoIndex(_ id: String, of user: UserID) throws(APIError) -> Int {
        guard let resource = resource(id), let index = users[user].photos.firstIndex(where: { $0.log.id == resource })
        else { throw .unknownMealPhoto(id) }
        return index
    }

    /// Ends a session, or throws 404 (`DELETE /api/v1/meal-logs/photo/{id}`).
    public mutating func deleteMealPhoto(_ id: String, by user: UserID) throws(APIError) {
        removePhoto(at: try photoIndex(id, of: user), of: user)
    }

    /// Creates a completed meal log from the foods that the user confirms (`PATCH
    /// /api/v1/meal-logs/photo/{id}/confirm`).
    ///
    /// - Throws: A 404; a 400 for a second confirmation or missing foods; a 507 at the limit on the user's meal logs or
    ///   if the world is full.
    public mutating func confirmMealPhoto(
        _ id: String, _ request: ConfirmMealPhotoRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        let index = try photoIndex(id, of: user)
        let photo = users[user].photos[index]
        var session = photo.log
        if let mealLog = photo.mealLogID { throw .confirmedMealPhoto(session.id, as: mealLog) }
        let items = request.items.isEmpty ? session.items : request.items
        guard !items.isEmpty else { throw .nothingRecognized }
        try checkRoom(for: 1, of: user)
        var log = MealLog(
            id: turn.identifiers.next(), userID: session.userID, rawInput: items.words,
            mealType: session.mealType, loggedAt: session.loggedAt, createdAt: turn.date)
        log.notes = request.notes ?? session.notes
        session.changedAt = turn.date
        users[user].photos[index] = MealPhoto(session, confirmedAs: log.id)
        storedBytes += users[user].photos[index].byteCount - photo.byteCount
        let position = insert(log, of: user)
        finish(position, MealProcessing.outcome(.completed(items), of: log, at: turn.date), &turn)
        return photo.body(confirmedAs: mealLogs[position].log)
    }
}
