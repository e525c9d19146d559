import FitIQAPI
import Nutrition

/// Photos of meals: what is recognized waits in a session until the user confirms or rejects it; a confirmed one stays.
extension Backend {
    /// Recognizes a meal by the first rule of the script for photos, or makes one up
    /// (`POST /api/v1/meal-logs/photo`).
    ///
    /// - Throws: 507 if the world is full.
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

    /// Returns what was recognized, or throws 404 (`GET /api/v1/meal-logs/photo/{id}`).
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

    /// Makes a completed meal log of the foods that the user confirms (`PATCH /api/v1/meal-logs/photo/{id}/confirm`).
    ///
    /// - Throws: 404; 400 for a second confirmation, and without foods; 507 at the limit of the user's meal logs, or if
    ///   the world is full.
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
