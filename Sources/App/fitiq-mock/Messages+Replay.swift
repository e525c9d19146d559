import FitIQAPI
import MockServer
import Replay
import Text

/// What the program says of sessions that are played back.
extension Messages {
    static func unplayable(_ path: String, _ reason: String) -> String { "cannot play '\(path)' back: \(reason)" }

    static func unknownChoice(_ option: String, _ value: String, allowed: [String]) -> String {
        let near = NearestWord.hint(value, among: allowed)
        return "\(option) must be one of \(allowed.joined(separator: ", ")); got '\(value)'.\(near)"
    }

    static func badSpeed(_ value: String) -> String {
        "--speed must be instant, or how many times as fast as recorded: a number from 0.001 to 1000; got '\(value)'."
    }

    static let twoSpeeds = "--speed cannot stand beside --instant, which is '--speed instant'."

    static func notWithSession(_ option: String) -> String {
        "\(option) does not go with a session that is played back: such a server holds nothing of its own."
    }

    static let scenarioBesideSession =
        "--scenario must bring no users, answers, meals, token lifetime or session of its own beside a session that is played "
        + "back: faults, guide, seed and clock go with it."

    /// What is said at the end: a line, and below it what was not as it was recorded.
    static func replayed(_ outcome: Engine.ReplayOutcome) -> String {
        ([outcome.report.summary] + outcome.failures.map { "  " + $0 }).joined(separator: "\n")
    }

    static func replaySummary(_ plan: ReplayPlan) -> String {
        var (exchanges, sockets) = (0, 0)
        for entry in plan.session.entries {
            if case .socket = entry { sockets += 1 } else { exchanges += 1 }
        }
        return "a recorded session of \(Words.counted(exchanges, "request")) and \(Words.counted(sockets, "WebSocket"))"
    }

    static let strictReplay = "Each recorded request once, in the recorded order, and nothing else (match: strict)."
}
