import FitIQAPI
import HTTP1

/// A request that has a world begin, with what its job holds.
struct BeginningRequest {
    let head: RequestHead
    let connection: Connection
    let bodySize: Int
}

/// Reads what a world is to begin with.
typealias DraftReader = @Sendable () throws(APIError) -> WorldDraft

/// Worlds that begin as a request says: at once where that is little work, and beside the loop where it is much.
extension Engine {
    /// Reads a draft, works it out, and has a world begin with it.
    ///
    /// - Parameters:
    ///   - world: the one that begins anew, which stands meanwhile; nil where one is made.
    ///   - reader: makes what reads what was asked for, a function of values; asked again where the world's scenario was
    ///     loaded again meanwhile, whose settings would be lost else.
    ///   - then: has the world begin, and makes the answer.
    /// - Returns: the answer; nil where the request waits for a job.
    /// - Throws: what either refuses, where no job is needed; 507 where jobs hold too much already.
    func begin(
        _ world: World?, for request: BeginningRequest, at now: Timestamp,
        reading reader: @escaping () -> DraftReader,
        then: @escaping (Engine, Result<WorldBeginning, APIError>, Timestamp) throws(APIError) -> Answer
    ) throws(APIError) -> Answer? {
        var known: Result<WorldDraft, APIError>?
        if startJob == nil || request.bodySize <= Engine.largestWorkOnLoop {
            let read = Result(catching: reader())
            guard startJob != nil, case .success(let small) = read, small.settings.scenario.isLarge else {
                return try then(self, read.beginning(in: worlds.room(of: world), now: now), now)
            }
            known = read
        }
        guard hasRoom(forJobOf: request.bodySize) else { throw .tooMuchToRead }
        let awaited = awaitJob(for: request.head, on: request.connection, holding: request.bodySize)
        if let world { stand(world) }
        prepare(known, for: world, at: now, reading: reader) { engine, beginning, now in
            engine.conclude(awaited, with: engine.adopt(beginning, then, at: now), at: now)
            if let world { engine.resume(world, at: now) }
        }
        return nil
    }

    /// Works a draft out beside the loop, again where it is that of a scenario that was replaced meanwhile.
    private func prepare(
        _ known: Result<WorldDraft, APIError>?, for world: World?, at now: Timestamp,
        reading reader: @escaping () -> DraftReader,
        then: @escaping (Engine, Parcel<Result<WorldBeginning, APIError>>, Timestamp) -> Void
    ) {
        let (draft, room, reloads) = (reader(), worlds.room(of: world), world?.reloadCount)
        beside(at: now) {
            (known ?? Result(catching: draft)).beginning(in: room, now: now)
        } then: { engine, beginning, now in
            guard world?.reloadCount == reloads else {
                engine.discard(beginning.take())
                return engine.prepare(nil, for: world, at: now, reading: reader, then: then)
            }
            then(engine, beginning, now)
        }
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
