import FitIQAPI
import FitIQBackend
import JSON

extension UserData: Coded {
    mutating func code(_ coder: inout MemberCoder) {
        coder.member("id", &id, MemberForm(read: Self.id) { $0.value($1.text) })
        var table = GoalTable()
        let goals = MemberForm<[GoalData]>.lines(limit: ScenarioLimits.goals, of: "goals") { cursor in
            guard let fields = Fields(cursor, as: .goal) else { return nil }
            var goal = GoalData(title: "")
            goal.read(fields)
            table.add(goal, fields: fields)
            return goal
        }
        coder.member("goals", &self.goals, goals, unless: [])
        var topics = TopicTable()
        let consultations = MemberForm<[ConsultationData]>.lines(
            limit: ScenarioLimits.consultations, of: "consultations"
        ) { cursor in
            guard let consultation = ConsultationData.read(cursor, goals: table) else { return nil }
            // An exported world may have had different rules; seeding checks whether the data satisfies the current
            // rules.
            if consultation.status == .active, !cursor.diagnosis.isExported {
                topics.add(consultation, goals: table, cursor: cursor)
            }
            return consultation
        }
        coder.member("consultations", &self.consultations, consultations, unless: [])
        coder.member(
            "fill_active_consultations", &fillActiveConsultations, .integer(0...ScenarioLimits.activeConsultations))
        coder.member(
            "meal_logs", &mealLogs,
            .lines(limit: ScenarioLimits.mealLogs, of: "meal logs") { .read($0, isPhoto: false) }, unless: [])
        coder.member(
            "photos", &photos, .lines(limit: ScenarioLimits.photos, of: "photos") { .read($0, isPhoto: true) },
            unless: [])
        if let fields = coder.fields {
            account = AccountData.read(fields)
        } else {
            account?.write(into: &coder.writer)
        }
        coder.member("profile", &profile, .object(UserRecordData(ProfileDetails(name: "")), as: .profile))
        coder.member("preferences", &preferences, .object(UserRecordData(PreferenceLists()), as: .preferences))
        documents = documents.filter { !$1.isEmpty }
        coder.member("documents", &documents, .documents(), unless: [:])
    }

    /// In an exported world, a user's id comes from the token and may be any string.
    private static func id(_ cursor: Cursor) -> ExactString {
        let id = cursor.text(AccessToken.userLength) ?? ""
        return ExactString(
            !cursor.diagnosis.isExported && id == Scenario.defaultUserName ? Scenario.defaultUserID : id)
    }
}

/// The topics of a user's active consultations: up to ten, and each topic only once unless the rules allow more.
private struct TopicTable {
    private struct Topic: Hashable {
        var persona: Persona
        var context: ContextType
        var id: ExactString?
    }

    private var topics: Set<Topic> = []
    private var count = 0

    mutating func add(_ consultation: ConsultationData, goals: GoalTable, cursor: Cursor) {
        count += 1
        if count == ScenarioLimits.activeConsultations + 1 {
            cursor.refuse(Messages.tooManyActive(ScenarioLimits.activeConsultations))
        }
        let goal = consultation.contextGoal.flatMap(goals.index)
        // An unknown goal has already been reported and cannot be compared.
        guard consultation.contextType != .goal || goal != nil else { return }
        let topic = Topic(
            persona: consultation.persona, context: consultation.contextType,
            id: goal.map { ExactString("\($0)") } ?? consultation.contextID)
        if !topics.insert(topic).inserted, cursor.diagnosis.perTopic == .one { cursor.refuse(Messages.sameTopic) }
    }
}

extension AccountData {
    static func read(_ user: Fields) -> AccountData? {
        let keys = ["password", "password_hash"]
        guard let email = user["email"] else {
            user.refuse(keys + ["refresh_tokens"], unless: false, Messages.needs("'email'"))
            return nil
        }
        guard let address = email.text(1...EmailAddress.bytes) else { return nil }
        guard EmailAddress.isAddress(address) else { return email.refuse(expected: Messages.email) }
        let password: Password?
        switch user.one(of: keys, isRequired: true) {
        case "password"?: password = user["password"]?.text(RegisterRequest.passwordLengths).map(Password.plain)
        case "password_hash"?:
            password = user["password_hash"].flatMap { cursor in
                cursor.written.flatMap(PasswordHash.init).map(Password.hash)
                    ?? cursor.refuse(expected: Messages.passwordHash)
            }
        default: password = nil
        }
        let limit = FitIQBackend.Limits().refreshTokens
        let tokens = user.list("refresh_tokens", limit: limit, of: "refresh tokens", RefreshTicket.read)
        return password.map { AccountData(email: address, password: $0, refreshTokens: tokens) }
    }

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

extension RefreshTicket {
    fileprivate static func read(_ cursor: Cursor) -> RefreshTicket? {
        guard let fields = Fields(cursor, as: .refreshToken) else { return nil }
        let id = fields.required("id", Messages.resourceID)?.resourceID()
        let expiry = fields.required("expires_at", Messages.timestamp)?.timestamp(isData: true)
        guard let id, let expiry else { return nil }
        return RefreshTicket(id: id, expiresAt: expiry.secondsSinceEpoch)
    }
}

extension UserRecordData: Coded where Content: Coded {
    mutating func code(_ coder: inout MemberCoder) {
        coder.member("id", &id, .id())
        content.code(&coder)
        coder.member("created_at", &createdAt, .time())
        coder.member("updated_at", &updatedAt, .time())
    }
}

extension ProfileDetails: Coded {
    mutating func code(_ coder: inout MemberCoder) {
        coder.required("name", &name, .text(Self.nameLengths), Messages.text(of: Self.nameLengths))
        coder.member("bio", &bio, .text(Self.bioLengths))
        coder.member("preferred_unit_system", &unitSystem, .choice())
        coder.member("language_code", &languageCode, .text(Self.languageCodeLengths))
        coder.member("date_of_birth", &dateOfBirth, .date())
        coder.member("biological_sex", &biologicalSex, .text(Self.wordLengths))
        coder.member("height_cm", &height, .double(Self.heights))
        coder.member("gender", &gender, .text(Self.wordLengths))
        coder.member("weight", &weight, .double(Self.weights))
        coder.member("activity_level", &activityLevel, .text(Self.wordLengths))
        coder.member("provisional", &isProvisional, .isTrue(), unless: false)
    }
}

extension PreferenceLists: Coded {
    mutating func code(_ coder: inout MemberCoder) {
        let texts = MemberForm.texts(limit: Self.limit, Self.characters)
        coder.member("allergies", &allergies, texts)
        coder.member("dietary_restrictions", &dietaryRestrictions, texts)
        coder.member("food_dislikes", &foodDislikes, texts)
    }
}

extension MemberForm<[DocumentCollection: [DocumentData]]> {
    /// Lists of documents by collection; the documents' members are checked later.
    fileprivate static func documents() -> Self {
        Self { cursor in
            guard let fields = Fields(cursor, as: .documents) else { return nil }
            var documents = Value()
            for collection in DocumentCollection.allCases {
                let list = fields.list(collection.rawValue, limit: ScenarioLimits.documents, of: "documents") {
                    DocumentData.read($0, in: collection)
                }
                if !list.isEmpty { documents[collection] = list }
            }
            return documents
        } write: { writer, documents in
            writer.object { writer in
                for collection in DocumentCollection.allCases {
                    guard let documents = documents[collection], !documents.isEmpty else { continue }
                    writer.key(escaping: collection.rawValue)
                    writer.array { array in for document in documents { array.raw([.lineFeed] + document.encoded) } }
                }
            }
        }
    }
}

extension DocumentData {
    fileprivate static func read(_ cursor: Cursor, in collection: DocumentCollection) -> DocumentData? {
        guard case .mapping(let members) = cursor.node.content, let object = cursor.node.json.object else {
            return cursor.refuse(expected: Messages.document)
        }
        // The world's members, which are read in the same way as members of other entities.
        func world(_ key: String) -> Cursor? {
            guard collection.reservedMembers.contains(key),
                let node = members.last(where: { $0.key.isExactly(key) })?.value, node.content != .null
            else { return nil }
            return Cursor(node: node, path: .key(key, of: cursor.path), diagnosis: cursor.diagnosis)
        }
        return DocumentData(
            id: world("id")?.resourceID(), object: object, in: collection,
            createdAt: world("created_at")?.dataTime(), updatedAt: world("updated_at")?.dataTime(),
            shares: world("shared_with")?.elements(limit: ScenarioLimits.shares, of: "users")?
                .compactMap(ShareData.read) ?? [])
    }

    var encoded: [UInt8] {
        var line = JSONWriter(reserving: members.count + 256)
        line.beginObject()
        line.member("id", ifPresent: id)
        line.member("created_at", ifPresent: createdAt?.text)
        line.member("updated_at", ifPresent: updatedAt?.text)
        if !shares.isEmpty {
            line.array("shared_with") { array in for share in shares { array.object(share.write) } }
        }
        let hasMembers = line.bytes.last != UInt8(ascii: "{")
        return line.bytes + (hasMembers && !members.isEmpty ? [UInt8(ascii: ",")] : []) + members + [UInt8(ascii: "}")]
    }
}

extension ShareData: Coded {
    /// Reads a user's id, or an object with the share's details.
    fileprivate static func read(_ cursor: Cursor) -> ShareData? {
        guard case .mapping = cursor.node.content else {
            return cursor.exactText(AccessToken.userLength).map { ShareData(user: $0) }
        }
        return ShareData(user: "").reading(cursor, as: .share)
    }

    mutating func code(_ coder: inout MemberCoder) {
        coder.required("user_id", &user, .exactText(AccessToken.userLength), Messages.text(of: AccessToken.userLength))
        coder.member("id", &id, .id())
        coder.member(
            "professional_type", &professionalType, .string { $0.name(among: ShareDocumentRequest.professions) })
        coder.member("notes", &notes, .text(0...500))
        coder.member("created_at", &createdAt, .time())
    }
}
