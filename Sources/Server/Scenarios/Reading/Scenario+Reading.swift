import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Patterns
import Replay
import Text

extension Scenario {
    /// Reads a scenario file in YAML, a superset of JSON.
    public static func read(_ text: String, file: String? = nil) throws(ScenarioErrors) -> Scenario {
        try read(Array(text.utf8), file: file)
    }

    /// Reads the bytes of a scenario file, which must be UTF-8 and at most 16 MiB.
    ///
    /// - Parameter file: The file's name in messages.
    /// - Throws: The file's mistakes, at most ``ScenarioLimits/mistakes``; only the first one if it is not valid YAML.
    public static func read(_ bytes: [UInt8], file: String? = nil) throws(ScenarioErrors) -> Scenario {
        guard bytes.count <= ScenarioLimits.fileBytes else {
            throw ScenarioErrors(TreeError(message: Messages.fileTooLarge(bytes.count)), file: file)
        }
        let bytes = withoutByteOrderMarks(bytes)
        // An export is JSON and may have more values than a handwritten file, but only the YAML reader reports line
        // numbers.
        var mistakesOfJSON: ScenarioErrors?
        if bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{"),
            let value = try? JSON.parse(bytes, limits: JSON.Limits(values: ScenarioLimits.valuesOfJSON))
        {
            do {
                return try read(json: value)
            } catch {
                mistakesOfJSON = error
                mistakesOfJSON?.file = file
            }
        }
        let tree: Node
        do {
            tree = try TreeBuilder.tree(ofYAML: bytes)
        } catch {
            // The document is too large for YAML, so report the mistakes without lines.
            throw mistakesOfJSON ?? ScenarioErrors(error, file: file)
        }
        return try read(tree, file: file)
    }

    /// Removes byte-order marks (U+FEFF), which some Windows editors write but which have no meaning.
    static func withoutByteOrderMarks(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        while rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        return rest.count == bytes.count ? bytes : Array(rest)
    }

    /// Reads a scenario in JSON from a request or an export; its mistakes have paths but no lines.
    ///
    /// - Parameter isSaved: Whether the document is a saved world, in which all sizes and times are accepted.
    public static func read(json value: JSONValue, isSaved: Bool = false) throws(ScenarioErrors) -> Scenario {
        let tree: Node
        do { tree = try TreeBuilder.tree(of: value) } catch { throw ScenarioErrors(error, file: nil) }
        return try read(tree, file: nil, isSaved: isSaved)
    }

    /// Reads a scenario file, and also returns it as JSON, from which ``read(json:)`` would create the same scenario.
    public static func readWithJSON(_ text: String) throws(ScenarioErrors) -> (scenario: Scenario, json: JSONValue) {
        let scenario = try read(text)
        let bytes = withoutByteOrderMarks(Array(text.utf8))
        if let value = try? JSON.parse(bytes, limits: JSON.Limits(values: ScenarioLimits.valuesOfJSON)) {
            return (scenario, value)
        }
        return (scenario, try JSONValue(yaml: bytes))
    }

    private static func read(
        _ tree: Node, file: String?, isSaved: Bool = false
    ) throws(ScenarioErrors) -> Scenario {
        let diagnosis = Diagnosis(isSaved: isSaved)
        let scenario = read(Cursor(node: tree, path: .document, diagnosis: diagnosis))
        guard var scenario, diagnosis.isClean else { throw diagnosis.errors(file: file) }
        scenario.oldWords = diagnosis.oldWords
        scenario.written = WrittenScript(of: tree)
        return scenario
    }

    private static func read(_ cursor: Cursor) -> Scenario? {
        guard let fields = Fields(cursor, as: .scenario) else { return nil }
        let name = fields.required("name", "the scenario's name, " + Messages.text(of: 1...100))?.text(1...100)
        var scenario = Scenario(name: name ?? "", summary: fields["summary"]?.text(1...300) ?? "")
        scenario.guide = fields["guide"]?.choice(of: GuideMode.self)
        scenario.seed = fields["seed"]?.unsigned()
        scenario.clock = fields["clock"].flatMap(ClockMode.read)
        scenario.tokenLifetime = fields["token_lifetime"]?.duration()
        scenario.rules.read(fields)
        cursor.diagnosis.perTopic = scenario.rules.perTopic ?? .one
        cursor.diagnosis.ids = scenario.rules.ids ?? .lowerCase
        scenario.data = WorldData.read(fields)
        scenario.checkPasswords(fields)
        let pauses = fields["pauses"].map(PauseTable.init) ?? PauseTable()
        scenario.script.answers = fields.list("answers", limit: ScenarioLimits.rules, of: "answers") {
            AnswerRule.read($0, pauses: pauses)
        }
        scenario.script.meals = fields.list("meals", limit: ScenarioLimits.rules, of: "meals", MealRule.read)
        let (answers, meals) = (scenario.script.answers, scenario.script.meals)
        for (key, texts) in [("answers", answers.map(\.content)), ("meals", meals.map(\.text))] {
            let steps = texts.reduce(0) { $0 + ($1?.stepsPerScalar ?? 0) }
            if steps > ScenarioLimits.matchingSteps { fields.refuse(key, Messages.tooManyMatchingSteps(steps)) }
        }
        scenario.faults = fields["faults"].map(FaultReader.rules) ?? []
        scenario.stubs = fields.list("stubs", limit: ScenarioLimits.stubs, of: "stubs", Stub.read)
        scenario.network = fields["network"].flatMap(NetworkProfile.read)
        scenario.upstream = fields["upstream"].flatMap(Upstream.read)
        if case .list? = fields["overlay"]?.node.content {
            scenario.overlay = fields["overlay"].flatMap(Overlay.read)
        } else {
            scenario.unreadOverlay = fields["overlay"]?.text(
                1...ScenarioLimits.sessionPath, bytes: ScenarioLimits.sessionPath)
        }
        fields.refuse(keysWithoutReplay, unless: fields["replay"] == nil, Messages.contradicts("replay"))
        scenario.replay = fields["replay"].flatMap(SessionReplay.read)
        return scenario
    }
}

extension Scenario {
    /// Reads the strings accepted as tokens, and their users.
    static func tokens(_ cursor: Cursor) -> [ExactString: ExactString] {
        var tokens: [ExactString: ExactString] = [:]
        for cursor in cursor.elements(limit: ScenarioLimits.tokens, of: "tokens") ?? [] {
            guard let fields = Fields(cursor, as: .token) else { continue }
            let token = fields.required("token", Messages.token)
            let text = token?.string(expected: Messages.token) ?? ""
            let isToken = (1...200).contains(text.utf8.count) && text.utf8.allSatisfy(isTokenCharacter)
            if token != nil, !isToken { token?.refuse(expected: Messages.token) }
            let user = fields["user"]?.text(AccessToken.userLength) ?? defaultUserName
            let id = ExactString(user == defaultUserName ? defaultUserID : user)
            if isToken, tokens.updateValue(id, forKey: ExactString(text)) != nil {
                fields.refuse("token", Messages.notUnique("token"))
            }
        }
        return tokens
    }

    /// Whether a bearer token may contain the byte (RFC 6750 §2.1).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/=".utf8.contains(byte)
        }
    }
}

extension ClockMode {
    fileprivate static func read(_ cursor: Cursor) -> ClockMode? {
        if case .mapping = cursor.node.content {
            guard let fields = Fields(cursor, as: .clock) else { return nil }
            return fields.required("manual", Messages.timestamp)?.timestamp().map { .manual(start: $0) }
        }
        switch cursor.written {
        case "real": return .real
        case "manual": return .manual
        default:
            return cursor.refuse(expected: "real, manual, or {manual: 2025-01-29T10:30:00Z}")
        }
    }
}

extension ScenarioErrors {
    init(_ error: TreeError, file: String?) {
        let position = error.position
        self.init(
            file: file,
            mistakes: [Mistake(line: position?.line, column: position?.column, path: "", message: error.message)])
    }

    /// Creates a mistake found after reading, for example while seeding the data, with its line and column.
    ///
    /// - Parameters:
    ///   - path: The value's path, as in ``Mistake/path``; the position is that of its longest part in the file.
    ///   - text: The scenario's file; the mistake has no line if the file cannot be parsed.
    public init(path: String, message: String, in text: String, file: String?) {
        let position = (try? TreeBuilder.tree(ofYAML: Array(text.utf8))).flatMap { $0.position(at: path) }
        self.init(
            file: file,
            mistakes: [
                Mistake(
                    line: position?.line, column: position?.column, path: path,
                    message: path.isEmpty ? message : "\(path): \(message)")
            ])
    }
}

extension Node {
    /// The position of a path's value: the position of its key, or of the value itself, or of the nearest enclosing
    /// value.
    fileprivate func position(at path: String) -> Position? {
        var node = self
        var position = node.position
        for step in path.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" }) {
            switch node.content {
            case .mapping(let members):
                guard let member = members.first(where: { $0.key == step }) else { return position }
                node = member.value
                position = member.keyPosition ?? node.position
            case .list(let elements):
                guard let index = Int(step), elements.indices.contains(index) else { return position }
                node = elements[index]
                position = node.position
            case .null, .plain, .text: return position
            }
        }
        return position
    }

    var json: JSONValue {
        switch content {
        case .null: .null
        case .plain("true"): true
        case .plain("false"): false
        case .plain(let text): JSONNumber(text).map { .number($0) } ?? .string(text)
        case .text(let text): .string(text)
        case .list(let elements): .array(elements.map(\.json))
        case .mapping(let members): .object(JSONObject(members.map { ($0.key, $0.value.json) }))
        }
    }
}

extension SessionReplay {
    static func read(_ cursor: Cursor) -> SessionReplay? {
        guard case .mapping = cursor.node.content else { return source(cursor).map { SessionReplay($0) } }
        guard let fields = Fields(cursor, as: .replay) else { return nil }
        var settings = ReplaySettings()
        if let match = fields["match"]?.choice(of: ReplaySettings.Match.self) { settings.match = match }
        if let speed = fields["speed"].flatMap(ReplaySettings.Speed.read) { settings.speed = speed }
        if let frames = fields["frames"]?.choice(of: ReplaySettings.FrameOrder.self) { settings.frames = frames }
        guard let session = fields.required("session", Messages.session).flatMap(source) else { return nil }
        return SessionReplay(session, settings: settings)
    }

    private static func source(_ cursor: Cursor) -> Source? {
        guard case .mapping = cursor.node.content else {
            return cursor.text(1...ScenarioLimits.sessionPath, bytes: ScenarioLimits.sessionPath).map { .file($0) }
        }
        do throws(Refusal) {
            return .plan(try Recording(readingHAR: cursor.node.json.encoded()).plan)
        } catch {
            return cursor.refuse("cannot be played back: \(error.description)")
        }
    }
}

extension ReplaySettings.Speed {
    fileprivate static func read(_ cursor: Cursor) -> ReplaySettings.Speed? {
        if cursor.written == "instant" { return .instant }
        guard let factor = cursor.number?.double, ScenarioLimits.replaySpeed.contains(factor) else {
            return cursor.refuse(expected: "instant, or a multiple of the recorded speed: a number from 0.001 to 1000")
        }
        return .factor(factor)
    }
}

extension JSONValue {
    /// Reads a YAML document of at most ``ScenarioLimits/nodes`` values as JSON; throws the first mistake.
    public init(yaml bytes: [UInt8]) throws(ScenarioErrors) {
        do { self = try TreeBuilder.tree(ofYAML: bytes).json } catch { throw ScenarioErrors(error, file: nil) }
    }
}

extension NetworkProfile: Coded {
    /// A name, or a mapping that sets custom numbers.
    static func read(_ cursor: Cursor) -> NetworkProfile? {
        guard case .mapping = cursor.node.content else {
            return cursor.name(among: all.map(\.name)).flatMap(named)
        }
        return NetworkProfile(customName).reading(cursor, as: .network)
    }

    /// Writes the member `network` of a scenario file into the open object.
    package func writeMember(into writer: inout JSONWriter) {
        if self == Self.named(name) { writer.member("network", name) } else { writer.object("network", write) }
    }

    mutating func code(_ coder: inout MemberCoder) {
        coder.member("rtt", &roundTrip, .duration(0...FaultLimits.networkDelay))
        coder.member("down", &down, .integer(1...FaultLimits.networkRate))
        coder.member("up", &up, .integer(1...FaultLimits.networkRate))
        coder.member("jitter", &jitter, .duration(0...FaultLimits.networkDelay))
        coder.member("loss_per_mille", &lossPerMille, .integer(0...1000))
        // If 'every' is invalid, 'for' may be as long as in the longest period.
        let unread = Outages(period: FaultLimits.longestWait, length: 0)
        coder.member("outages", &outages, .object(unread, as: .outages))
        coder.member("failing_connections", &failingConnections, .integer(0...FaultLimits.failingConnections))
    }
}

extension NetworkProfile.Outages: Coded {
    mutating func code(_ coder: inout MemberCoder) {
        let (shortest, longest) = (FaultLimits.shortestHold, FaultLimits.longestWait)
        coder.required("every", &period, .duration(2 * shortest...longest), Messages.duration)
        coder.required("for", &length, .duration(shortest...max(shortest, period / 2)), Messages.duration)
        coder.member("reset_per_mille", &resetPerMille, .integer(0...1000))
    }
}
