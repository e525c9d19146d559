import FitIQAPI
import HTTPTypes
import JSON
import Scenarios
import Traffic

/// The admin API's time: manual clocks, and tokens whose lifetime follows them.
extension Engine {
    /// `GET /__admin/clock`.
    func clockAnswer(of world: World, at now: Timestamp) -> Answer {
        .object { writer in
            writer.member("mode", world.clock.manualTime == nil ? "real" : "manual")
            writer.member("now", world.clock.now(now).nanosecondText)
            writer.member("next_step", orNull: world.nextStep?.nanosecondText)
        }
    }

    /// `POST /__admin/clock`: runs everything that happens in the world, each event at its time, before it answers.
    func advanceClock(of world: World, _ body: [UInt8], at now: Timestamp) throws(APIError) -> Answer {
        let body = try AdminBody(body, keys: ["advance", "advance_to"])
        guard world.clock.manualTime != nil else { throw .realClock }
        let move = ClockMove(of: world, in: self, body)
        // Its errors are reported at once, unless it has to wait for another move.
        if world.clockMove == nil { try move.begin() }
        return Answer(move)
    }

    /// Reads how far to move a clock, and records it in the journal; 400 if it cannot be moved there.
    fileprivate func beginAdvance(of world: World, _ body: AdminBody) throws(APIError) -> Timestamp {
        guard let start = world.clock.manualTime else { throw .realClock }
        let target = try target(of: body, from: start)
        let span = target.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch
        guard span >= 0 else { throw .clockBackwards(start.nanosecondText) }
        guard span <= ScenarioLimits.longestDuration else { throw .clockTooFar }
        noteAdvance(of: world, from: start, to: target)
        return target
    }

    func noteAdvance(of world: World, from start: Timestamp, to target: Timestamp) {
        let span = target.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch
        guard span > 0 else { return }
        recorder.record(.clock(advancedBy: span), at: start, in: world)
    }

    private func target(of body: AdminBody, from start: Timestamp) throws(APIError) -> Timestamp {
        let span = try body.duration("advance")
        let expected = "a time such as \"2025-01-29T10:31:00Z\", up to the year 2199"
        let text = try body.text("advance_to", expected: expected)
        switch (span, text) {
        case (let span?, nil):
            guard let last = DateTime("2199-12-31T23:59:59Z")?.timestamp,
                start.nanosecondsSinceEpoch + span <= last.nanosecondsSinceEpoch
            else { throw .clockTooFar }
            return start.advanced(byNanoseconds: span)
        case (nil, let text?):
            if let time = DateTime(text)?.timestamp { return time }
            throw .wrongType("advance_to", expected: expected, got: .string(text))
        case (nil, nil), (_?, _?): throw .clockWithoutAdvance
        }
    }

    /// `POST /__admin/tokens`: a token for any user, on the world's clock.
    func makeToken(for world: World, _ body: [UInt8], at now: Timestamp) throws(APIError) -> Answer {
        let body = try AdminBody(body, keys: ["user", "expires_in"])
        let user = try body.text("user", expected: "a user's id of 1 to 200 characters") ?? world.defaultUser.text
        guard user.utf8.count <= AccessToken.userBytes else {
            throw .tooManyBytes("user", limit: AccessToken.userBytes, got: user.utf8.count)
        }
        guard AccessToken.isUser(user) else { throw .wrongLength("user", allowed: 1...200, got: user.count) }
        let lifetime = try body.duration("expires_in")
        let expiry = lifetime.map { world.clock.now(now).advanced(byNanoseconds: $0).secondsSinceEpoch }
        return .object(.created) { writer in
            writer.member("token", world.token(for: ExactString(user), expiresAt: expiry ?? world.tokenExpiry))
            writer.member("user", user)
            writer.member("expires_at", DateTime(secondsSinceEpoch: expiry ?? world.tokenExpiry).wireText)
        }
    }
}

/// The move of a manual clock, some steps at a time: the answers and meals of a year may be due on its way.
///
/// Another move of the same clock waits until this one is over. A reset ends it, and so does a client that leaves; the
/// clock then stays there.
final class ClockMove: BodySource {
    private unowned let engine: Engine
    private let world: World
    private let body: AdminBody
    /// The target of the clock; nil before the move has begun.
    private var target: Timestamp?
    private var slow: Set<ConnectionID>?
    /// How many events a slice runs, at most a tenth of a millisecond each.
    private static let steps = 16

    init(of world: World, in engine: Engine, _ body: AdminBody) {
        (self.world, self.engine, self.body) = (world, engine, body)
    }

    func begin() throws(APIError) {
        target = try engine.beginAdvance(of: world, body)
        world.clockMove = self
    }

    func fill(_ slice: inout BodySlice) throws(APIError) -> BodyProgress {
        if let id = world.id, world.isGone { throw .unknownWorld(id) }
        // A job owns its contents.
        guard !world.isStanding else { return .waiting }
        if target == nil {
            guard world.clockMove == nil else { return .waiting }
            try begin()
        }
        if let target, world.clockMove === self {
            engine.advance(world, to: target, steps: Self.steps, slow: &slow, at: slice.now)
            // Much may be due at one time, including the last one.
            let isLate = world.nextStep.map { $0 <= target } ?? false
            if let time = world.clock.manualTime, time < target || isLate {
                slice.spend(slice.bytesLeft)
                return .more
            }
            world.clockMove = nil
            engine.wakeStreams()
        }
        slice.bytes += engine.clockAnswer(of: world, at: slice.now).body
        return .end
    }
}
