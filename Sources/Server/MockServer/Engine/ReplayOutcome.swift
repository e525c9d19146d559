import FitIQAPI
import JSON
import Replay

extension Engine {
    /// What became of the session that a world plays back.
    public struct ReplayOutcome: Sendable {
        /// What was served, and what was not as it was recorded.
        public let report: ReplayReport
        /// How it is played back.
        public let settings: ReplaySettings

        /// Whether what was not as it was recorded fails a run.
        public var isStrict: Bool { settings.match == .strict }

        /// What was not as it was recorded, a sentence each, the first ten of each kind; empty where everything was.
        public var failures: [String] {
            var failures = report.unexpected.prefix(Self.shown).map(\.message)
            add(report.unexpectedCount, "request", "was not expected", to: &failures)
            failures += report.neverAsked.prefix(Self.shown).map { request in
                "Nobody asked for recorded request \(request.entry), \(request.method) \(request.target)."
            }
            add(report.neverAskedCount, "recorded request", "was never asked for", to: &failures)
            failures += report.frameMisses.prefix(Self.shown).map(\.message)
            add(report.frameMissCount, "frame", "was not expected", to: &failures)
            if report.framesNeverSent > 0 {
                failures.append(Self.count(report.framesNeverSent, "recorded frame", "was never sent"))
            }
            return failures
        }

        private static let shown = 10

        private func add(_ count: Int, _ noun: String, _ predicate: String, to failures: inout [String]) {
            if count > Self.shown { failures.append(Self.count(count, noun, predicate)) }
        }

        /// A sentence such as `12 frames were not expected in all.`.
        private static func count(_ count: Int, _ noun: String, _ predicate: String) -> String {
            count == 1 ? "1 \(noun) \(predicate)." : "\(count) \(noun)s were\(predicate.dropFirst(3)) in all."
        }
    }

    /// What became of the session that a world plays back so far; nil where it plays none, or there is no such world.
    public func replayOutcome(ofWorld id: String) -> ReplayOutcome? {
        worlds.named(id)?.replay.map { ReplayOutcome(report: $0.player.report, settings: $0.player.settings) }
    }

    /// `GET /__admin/replay`: what was served, and what was not as it was recorded.
    ///
    /// - Throws: 404 where the world plays no session back.
    func replayReport(of world: World, at now: Timestamp) throws(APIError) -> Answer {
        // The loop may be late, and what is overdue has been sent by the time.
        advance(world, to: world.clock.now(now), at: now)
        guard let report = world.replay?.player.report else { throw .noReplay }
        return .ok(report.json.encoded())
    }
}
