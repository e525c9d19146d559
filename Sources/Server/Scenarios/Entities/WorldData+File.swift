import FitIQAPI
import FitIQBackend
import JSON

extension Scenario {
    /// The user called `default` in files; the token that the server prints belongs to this user.
    public static let defaultUserID = "7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3a"
    static let defaultUserName = "default"
}

extension WorldData {
    static func read(_ scenario: Fields) -> WorldData {
        var data = WorldData()
        data.issuedIDs = scenario["issued_ids"]?.integer(0...Int.max)
        scenario.cursor.diagnosis.isExported = data.issuedIDs != nil
        var ids: Set<ExactString> = []
        data.users = scenario.list("users", limit: ScenarioLimits.users, of: "users") { cursor in
            guard let fields = Fields(cursor, as: .user) else { return nil }
            var user = UserData(id: ExactString(Scenario.defaultUserID))
            user.read(fields)
            if !user.id.isEmpty, !ids.insert(user.id).inserted { fields.refuse("id", Messages.notUnique("id")) }
            return user
        }
        return data
    }

    /// The data as a JSON scenario file; a world that starts from this file has the same state.
    ///
    /// Strings are written as stored, even if YAML would refuse or fold them, because a JSON file is read as JSON. The
    /// file is therefore at most as large as the world's stored bytes, as the limits assume.
    ///
    /// - Parameters:
    ///   - seed: The seed of the world's ids, which continue after ``issuedIDs``.
    ///   - clock: For a manual clock, the time at which the data was taken.
    ///   - rules: The rules of the scenario and the command line; unset rules are not written.
    public func scenarioFile(
        name: String, guide: GuideMode, seed: UInt64, clock: ClockMode, rules: WorldRules = WorldRules()
    ) -> [UInt8] {
        JSONWriter.object(reserving: 4096) { writer in
            writer.member("name", name)
            writer.member("guide", guide.rawValue)
            // The seed may be too large for Int.
            writer.member("seed", raw: Array("\(seed)".utf8))
            switch clock {
            case .real: writer.member("clock", "real")
            case .manual(let time): writer.object("clock") { $0.member("manual", time.preciseText) }
            }
            rules.write(into: &writer)
            write(into: &writer)
        }
    }

    /// Writes the members `issued_ids` and `users` of a scenario file into the open object.
    public func write(into writer: inout JSONWriter) {
        writer.member("issued_ids", ifPresent: issuedIDs)
        writer.key("users")
        writer.lines(users) { $1.write(into: &$0) }
    }
}

extension EntityData {
    /// The entity as an object in a scenario file, not including its dependent entities.
    public var encoded: [UInt8] {
        switch self {
        case .user(let user): JSONWriter.object(user.write)
        case .goal(let goal): JSONWriter.object(goal.write)
        case .consultation(let consultation): JSONWriter.object(consultation.write)
        case .message(let message): JSONWriter.object(message.write)
        case .mealLog(let log): JSONWriter.object(log.write)
        case .document(let document): document.encoded
        }
    }
}

extension WorldRules: Coded {
    mutating func code(_ coder: inout MemberCoder) {
        coder.member("accounts", &accounts, .object(AccountRules(), as: .accounts))
        let perTopic = MemberForm<ConsultationsPerTopic> { cursor in
            Fields(cursor, as: .consultations)?["per_topic"]?.choice(of: ConsultationsPerTopic.self)
        } write: { writer, perTopic in
            writer.object { $0.member("per_topic", perTopic.rawValue) }
        }
        coder.member("consultations", &self.perTopic, perTopic)
        coder.member("ids", &ids, .choice())
        let tokens = MemberForm<[ExactString: ExactString]>(read: Scenario.tokens) { writer, tokens in
            writer.lines(tokens.sorted { $0.key < $1.key }) { writer, token in
                writer.member("token", token.key.text)
                writer.member("user", token.value.text)
            }
        }
        coder.member("tokens", &self.tokens, tokens, unless: [:])
        coder.member("on_rewind", &onRewind, .choice())
        coder.member("compression", &compression, .choice())
        coder.member("pings", &pings, .duration(1_000_000_000...3_600_000_000_000))
    }
}

extension AccountRules: Coded {
    mutating func code(_ coder: inout MemberCoder) {
        let lifetime = MemberForm<Int64>(
            read: { $0.duration(1_000_000_000...ScenarioLimits.longestDuration) }, write: { $0.value("\($1)ns") })
        coder.member("access_token", &accessLifetime, lifetime)
        coder.member("refresh_token", &refreshLifetime, lifetime)
        coder.member("password_cost", &passwordCost, .integer(PasswordHash.costs))
    }
}

extension Scenario {
    /// The cost of hashing the data's passwords, in PBKDF2 iterations.
    package var passwordWork: Int {
        let count = data.users.count { if case .plain? = $0.account?.password { true } else { false } }
        return count * (rules.accounts ?? AccountRules()).passwordCost
    }

    func checkPasswords(_ fields: Fields) {
        guard passwordWork > ScenarioLimits.passwordWork else { return }
        fields.refuse("users", Messages.tooMuchPasswordWork(passwordWork, limit: ScenarioLimits.passwordWork))
    }
}

extension JSONWriter {
    /// Writes a list of objects, one per line, which is valid YAML and works well with `diff`.
    mutating func lines<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        array { writer in
            for element in elements {
                var line = JSONWriter(appendingTo: [UInt8(ascii: "\n")])
                line.object { write(&$0, element) }
                writer.raw(line.bytes)
            }
        }
    }

    mutating func text(_ name: StaticString, _ text: String) {
        key(name)
        value(forYAML: text)
    }

    /// Writes a rule's text so that YAML and JSON readers get the same text.
    ///
    /// Users copy listed rules into handwritten files, whereas a world's contents are written as stored.
    mutating func value(forYAML text: String) {
        guard text.unicodeScalars.contains(where: \.isEscapedInYAML) else { return value(text) }
        raw(JSONValue.string(text).encodedForYAML())
    }
}
