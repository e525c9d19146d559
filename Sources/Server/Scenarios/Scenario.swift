import Faults
import FitIQAPI
import FitIQBackend
import Replay
import Sessions
import Text

/// What a developer has written down: what a world starts from, and what happens in it.
public struct Scenario: Sendable, Equatable {
    /// What it is called.
    public var name: String
    /// What happens, in one line.
    public var summary: String
    /// Whose answers are given; nil leaves it to the server.
    public var guide: GuideMode?
    /// What decides ids and paces; nil leaves it to the server.
    public var seed: UInt64?
    /// Whose clock it is; nil leaves it to the server.
    public var clock: ClockMode?
    /// How long tokens that the server prints are good for, in nanoseconds; nil for always.
    public var tokenLifetime: Int64?
    /// Who and what exists when the world begins.
    public var data: WorldData
    /// What coaches say, and what becomes of meals.
    public var script: Script
    /// What goes wrong.
    public var faults: [FaultRule]
    /// The session that is played back, in place of data and script; nil where the fake backend answers.
    public var replay: SessionReplay?

    /// What the scenario is called in which nothing is scripted.
    public static let defaultName = "default"
    static let defaultSummary =
        "The built-in coach and meal parser; nobody has anything yet, and nothing goes wrong."

    /// Makes a scenario; without arguments `default`, in which nothing is scripted.
    public init(
        name: String = defaultName, summary: String? = nil, guide: GuideMode? = nil, seed: UInt64? = nil,
        clock: ClockMode? = nil, tokenLifetime: Int64? = nil, data: WorldData = WorldData(),
        script: Script = Script(), faults: [FaultRule] = [], replay: SessionReplay? = nil
    ) {
        self.name = name
        self.summary = summary ?? (name == Self.defaultName ? Self.defaultSummary : "")
        self.guide = guide
        self.seed = seed
        self.clock = clock
        self.tokenLifetime = tokenLifetime
        self.data = data
        self.script = script
        self.faults = faults
        self.replay = replay
    }
}

/// Whose clock a world follows.
public enum ClockMode: Sendable, Equatable {
    /// The system's.
    case real
    /// Its own, which stands until it is told to advance.
    case manual(start: Timestamp)

    /// The manual clock as it starts unless told otherwise: 2025-01-29T10:30:00Z (CONTRACT: worlds).
    public static let manual = ClockMode.manual(start: Timestamp(secondsSinceEpoch: 1_738_146_600))
}

/// What is wrong with a scenario: every mistake that was found, in the order of the file.
public struct ScenarioErrors: Error, Equatable, Sendable {
    /// The file as it was named; nil for a scenario that came otherwise.
    public var file: String?
    /// The mistakes, at least one and at most ``ScenarioLimits/mistakes``.
    public var mistakes: [Mistake]
    /// How many more there are.
    public var omittedCount: Int

    /// Makes errors.
    public init(file: String? = nil, mistakes: [Mistake], omittedCount: Int = 0) {
        self.file = file
        self.mistakes = mistakes
        self.omittedCount = omittedCount
    }

    /// One mistake.
    public struct Mistake: Equatable, Sendable {
        /// The line, from 1; nil where there is no file.
        public var line: Int?
        /// The column, from 1, counted in Unicode scalars.
        public var column: Int?
        /// Where in the document: `faults[2].status`; empty for the document itself.
        public var path: String
        /// A sentence or two: what is wrong, what is allowed, what was probably meant.
        public var message: String

        /// Makes a mistake.
        public init(line: Int? = nil, column: Int? = nil, path: String, message: String) {
            self.line = line
            self.column = column
            self.path = path
            self.message = message
        }
    }
}

extension ScenarioErrors: CustomStringConvertible {
    /// A line for each mistake, `FILE:LINE:COLUMN: message`, as editors and compilers have it.
    public var description: String {
        var lines = mistakes.map { mistake in
            var parts: [String] = []
            if let file { parts.append(file) }
            if let line = mistake.line { parts.append("\(line)") }
            if let column = mistake.column { parts.append("\(column)") }
            return parts.isEmpty ? mistake.message : parts.joined(separator: ":") + ": " + mistake.message
        }
        if omittedCount > 0 { lines.append(Messages.omitted(omittedCount)) }
        return lines.joined(separator: "\n")
    }
}

/// How much a scenario may hold; each limit has its refusal (docs/limits.md).
public enum ScenarioLimits {
    /// Bytes of a file, 16 MiB.
    public static let fileBytes = 16 * 1024 * 1024
    /// Values of a YAML document, those that aliases repeat counted each time.
    public static let nodes = 200_000
    /// Values of a file that is JSON, as exports are, which have more than eight bytes for each.
    public static let valuesOfJSON = fileBytes / 8
    /// How deep lists and mappings may be nested.
    public static let depth = 64
    /// Mistakes that are reported; the rest is counted.
    public static let mistakes = 50

    /// Users of a scenario.
    public static let users = 100_000
    /// Goals of a user.
    public static let goals = 1000
    /// Consultations of a user, whatever their status.
    public static let consultations = 1_000_000
    /// Active consultations of a user (consultation-websocket).
    public static let activeConsultations = 10
    /// Messages of a consultation, made-up ones included.
    public static let messages = 10_000
    /// Meal logs of a user.
    public static let mealLogs = 10_000
    /// Foods of a meal.
    public static let items = 50

    /// Rules for answers, and rules for meals.
    public static let rules = 1000
    /// Instructions of all regular expressions of a scenario together: what a long message may cost the loop.
    public static let patternInstructions = 20_000
    /// Names for pauses.
    public static let pauses = 1000
    /// Steps of an answer, the chunks of a burst counted each.
    public static let steps = 10_000
    /// Bytes of all texts of an answer, 256 KiB.
    public static let answerBytes = 256 * 1024
    /// What a built-in answer counts for among them: more than any has.
    public static let builtInAnswerBytes = 512
    /// Bytes of what an assistant or the system said, 1 MiB.
    public static let messageBytes = 1024 * 1024
    /// Bytes of other texts, as in requests.
    public static let textBytes = 16 * 1024

    /// Bytes of the path of a session.
    public static let sessionPath = 4096
    /// How many times as fast as recorded a session is played back.
    public static let replaySpeed = 0.001...1000.0

    /// The longest duration, 366 days, in nanoseconds.
    public static let longestDuration: Int64 = 366 * 86_400_000_000_000

    /// Reads a duration such as `1.5s`, in nanoseconds; nil for anything else, and for a longer one.
    package static func duration(_ text: String) -> Int64? { Durations.nanoseconds(text, atMost: longestDuration) }
}

/// A recorded session that a world plays back: `replay:` of a scenario.
public struct SessionReplay: Sendable, Equatable {
    /// What is played back.
    public var session: Source
    /// How.
    public var settings: ReplaySettings

    /// Where a session is.
    public enum Source: Sendable, Equatable {
        /// In a file that nobody has read yet; a relative path begins where the scenario's file is.
        case file(String)
        /// Here, ready to be played.
        case plan(ReplayPlan)
    }

    /// Plays a session back.
    public init(_ session: Source, settings: ReplaySettings = ReplaySettings()) {
        self.session = session
        self.settings = settings
    }

    /// The path of the session where it is yet to be read.
    public var unreadFile: String? {
        guard case .file(let path) = session else { return nil }
        return path
    }

    /// A session ready to be played, with what there is to say of the file that it is from.
    public struct Recording: Sendable {
        /// The session.
        public let plan: ReplayPlan
        /// What the file lacks, or what was repaired in it; a sentence each.
        public let notes: [String]

        /// Reads a HAR as Chrome, Firefox, mitmproxy, Playwright and this program write it.
        ///
        /// - Parameter attachment: the bytes of a file beside it, by its name; nil where there is none.
        /// - Throws: what is wrong with it, at most 256 MiB; or why it cannot be played back (``ReplayError``).
        public init(
            readingHAR bytes: [UInt8], attachment: @escaping (String) -> [UInt8]? = { _ in nil }
        ) throws(SessionTrouble) {
            let file: HARFile
            do throws(HARError) {
                file = try HARFile(reading: bytes, attachment: attachment)
            } catch {
                throw SessionTrouble(description: error.description)
            }
            do throws(ReplayError) {
                plan = try ReplayPlan(file.session)
            } catch {
                throw SessionTrouble(description: error.description)
            }
            notes = file.notes.map(\.description) + plan.notes
        }
    }
}

/// Why a session cannot be played back.
public struct SessionTrouble: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence: where in the file, what is wrong, what was expected.
    public let description: String
}

extension Scenario {
    /// The keys of a scenario that mean nothing beside a session: what a world has and does that answers by itself.
    static let keysWithoutReplay = ["token_lifetime", "users", "pauses", "answers", "meals", "issued_ids"]

    /// Whether it has none of its own users, answers and meals, so that a session can be played back in it.
    public var canReplay: Bool {
        data == WorldData() && script == Script() && tokenLifetime == nil && replay == nil
    }
}
