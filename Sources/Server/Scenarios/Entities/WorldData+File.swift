import FitIQAPI
import FitIQBackend
import JSON

extension Scenario {
    /// The user called `default` in files; the token that the server prints belongs to this user.
    public static let defaultUserID = "7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3a"
    static let defaultUserName = "default"
}

extension WorldData {
    static func read(_ scenario: Fields, perTopic: ConsultationsPerTopic) -> WorldData {
        var data = WorldData()
        data.issuedIDs = scenario["issued_ids"]?.integer(0...Int.max)
        var ids: Set<ExactString> = []
        for cursor in scenario["users"]?.elements(limit: ScenarioLimits.users, of: "users") ?? [] {
            guard let fields = Fields(cursor, as: .user) else { continue }
            let user = UserData.read(fields, isExported: data.issuedIDs != nil, perTopic: perTopic)
            if !user.id.isEmpty, !ids.insert(user.id).inserted { fields.refuse("id", Messages.notUnique("id")) }
            data.users.append(user)
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
            if let accounts = rules.accounts {
                writer.object("accounts") { writer in
                    writer.member("access_token", "\(accounts.accessLifetime)ns")
                    writer.member("refresh_token", "\(accounts.refreshLifetime)ns")
                    writer.member("password_cost", accounts.passwordCost)
                }
            }
            if let perTopic = rules.perTopic {
                writer.object("consultations") { $0.member("per_topic", perTopic.rawValue) }
            }
            writer.member("ids", ifPresent: rules.ids?.rawValue)
            writer.linesIfAny("tokens", rules.tokens.sorted { $0.key < $1.key }) { writer, token in
                writer.member("token", token.key.text)
                writer.member("user", token.value.text)
            }
            writer.member("on_rewind", ifPresent: rules.onRewind?.rawValue)
            writer.member("compression", ifPresent: rules.compression?.rawValue)
            if let pings = rules.pings { writer.duration("pings", pings) }
            write(into: &writer)
        }
    }

    /// Writes the members `issued_ids` and `users` of a scenario file into the open object.
    public func write(into writer: inout JSONWriter) {
        writer.member("issued_ids", ifPresent: issuedIDs)
        writer.lines("users", users) { writer, user in user.write(into: &writer) }
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

extension AccountRules {
    static func read(_ cursor: Cursor) -> AccountRules? {
        guard let fields = Fields(cursor, as: .accounts) else { return nil }
        var rules = AccountRules()
        let lifetimes = 1_000_000_000...ScenarioLimits.longestDuration
        rules.accessLifetime = fields["access_token"]?.duration(lifetimes) ?? rules.accessLifetime
        rules.refreshLifetime = fields["refresh_token"]?.duration(lifetimes) ?? rules.refreshLifetime
        rules.passwordCost = fields["password_cost"]?.integer(PasswordHash.costs) ?? rules.passwordCost
        return rules
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
    mutating func lines<Element>(
        _ name: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        array(name) { writer in
            for element in elements {
                var line = JSONWriter(appendingTo: [UInt8(ascii: "\n")])
                line.object { write(&$0, element) }
                writer.raw(line.bytes)
            }
        }
    }

    mutating func linesIfAny<Element>(
        _ name: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) { if !elements.isEmpty { lines(name, elements, write) } }

    /// Writes a rule's text so that YAML and JSON readers get the same text; omits nil.
    ///
    /// Users copy listed rules into handwritten files, whereas a world's contents are written as stored.
    mutating func text(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        guard text.unicodeScalars.contains(where: \.isEscapedInYAML) else { return member(name, text) }
        member(name, raw: JSONValue.string(text).encodedForYAML())
    }

    /// Writes a time to the nanosecond, or a duration before the world's start; omits nil.
    mutating func time(_ name: StaticString, _ time: DataTime?) {
        switch time {
        case nil: break
        case .at(let time): member(name, time.preciseText)
        case .before(let nanoseconds): member(name, "\(nanoseconds)ns ago")
        }
    }
}
