import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Replay
import Text
import Texts
import Traffic

/// A developer's description of a world: its initial contents and its behaviour.
public struct Scenario: Sendable, Equatable {
    public var name: String
    /// A one-line summary.
    public var summary: String
    /// The mode of the responses; nil lets the server choose.
    public var guide: GuideMode?
    /// The seed for ids and for the pace of answers; nil lets the server choose.
    public var seed: UInt64?
    /// The clock; nil lets the server choose.
    public var clock: ClockMode?
    /// The lifetime of tokens that the server prints, in nanoseconds; nil if unlimited.
    public var tokenLifetime: Int64?
    /// The world's settings, but not its contents.
    public var rules = WorldRules()
    public var data: WorldData
    /// The scripted answers and meals.
    public var script: Script
    public var faults: [FaultRule]
    /// Answers to requests outside the product; the first match is used.
    public var stubs: [Stub] = []
    /// The network between clients and the world; nil lets the server choose.
    public var network: NetworkProfile?
    /// The real server that answers instead of the fake, if any.
    public var upstream: Upstream?
    /// How the real server's answers differ from the fake's; nil lets the server choose.
    public var overlay: Overlay?
    /// The path of an overlay that has not been read yet, relative to the scenario file.
    public var unreadOverlay: String?
    /// The session to replay in place of data and script; nil for the fake backend.
    public var replay: SessionReplay?
    /// The script as written in the document.
    public var written = WrittenScript()
    /// The deprecated words in the document, each with the current word; deprecated words are not mistakes.
    public internal(set) var oldWords: [ScenarioErrors.Mistake] = []

    /// The name of the scenario that has no script.
    public static let defaultName = "default"
    static let defaultSummary = "The built-in coach and meal parser, with no data and no faults."

    public init(
        name: String = defaultName, summary: String? = nil, guide: GuideMode? = nil, seed: UInt64? = nil,
        clock: ClockMode? = nil, tokenLifetime: Int64? = nil, data: WorldData = WorldData(), script: Script = Script(),
        faults: [FaultRule] = [], replay: SessionReplay? = nil
    ) {
        (self.name, self.guide, self.seed, self.clock) = (name, guide, seed, clock)
        self.summary = summary ?? (name == Self.defaultName ? Self.defaultSummary : "")
        (self.tokenLifetime, self.data, self.script) = (tokenLifetime, data, script)
        (self.faults, self.replay) = (faults, replay)
    }

    /// The keys that are not allowed with a session, because a session has its own contents and responses.
    static let keysWithoutReplay = [
        "token_lifetime", "accounts", "consultations", "ids", "tokens", "users", "pauses", "answers", "meals", "stubs",
        "issued_ids", "upstream", "overlay",
    ]

    /// The rules for answers, meals and faults, and the stubs.
    public var ruleCount: Int { script.answers.count + script.meals.count + faults.count + stubs.count }

    /// Whether a session can be added: the scenario has no session yet, and no key in ``keysWithoutReplay``.
    public var canReplay: Bool {
        data == WorldData() && script == Script() && stubs.isEmpty && overlay == nil && unreadOverlay == nil
            && upstream == nil && tokenLifetime == nil && rules.accounts == nil && rules.perTopic == nil
            && rules.ids == nil && rules.tokens.isEmpty && replay == nil
    }
}

extension Scenario {
    /// The document after this scenario has replaced a world's scenario; members that are absent here are kept.
    public func written(over old: Scenario) -> WrittenScript {
        // A session has no scripts.
        guard replay == nil else { return written }
        var result = old.written
        // Answers, meals and pauses form a single script.
        if script != Script() { result.replace(["answers", "meals", "pauses"], by: written) }
        if !name.isExactly(old.name) { result.replace(["summary"], by: written) }
        result.replace(written.members.map(\.key), by: written)
        return result
    }
}

/// Apart from faults, the members of a scenario's document that a world's export does not contain.
public struct WrittenScript: Sendable, Equatable {
    public private(set) var members: JSONObject = [:]
    private static let keys = ["summary", "network", "pauses", "answers", "meals", "stubs", "upstream", "overlay"]

    init() {}

    init(of document: Node) {
        guard case .mapping(let members) = document.content else { return }
        for key in Self.keys { self.members[key] = members.first { $0.key == key }?.value.json }
    }

    fileprivate mutating func replace(_ keys: [String], by other: WrittenScript) {
        for key in keys { members[key] = other.members[key] }
    }

    /// The notation does not affect equality, because the same rules can be written in many ways.
    public static func == (one: WrittenScript, other: WrittenScript) -> Bool { true }
}

extension WrittenScript: CustomReflectable {
    /// The mirror has no children, so that `isExactly` ignores the notation, as `==` does.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A world's clock.
public enum ClockMode: Sendable, Equatable {
    case real
    /// A separate clock that advances only on request.
    case manual(start: Timestamp)

    /// The manual clock with its default start: 2025-01-29T10:30:00Z.
    public static let manual = ClockMode.manual(start: Timestamp(secondsSinceEpoch: 1_738_146_600))
}

/// A scenario's mistakes, in file order.
public struct ScenarioErrors: Error, Equatable, Sendable {
    /// The file's name as given; nil for a scenario from another source.
    public var file: String?
    /// The mistakes, at least one and at most ``ScenarioLimits/mistakes``.
    public var mistakes: [Mistake]
    public var omittedCount: Int

    public init(file: String? = nil, mistakes: [Mistake], omittedCount: Int = 0) {
        (self.file, self.mistakes, self.omittedCount) = (file, mistakes, omittedCount)
    }

    public struct Mistake: Equatable, Sendable {
        /// The line, from 1; nil if there is no file.
        public var line: Int?
        /// The column, from 1, counted in Unicode scalars.
        public var column: Int?
        /// The path in the document: `faults[2].status`; empty for the whole document.
        public var path: String
        /// A sentence or two: the problem, what is allowed, and what was probably meant.
        public var message: String

        public init(line: Int? = nil, column: Int? = nil, path: String, message: String) {
            (self.line, self.column, self.path, self.message) = (line, column, path, message)
        }
    }
}

extension ScenarioErrors: CustomStringConvertible {
    /// One line per mistake, `FILE:LINE:COLUMN: message`, in the format of editors and compilers.
    public var description: String {
        var lines = mistakes.map { mistake in
            var parts: [String] = []
            if let file { parts.append(file) }
            if let line = mistake.line { parts.append("\(line)") }
            if let column = mistake.column { parts.append("\(column)") }
            return parts.isEmpty ? mistake.message : parts.joined(separator: ":") + ": " + mistake.message
        }
        if omittedCount > 0 { lines.append("\(Words.counted(omittedCount, "more mistake")) not shown.") }
        return lines.joined(separator: "\n")
    }
}

/// The limits for a scenario; each limit has its own refusal (docs/limits.md).
public enum ScenarioLimits {
    /// Bytes in a file, 16 MiB.
    public static let fileBytes = 16 * 1024 * 1024
    /// Values in a YAML document; values repeated by aliases are counted each time.
    public static let nodes = 200_000
    /// Bytes of text repeated by aliases in a YAML document, 16 MiB.
    public static let repeatedBytes = 16 * 1024 * 1024
    /// Occurrences of `%TAG` in a YAML document, whether or not they are directives.
    public static let directives = 100
    /// Values in a JSON file such as an export; each value takes more than eight bytes.
    public static let valuesOfJSON = fileBytes / 8
    /// Stubs in a scenario.
    public static let stubs = 100
    /// Endpoints for which an upstream specifies who answers.
    public static let upstreamRules = 100
    /// Changes to the fake's answers in an overlay.
    public static let changes = 1000
    /// Bytes of JSON in the values of all changes; each may be written into every element of a list.
    public static let changeBytes = 16 * 1024
    /// Strings accepted as tokens.
    public static let tokens = 100
    /// Fields to fill in one answer; each value can be as long as a question.
    public static let fields = 100
    /// The nesting depth of lists and mappings.
    public static let depth = 64
    /// Reported mistakes; additional mistakes are only counted.
    public static let mistakes = 50
    /// Users per scenario.
    public static let users = 100_000
    /// PBKDF2 iterations for all passwords in a scenario, which take about five seconds; use a lower cost for many
    /// passwords.
    public static let passwordWork = 20_000_000
    /// Goals per user.
    public static let goals = 1000
    /// Consultations per user, in any status.
    public static let consultations = 1_000_000
    /// Active consultations per user (consultation-websocket).
    public static let activeConsultations = 10
    /// Messages per consultation, including generated messages.
    public static let messages = 10_000
    /// Meal logs per user.
    public static let mealLogs = 10_000
    /// Meal photos per user that await confirmation.
    public static let photos = 20
    /// Documents per collection and user.
    public static let documents = 10_000
    /// Users with whom a document is shared.
    public static let shares = 100
    /// Foods per meal.
    public static let items = 50
    /// Rules for answers, and rules for meals.
    public static let rules = 1000
    /// Steps per scalar of text for all answer rules together, and for all meal rules together.
    ///
    /// A message of `SearchedText.maximumLength` takes 2.5 million steps of up to 6 ns. This is less than the 20 ms
    /// that a message may block the loop. `Pattern.stepsPerScalar` is the cost of an expression.
    public static let matchingSteps = 500
    /// Names for pauses.
    public static let pauses = 1000
    /// Steps per answer; each chunk of a burst counts.
    public static let steps = 10_000
    /// Bytes of all text in an answer, 256 KiB.
    public static let answerBytes = 256 * 1024
    /// The size in bytes that is assumed for a built-in answer; it is an upper bound.
    public static let builtInAnswerBytes = 512
    /// Bytes of a message from the assistant or the system, 1 MiB.
    public static let messageBytes = 1024 * 1024
    /// Bytes of any other text, as in requests.
    public static let textBytes = 16 * 1024
    /// Bytes of a session's path.
    public static let sessionPath = 4096
    /// The replay speed relative to the recording.
    public static let replaySpeed = 0.001...1000.0
    /// The longest duration, 366 days, in nanoseconds.
    public static let longestDuration: Int64 = 366 * 86_400_000_000_000

    /// Parses a duration such as `1.5s` into nanoseconds; nil if it is invalid or too long.
    package static func duration(_ text: String) -> Int64? { Durations.nanoseconds(text, atMost: longestDuration) }
}

/// A recorded session for a world to replay (a scenario's `replay:`).
public struct SessionReplay: Sendable, Equatable {
    public var session: Source
    public var settings: ReplaySettings

    /// The source of a session.
    public enum Source: Sendable, Equatable {
        /// A file that has not been read yet; its path is relative to the scenario file.
        case file(String)
        case plan(ReplayPlan)
    }

    public init(_ session: Source, settings: ReplaySettings = ReplaySettings()) {
        (self.session, self.settings) = (session, settings)
    }

    /// The path of a session file that has not been read yet.
    public var unreadFile: String? {
        guard case .file(let path) = session else { return nil }
        return path
    }

    /// A session that is ready for replay, and notes about its file.
    public struct Recording: Sendable {
        public let plan: ReplayPlan
        /// Sentences about gaps and repairs in the file.
        public let notes: [String]

        /// Reads a HAR file from Chrome, Firefox, mitmproxy, Playwright or this program.
        ///
        /// - Parameters:
        ///   - prefix: The path before the API's paths; requests may omit it.
        ///   - attachment: Returns the bytes of the file with this name next to the HAR file; nil if there is none.
        /// - Throws: The mistakes in the file, which may be up to 256 MiB in size, or the reason why it cannot be
        ///   replayed.
        public init(
            readingHAR bytes: [UInt8], prefix: PathPrefix? = nil,
            attachment: @escaping (String) -> [UInt8]? = { _ in nil }
        ) throws(Refusal) {
            let file = try HARFile(reading: bytes, attachment: attachment)
            plan = try ReplayPlan(file.session, prefix: prefix)
            notes = file.notes.map(\.description) + plan.notes
        }
    }
}

extension Scenario {
    /// The names of the built-in scenarios: `default`, then the others sorted.
    public static let builtInNames = builtInSummaries.map(\.name)

    /// The name and summary of each built-in scenario, read without parsing YAML.
    public static let builtInSummaries: [(name: String, summary: String)] = {
        var found: [(name: String, summary: String)] = []
        var index = 0
        while let start = EmbeddedText(index: index).path {
            let (path, text) = (String(cString: start), EmbeddedText(index: index))
            index += 1
            guard path.hasPrefix(folder), path.hasSuffix(".yaml") else { continue }
            let bytes = UnsafeBufferPointer(start: text.start, count: text.count)
            found.append((String(path.dropFirst(folder.count).dropLast(".yaml".count)), summary(of: bytes)))
        }
        return found.sorted { ($0.name == defaultName ? "" : $0.name) < ($1.name == defaultName ? "" : $1.name) }
    }()

    /// Returns the built-in scenario with this name; nil for an unknown name.
    ///
    /// `default` needs no parsing; the others are parsed on request.
    public static func builtIn(named name: String) -> Scenario? {
        if name == defaultName { return Scenario() }
        guard let text = builtInText(named: name) else { return nil }
        do {
            return try Scenario.read(text, file: name)
        } catch {
            preconditionFailure("A built-in scenario cannot be read: \(error)")
        }
    }

    /// A built-in scenario's YAML, as a starting point for custom scenarios; nil for an unknown name.
    public static func builtInText(named name: String) -> String? {
        guard builtInNames.contains(name) else { return nil }
        return text(ofFile: name + ".yaml")
    }

    /// The JSON Schema of scenario files (draft 2020-12).
    public static var schema: String { text(ofFile: "scenario.schema.json") }

    private static func text(ofFile name: String) -> String {
        let text = EmbeddedText(path: folder + name)
        return String(decoding: UnsafeBufferPointer(start: text.start, count: text.count), as: UTF8.self)
    }

    /// The message about an unknown scenario, which lists the available names.
    public static func unknownBuiltIn(_ name: String) -> String { Messages.unknownScenario(name, known: builtInNames) }

    private static let folder = "Fixtures/scenarios/"

    /// The unquoted text in the line `summary: ` near the start of each file.
    private static func summary(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        let key = Array("summary: ".utf8)
        let line = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 20).first { $0.starts(with: key) }
        guard let line else { preconditionFailure("A built-in scenario must have a summary.") }
        return String(decoding: line.dropFirst(key.count), as: UTF8.self)
    }
}
