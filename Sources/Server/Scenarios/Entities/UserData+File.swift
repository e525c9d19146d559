import FitIQAPI
import FitIQBackend
import JSON

extension UserData {
    /// - Parameter isExported: Whether the document is an exported world, in which a user's id comes from the token and
    ///   may be any string.
    static func read(_ fields: Fields, isExported: Bool, perTopic: ConsultationsPerTopic) -> UserData {
        let id = fields["id"].map { $0.text(TextLengths.user) ?? "" } ?? Scenario.defaultUserID
        var user = UserData(
            id: ExactString(!isExported && id == Scenario.defaultUserName ? Scenario.defaultUserID : id))
        var goals = GoalTable()
        for cursor in fields["goals"]?.elements(limit: ScenarioLimits.goals, of: "goals") ?? [] {
            guard let goalFields = Fields(cursor, as: .goal) else { continue }
            let goal = GoalData.read(goalFields)
            goals.add(goal, fields: goalFields)
            user.goals.append(goal)
        }
        var topics = TopicTable(perTopic: perTopic)
        for cursor in fields["consultations"]?.elements(limit: ScenarioLimits.consultations, of: "consultations") ?? []
        {
            guard let consultation = ConsultationData.read(cursor, goals: goals) else { continue }
            // An exported world may have had different rules; seeding checks whether the data satisfies the current
            // rules.
            if consultation.status == .active, !isExported { topics.add(consultation, goals: goals, cursor: cursor) }
            user.consultations.append(consultation)
        }
        user.fillActiveConsultations = fields["fill_active_consultations"]?.integer(
            0...ScenarioLimits.activeConsultations)
        user.mealLogs = fields.list("meal_logs", limit: ScenarioLimits.mealLogs, of: "meal logs") {
            .read($0, isPhoto: false)
        }
        user.photos = fields.list("photos", limit: ScenarioLimits.photos, of: "photos") { .read($0, isPhoto: true) }
        user.documents = fields["documents"].map(DocumentData.read) ?? [:]
        user.account = AccountData.read(fields)
        user.profile = fields["profile"].flatMap { .read($0, as: .profile, ProfileDetails.read) }
        user.preferences = fields["preferences"].flatMap { .read($0, as: .preferences, PreferenceLists.read) }
        return user
    }

    func write(into writer: inout JSONWriter) {
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

/// The topics of a user's active consultations: up to ten, and each topic only once unless the rules allow more.
private struct TopicTable {
    private struct Topic: Hashable {
        var persona: Persona
        var context: ContextType
        var id: ExactString?
    }

    private let perTopic: ConsultationsPerTopic
    private var topics: Set<Topic> = []
    private var count = 0

    init(perTopic: ConsultationsPerTopic) { self.perTopic = perTopic }

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
        if !topics.insert(topic).inserted, perTopic == .one { cursor.refuse(Messages.sameTopic) }
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

extension UserRecordData {
    /// - Parameter readContent: Reads the members except for the id and the times.
    static func read(_ cursor: Cursor, as kind: ObjectKind, _ readContent: (Fields) -> Content) -> Self? {
        guard let fields = Fields(cursor, as: kind) else { return nil }
        return UserRecordData(
            id: fields["id"]?.resourceID(), readContent(fields), createdAt: fields["created_at"]?.dataTime(),
            updatedAt: fields["updated_at"]?.dataTime())
    }

    fileprivate func write(into writer: inout JSONWriter, _ writeContent: (inout JSONWriter) -> Void) {
        writer.member("id", ifPresent: id)
        writeContent(&writer)
        writer.time("created_at", createdAt)
        writer.time("updated_at", updatedAt)
    }
}

extension ProfileDetails {
    static func read(_ fields: Fields) -> ProfileDetails {
        let name = fields.required("name", Messages.text(of: ProfileDetails.nameLengths))?
            .text(ProfileDetails.nameLengths)
        var details = ProfileDetails(name: name ?? "")
        details.bio = fields["bio"]?.text(ProfileDetails.bioLengths)
        details.unitSystem = fields["preferred_unit_system"]?.choice(of: UnitSystem.self) ?? details.unitSystem
        details.languageCode =
            fields["language_code"]?.text(ProfileDetails.languageCodeLengths) ?? details.languageCode
        details.dateOfBirth = fields["date_of_birth"]?.date()
        details.biologicalSex = fields["biological_sex"]?.text(ProfileDetails.wordLengths)
        details.height = fields["height_cm"]?.double(ProfileDetails.heights)
        details.gender = fields["gender"]?.text(ProfileDetails.wordLengths)
        details.weight = fields["weight"]?.double(ProfileDetails.weights)
        details.activityLevel = fields["activity_level"]?.text(ProfileDetails.wordLengths)
        details.isProvisional = fields["provisional"]?.isTrue() ?? details.isProvisional
        return details
    }
}

extension PreferenceLists {
    static func read(_ fields: Fields) -> PreferenceLists {
        func texts(_ key: String) -> [String] {
            fields.list(key, limit: PreferenceLists.limit, of: "strings") { $0.text(PreferenceLists.characters) }
        }
        var lists = PreferenceLists()
        lists.allergies = texts("allergies")
        lists.dietaryRestrictions = texts("dietary_restrictions")
        lists.foodDislikes = texts("food_dislikes")
        return lists
    }
}

extension DocumentData {
    /// Reads lists of documents by collection; the documents' members are checked later.
    fileprivate static func read(_ cursor: Cursor) -> [DocumentCollection: [DocumentData]] {
        guard let fields = Fields(cursor, as: .documents) else { return [:] }
        var documents: [DocumentCollection: [DocumentData]] = [:]
        for collection in DocumentCollection.allCases {
            let list = fields.list(collection.rawValue, limit: ScenarioLimits.documents, of: "documents") {
                read($0, in: collection)
            }
            if !list.isEmpty { documents[collection] = list }
        }
        return documents
    }

    private static func read(_ cursor: Cursor, in collection: DocumentCollection) -> DocumentData? {
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

extension ShareData {
    /// Reads a user's id, or an object with the share's details.
    fileprivate static func read(_ cursor: Cursor) -> ShareData? {
        guard case .mapping = cursor.node.content else {
            return cursor.exactText(TextLengths.user).map { ShareData(user: $0) }
        }
        guard let fields = Fields(cursor, as: .share),
            let user = fields.required("user_id", Messages.text(of: TextLengths.user))?.exactText(TextLengths.user)
        else { return nil }
        var share = ShareData(id: fields["id"]?.resourceID(), user: user)
        if let profession = fields["professional_type"]?.name(among: ShareDocumentRequest.professions) {
            share.professionalType = profession
        }
        share.notes = fields["notes"]?.text(0...500)
        share.createdAt = fields["created_at"]?.dataTime()
        return share
    }
}
