import FitIQAPI
import FitIQBackend
import JSON

extension WorldData {
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

extension UserData {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.member("id", id.text)
        writer.linesIfAny("goals", goals) { $1.write(into: &$0) }
        writer.linesIfAny("consultations", consultations) { $1.write(into: &$0) }
        writer.member("fill_active_consultations", ifPresent: fillActiveConsultations)
        writer.linesIfAny("meal_logs", mealLogs) { $1.write(into: &$0) }
        writer.linesIfAny("photos", photos) { $1.write(into: &$0) }
        if let account { account.write(into: &writer) }
        if let profile {
            writer.object("profile") { writer in
                profile.write(into: &writer, profile.content.write)
                if profile.content.isProvisional { writer.member("provisional", true) }
            }
        }
        if let preferences {
            writer.object("preferences") { preferences.write(into: &$0, preferences.content.write) }
        }
        guard documents.contains(where: { !$1.isEmpty }) else { return }
        writer.object("documents") { writer in
            for collection in DocumentCollection.allCases {
                guard let documents = documents[collection], !documents.isEmpty else { continue }
                writer.key(escaping: collection.rawValue)
                writer.array { array in for document in documents { array.raw([.lineFeed] + document.encoded) } }
            }
        }
    }
}

extension AccountData {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.member("email", email)
        switch password {
        case .plain(let text): writer.member("password", text)
        case .hash(let hash): writer.member("password_hash", hash.text)
        }
        guard !refreshTokens.isEmpty else { return }
        writer.array("refresh_tokens") { array in
            for token in refreshTokens {
                array.object { writer in
                    writer.member("id", token.id)
                    writer.member("expires_at", Timestamp(secondsSinceEpoch: token.expiresAt).wireText)
                }
            }
        }
    }
}

extension DocumentData {
    fileprivate var encoded: [UInt8] {
        var line = JSONWriter(reserving: members.count + 256)
        line.beginObject()
        line.member("id", ifPresent: id)
        line.time("created_at", createdAt)
        line.time("updated_at", updatedAt)
        if !shares.isEmpty {
            line.array("shared_with") { array in
                for share in shares {
                    array.object { writer in
                        writer.member("user_id", share.user.text)
                        writer.member("id", ifPresent: share.id)
                        writer.member("professional_type", share.professionalType)
                        writer.member("notes", ifPresent: share.notes)
                        writer.time("created_at", share.createdAt)
                    }
                }
            }
        }
        let hasMembers = line.bytes.last != UInt8(ascii: "{")
        return line.bytes + (hasMembers && !members.isEmpty ? [UInt8(ascii: ",")] : []) + members + [UInt8(ascii: "}")]
    }
}

extension UserRecordData {
    fileprivate func write(into writer: inout JSONWriter, _ writeContent: (inout JSONWriter) -> Void) {
        writer.member("id", ifPresent: id)
        writeContent(&writer)
        writer.time("created_at", createdAt)
        writer.time("updated_at", updatedAt)
    }
}

extension GoalData {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.member("id", ifPresent: id)
        writer.member("name", ifPresent: name?.text)
        writer.member("title", title)
        writer.member("description", ifPresent: description)
        writer.member("category", ifPresent: category)
        writer.member("target_date", ifPresent: targetDate)
        writer.member("status", status.rawValue)
        writer.member("progress", progress)
        measure.write(into: &writer)
        writer.time("created_at", createdAt)
        writer.time("updated_at", updatedAt)
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

extension ConsultationData {
    func write(into writer: inout JSONWriter) {
        writer.member("id", ifPresent: id)
        writer.member("persona", persona.rawValue)
        writer.member("context", contextType.rawValue)
        writer.member("context_id", ifPresent: contextID?.text)
        writer.member("goal", ifPresent: contextGoal?.text)
        writer.member("linked_goal", ifPresent: linkedGoal?.text)
        if isUnlinked { writer.member("unlinked", true) }
        if !isGoalsConversation { writer.member("is_goals_conversation", false) }
        writer.member("title", ifPresent: title)
        writer.member("quick_action", ifPresent: quickAction)
        writer.member("status", status.rawValue)
        if madeUpMessages != 0 { writer.member("made_up_messages", madeUpMessages) }
        writer.linesIfAny("messages", messages) { $1.write(into: &$0) }
        if awaitsAnswer { writer.member("awaits_answer", true) }
        writer.time("created_at", createdAt)
        writer.time("updated_at", updatedAt)
        writer.time("completed_at", completedAt)
    }
}

extension MessageData {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.key(escaping: role.rawValue)
        writer.value(content)
        writer.member("id", ifPresent: id)
        writer.member("tokens_used", ifPresent: metadata?.tokensUsed)
        writer.member("function_called", ifPresent: metadata?.functionCalled)
        writer.member("persona", ifPresent: metadata?.persona?.rawValue)
        writer.member("processing_time_ms", ifPresent: metadata?.processingTime)
        if let template = metadata?.templateCreated {
            writer.key("template_created")
            template.write(into: &writer)
        }
        writer.time("created_at", createdAt)
    }
}

extension GoalReference {
    fileprivate var text: String {
        switch self {
        case .named(let name): name.text
        case .id(let id): id.description
        }
    }
}

extension MealLogData {
    func write(into writer: inout JSONWriter) {
        writer.member("id", ifPresent: id)
        writer.member("text", rawInput)
        writer.member("meal_type", mealType.rawValue)
        switch progress {
        case .processing: writer.member("status", MealLogStatus.processing.rawValue)
        case .parsed: writer.member("status", MealLogStatus.completed.rawValue)
        case .completed(let items), .foods(let items):
            // Write the list even if it is empty, because otherwise the parser would run.
            writer.member("status", (isManual ? MealLogStatus.manual : .completed).rawValue)
            writer.lines("items", items) { $1.write(into: &$0) }
        case .failed(let failure):
            writer.member("status", MealLogStatus.failed.rawValue)
            writer.member("error", failure.message)
            writer.member("details", ifPresent: failure.details)
            if failure.code != .parsing { writer.member("code", failure.code.rawValue) }
            if !failure.suggestions.isEmpty {
                writer.array("suggestions") { writer in for text in failure.suggestions { writer.value(text) } }
            }
        }
        writer.member("notes", ifPresent: notes)
        writer.member("meal_log_id", ifPresent: mealLogID)
        writer.member("logged_at", ifPresent: loggedAt)
        writer.time("created_at", createdAt)
        writer.time("started_at", startedAt)
        writer.time("finished_at", finishedAt)
        writer.time("updated_at", updatedAt)
    }
}

extension MealItem {
    fileprivate func write(into writer: inout JSONWriter) {
        if let id {
            writer.member("id", id)
            writer.member("food_id", foodID)
        }
        writer.member("name", name)
        writer.member("quantity", quantity)
        writer.member("unit", unit)
        if id != nil { writer.member("amount", amountText) }
        writer.member("calories", nutrients.calories)
        writer.grams(of: nutrients, "protein", "carbs", "fat", "fiber", "sugar")
        writer.member("confidence", confidence)
        writer.member("notes", ifPresent: notes)
        if id == nil || foodType != .food { writer.member("food_type", ifPresent: foodType?.rawValue) }
    }
}
