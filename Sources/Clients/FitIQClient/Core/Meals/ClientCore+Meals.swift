import FitIQAPI
import JSON

struct FollowedMeal: Sendable {
    let number: Int
    let loggedAt: Timestamp
    var meal: ClientState.Meal
    var stage = Stage.creating

    enum Stage: Sendable, Hashable {
        case creating
        /// The request got no usable response; the client searches the list for meals from this time on.
        case searching(Timestamp)
        case following(Following)
        /// No more updates are expected.
        case settled
    }

    /// How the client waits for the result of a meal.
    struct Following: Sendable, Hashable {
        /// When to load the meal next, or nil while waiting for its event.
        var nextLook: Timestamp?
        var end: Timestamp
        var pollCount = 0
        var failureCount = 0
        var lastLook: Timestamp?
        /// Whether the next load does not count as a poll and is therefore allowed while a socket is open.
        var isFree = false
    }

    var isBusy: Bool { stage != .settled }

    mutating func take(_ news: MealNews) {
        meal.id = news.id
        meal.status = news.status
        meal.calories = news.calories ?? meal.calories
        meal.protein = news.protein ?? meal.protein
        meal.items = news.items ?? meal.items
        if news.status == .failed { meal.error = news.error ?? ClientMessages.mealFailed }
        if news.isFinal { stage = .settled }
    }

    var nextDeadline: Timestamp? {
        switch stage {
        case .creating, .settled: nil
        case .searching(let time): time
        case .following(let following): Timestamp.earliest(following.nextLook, following.end)
        }
    }
}

/// The content of a response or event about a meal log.
struct MealNews: Sendable, Equatable {
    let id: String
    let status: MealLogStatus
    let text: String?
    let calories: Int?
    let protein: Double?
    let items: [String]?
    let error: String?

    /// Parses a log.
    ///
    /// If the data has no status, the event's status is used.
    ///
    /// An unknown status counts as processing.
    init?(_ data: JSONValue?, status known: MealLogStatus? = nil) {
        guard let data, let id = Answer.id(data["id"] ?? data["meal_log_id"]),
            let status = known ?? data["status"]?.string.map({ MealLogStatus(rawValue: $0) ?? .processing })
        else { return nil }
        self.id = id
        self.status = status
        text = data["raw_input"]?.string
        calories = data["total_calories"].flatMap { value in
            value.int ?? value.double.flatMap { Int(exactly: $0.rounded()) }
        }
        protein = data["total_protein_g"]?.double
        items = data["items"]?.array.map { $0.compactMap { ($0["name"] ?? $0["food_name"])?.string } }
        error = data["error_message"]?.string ?? data["error"]?.string
    }

    var isFinal: Bool { status != .processing }
}

/// Meals: logging meals, and tracking them through events while a socket is open, or by polling otherwise.
extension ClientCore {
    /// The maximum length of a meal's description in characters.
    static let mealTextLimit = CreateMealLogRequest.maximumInputLength
    /// The maximum number of events that are waiting for the response with their log's ID.
    static let earlyNewsLimit = 32

    mutating func logMeal(_ text: String, _ type: MealType, at now: Timestamp) {
        guard serves(.createMealLog, "meal logs"), hasRoom() else { return }
        guard !ClientFrame.trimmed(text).isEmpty, text.count <= Self.mealTextLimit else {
            return tell(.refused, "Describe the meal in 1 to 1000 characters.")
        }
        if meals.count >= configuration.limits.meals {
            guard let index = meals.firstIndex(where: { !$0.isBusy }) else {
                return tell(
                    .refused, "\(configuration.limits.meals) meals are already being processed. Try again in a moment.")
            }
            meals.remove(at: index)
        }
        lastErrand += 1
        let meal = FollowedMeal(
            number: lastErrand, loggedAt: now, meal: ClientState.Meal(text: text, type: type, items: []))
        meals.append(meal)
        showMeals()
        let body = Body.object([("raw_input", text), ("meal_type", type.rawValue)])
        submit(.createMeal(meal.number), .post, "/api/v1/meal-logs/natural", body: body, at: now)
    }

    mutating func finishCreateMeal(_ number: Int, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        guard let index = meals.firstIndex(where: { $0.number == number }) else { return }
        if case .uncertain = outcome {
            // The list shows whether the backend logged the meal. Repeating the request could log it twice.
            meals[index].stage = .searching(now.advanced(by: configuration.retries.firstDelay))
            return
        }
        guard case .answered(let answer) = outcome, answer.isSuccess, let news = MealNews(answer.object) else {
            return giveUp(index, outcome)
        }
        begin(index, news, isLooked: false, at: now)
    }

    /// Searches for a meal whose request got no usable response.
    mutating func finishFindMeal(_ number: Int, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        guard let index = meals.firstIndex(where: { $0.number == number }), case .searching = meals[index].stage
        else { return }
        guard case .answered(let answer) = outcome, answer.isSuccess, let list = answer.mealLogs else {
            drop(.createMeal(number))
            return giveUp(index, outcome)
        }
        let wanted = meals[index]
        let known = Set(meals.compactMap { $0.meal.id.map(ExactString.init(_:)) })
        let found = list.lazy.filter { value in
            value["raw_input"]?.string == wanted.meal.text && value["meal_type"]?.string == wanted.meal.type?.rawValue
                && Self.isRecent(value["created_at"], since: wanted.loggedAt)
        }.compactMap { MealNews($0) }.first { !known.contains(ExactString($0.id)) }
        if let found {
            drop(.createMeal(number))
            begin(index, found, isLooked: true, at: now)
        } else if requests.sendAgain(.createMeal(number), at: now) {
            meals[index].stage = .creating
        } else {
            giveUp(index, .unavailable(ClientMessages.noAnswer))
        }
    }

    private mutating func begin(_ index: Int, _ news: MealNews, isLooked: Bool, at now: Timestamp) {
        meals[index].meal.id = news.id
        var following = FollowedMeal.Following(end: now.advanced(by: configuration.patience.meal))
        following.lastLook = isLooked ? now : nil
        if hasOpenSocket {
            if !isLooked { following.nextLook = now.advanced(by: configuration.patience.mealEvent) }
            following.isFree = true
        } else {
            following.nextLook = isLooked ? now.advanced(by: configuration.mealPolling.interval) : now
        }
        meals[index].stage = .following(following)
        let early = earlyNews.firstIndex { $0.id == news.id }
        take(early.map { earlyNews.remove(at: $0) } ?? news, for: index)
    }

    mutating func take(_ news: MealNews) {
        if let index = meals.firstIndex(where: { $0.meal.id == news.id }) { return take(news, for: index) }
        let index = meals.firstIndex { meal in
            if case .searching = meal.stage { meal.meal.text == news.text } else { false }
        }
        if let index {
            drop(.createMeal(meals[index].number))
            drop(.findMeal(meals[index].number))
            return take(news, for: index)
        }
        earlyNews.append(news)
        if earlyNews.count > Self.earlyNewsLimit { earlyNews.removeFirst() }
    }

    private mutating func take(_ news: MealNews, for index: Int) {
        guard meals[index].isBusy else { return }
        meals[index].take(news)
        if news.isFinal {
            drop(.loadMeal(meals[index].number))
            if news.status == .failed { tell(.meal, meals[index].meal.error ?? ClientMessages.mealFailed) }
        }
        showMeals()
    }

    mutating func finishLoadMeal(_ number: Int, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        guard let index = meals.firstIndex(where: { $0.number == number }),
            case .following(var following) = meals[index].stage
        else { return }
        let next = now.advanced(by: configuration.mealPolling.interval)
        switch outcome {
        case .answered(let answer):
            guard answer.isSuccess, let news = MealNews(answer.object) else { return giveUp(index, outcome) }
            following.failureCount = 0
            following.isFree = false
            following.nextLook = hasOpenSocket ? nil : next
            meals[index].stage = .following(following)
            take(news, for: index)
            let isOver = following.pollCount >= configuration.mealPolling.maximumPolls && !hasOpenSocket
            if isOver, meals[index].isBusy { giveUpLate(index) }
        case .unavailable:
            following.failureCount += 1
            guard following.failureCount < configuration.retries.maximumAttempts else { return giveUp(index, outcome) }
            // Repeat the failed request even while a socket is open, because it returned nothing.
            (following.nextLook, following.isFree) = (next, true)
            meals[index].stage = .following(following)
        case .uncertain, .unauthorized: giveUp(index, outcome)
        }
    }

    private mutating func giveUp(_ index: Int, _ outcome: RequestBook.Outcome) {
        meals[index].stage = .settled
        tellFailure(outcome)
        // A missing token is reported once for all waiting requests.
        let message: String? = if case .unauthorized = outcome { nil } else { state.problems.last?.message }
        meals[index].meal.error = message ?? ClientMessages.mealFailed
        showMeals()
    }

    mutating func giveUpLate(_ index: Int) {
        drop(.loadMeal(meals[index].number))
        meals[index].stage = .settled
        meals[index].meal.error = ClientMessages.mealLate
        tell(.meal, ClientMessages.mealLate)
        showMeals()
    }

    private mutating func showMeals() {
        state.meals = meals.map(\.meal)
        isChanged = true
    }

    /// Loads each meal once after the socket has opened, because the event may have been sent earlier.
    mutating func lookAtMealsOnce(at now: Timestamp) {
        for index in meals.indices {
            guard case .following(var following) = meals[index].stage, following.failureCount == 0,
                !requests.contains(.loadMeal(meals[index].number))
            else { continue }
            (following.nextLook, following.isFree) = (now, true)
            meals[index].stage = .following(following)
        }
        expireMeals(at: now)
    }

    /// Starts polling if no socket is open, and stops otherwise.
    mutating func followMeals(at now: Timestamp) {
        for index in meals.indices {
            guard case .following(var following) = meals[index].stage,
                !requests.contains(.loadMeal(meals[index].number))
            else { continue }
            if hasOpenSocket {
                if !following.isFree { following.nextLook = nil }
            } else if following.nextLook == nil {
                let soonest = following.lastLook?.advanced(by: configuration.mealPolling.interval)
                following.nextLook = max(now, soonest ?? now)
            }
            meals[index].stage = .following(following)
        }
        expireMeals(at: now)
    }

    mutating func expireMeals(at now: Timestamp) {
        for index in meals.indices {
            switch meals[index].stage {
            case .creating, .settled: break
            case .searching(let time): if time <= now { search(index, at: now) }
            case .following(let following):
                if following.end <= now {
                    giveUpLate(index)
                } else if let time = following.nextLook, time <= now {
                    look(index, following, at: now)
                }
            }
        }
    }

    private mutating func look(_ index: Int, _ following: FollowedMeal.Following, at now: Timestamp) {
        guard let id = meals[index].meal.id else { return }
        var following = following
        if following.lastLook != nil, !following.isFree { following.pollCount += 1 }
        (following.nextLook, following.lastLook) = (nil, now)
        meals[index].stage = .following(following)
        submit(.loadMeal(meals[index].number), .get, "/api/v1/meal-logs/\(id)", at: now)
    }

    private mutating func search(_ index: Int, at now: Timestamp) {
        let number = meals[index].number
        guard !requests.contains(.findMeal(number)) else { return }
        let areOthersFollowed = meals.contains { if case .following = $0.stage { true } else { false } }
        // Loading the list polls every log that is being processed, so wait until there is none.
        guard !hasOpenSocket || !areOthersFollowed else {
            meals[index].stage = .searching(now.advanced(by: configuration.retries.firstDelay))
            return
        }
        // The backend may still be processing an abandoned log.
        let isPoll = meals.contains { $0.meal.id != nil && $0.meal.status == .processing }
        if isPoll, let soonest = searchedAt?.advanced(by: configuration.mealPolling.interval), now < soonest {
            meals[index].stage = .searching(soonest)
            return
        }
        searchedAt = now
        meals[index].stage = .searching(now.advanced(by: .seconds(86_400)))
        submit(.findMeal(number), .get, "/api/v1/meal-logs", at: now)
    }
}
