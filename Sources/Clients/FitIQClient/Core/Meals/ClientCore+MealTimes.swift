import FitIQAPI

/// When meals are looked at.
extension ClientCore {
    /// Looks at the meals once after the socket was opened: their events may have gone out before.
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

    /// Begins to look where the socket is gone, and stops where one is open.
    mutating func followMeals(at now: Timestamp) {
        for index in meals.indices {
            guard case .following(var following) = meals[index].stage,
                !requests.contains(.loadMeal(meals[index].number))
            else { continue }
            if link.hasOpenSocket {
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
        // The list is a poll for every log that is being processed; it waits until none is.
        guard !link.hasOpenSocket || !areOthersFollowed else {
            meals[index].stage = .searching(now.advanced(by: configuration.retries.firstDelay))
            return
        }
        meals[index].stage = .searching(now.advanced(by: .seconds(86_400)))
        submit(.findMeal(number), .get, "/api/v1/meal-logs", at: now)
    }
}
