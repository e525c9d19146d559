import FitIQAPI
import HTTP1

/// A request that has a world begin, with what its job holds.
struct BeginningRequest {
    let head: RequestHead
    let connection: Connection
    let bodySize: Int
}

/// Worlds that begin as a request says: at once where that is little work, and beside the loop where it is much.
extension Engine {
    /// Reads a draft, works it out, and has a world begin with it.
    ///
    /// - Parameters:
    ///   - world: the one that begins anew, which stands meanwhile; nil where one is made.
    ///   - draft: reads what was asked for; a function of values.
    ///   - then: has the world begin, and makes the answer.
    /// - Returns: the answer; nil where the request waits for a job.
    /// - Throws: what either refuses, where no job is needed; 507 where jobs hold too much already.
    func begin(
        _ world: World?, for request: BeginningRequest, at now: Timestamp,
        reading draft: @escaping @Sendable () throws(APIError) -> WorldDraft,
        then: @escaping (Engine, Result<WorldBeginning, APIError>, Timestamp) throws(APIError) -> Answer
    ) throws(APIError) -> Answer? {
        let room = room(of: world)
        var known: Result<WorldDraft, APIError>?
        if startJob == nil || request.bodySize <= Engine.largestWorkOnLoop {
            let read = Result { () throws(APIError) in try draft() }
            guard startJob != nil, case .success(let small) = read, small.settings.scenario.isLarge else {
                return try then(self, read.beginning(in: room, now: now), now)
            }
            known = read
        }
        guard hasRoom(forJobOf: request.bodySize) else { throw .tooMuchToRead }
        let awaited = awaitJob(for: request.head, on: request.connection, holding: request.bodySize)
        if let world { stand(world) }
        beside(at: now) { [known] in
            (known ?? Result { () throws(APIError) in try draft() }).beginning(in: room, now: now)
        } then: { engine, beginning, now in
            engine.conclude(awaited, with: engine.adopt(beginning, then, at: now), at: now)
            if let world { engine.resume(world, at: now) }
        }
        return nil
    }

    /// Has a world begin with what a job made; when it returns, the world is the only owner of that.
    private func adopt(
        _ parcel: Parcel<Result<WorldBeginning, APIError>>,
        _ then: (Engine, Result<WorldBeginning, APIError>, Timestamp) throws(APIError) -> Answer, at now: Timestamp
    ) -> Result<Answer, APIError> {
        let beginning = parcel.take()
        let answer = Result { () throws(APIError) in try then(self, beginning, now) }
        if case .failure = answer { discard(beginning) }
        return answer
    }
}

extension Result where Success == WorldDraft, Failure == APIError {
    /// Works the draft out.
    fileprivate func beginning(in room: SharedRoom, now: Timestamp) -> Result<WorldBeginning, APIError> {
        Result<WorldBeginning, APIError> { () throws(APIError) in
            try WorldBeginning(get(), in: room, now: now)
        }
    }
}
