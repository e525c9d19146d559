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
}

extension UserData {
    /// - Parameter isExported: Whether the document is an exported world, in which a user's id comes from the token and
    ///   may be any string.
    fileprivate static func read(_ fields: Fields, isExported: Bool, perTopic: ConsultationsPerTopic) -> UserData {
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

extension GoalData {
    fileprivate static func read(_ fields: Fields) -> GoalData {
        let title = fields.required("title", Messages.text(of: GoalLengths.title))?.text(GoalLengths.title)
        var goal = GoalData(title: title ?? "")
        goal.id = fields["id"]?.resourceID()
        goal.name = fields["name"]?.exactText(1...100)
        goal.description = fields["description"]?.text(GoalLengths.description) ?? ""
        goal.category = fields["category"]?.text(GoalLengths.category)
        goal.targetDate = fields["target_date"]?.dateTime()
        goal.status = fields["status"]?.choice(of: GoalState.self) ?? .notStarted
        goal.progress = fields["progress"]?.double(0...1) ?? 0
        goal.measure.startDate = fields["start_date"]?.date()
        goal.measure.type = fields["goal_type"]?.text(GoalLengths.category)
        goal.measure.target = fields["target_value"]?.double(GoalMeasure.targets)
        goal.measure.unit = fields["target_unit"]?.text(GoalLengths.unit)
        goal.measure.current = fields["current_value"]?.double(GoalMeasure.values)
        goal.createdAt = fields["created_at"]?.dataTime()
        goal.updatedAt = fields["updated_at"]?.dataTime()
        return goal
    }
}

struct GoalTable {
    private var indexOfName: [ExactString: Int] = [:]
    private var indexOfID: [ResourceID: Int] = [:]
    private var names: [String] = []
    private var count = 0

    /// Adds a goal; reports a name or an id that already exists.
    fileprivate mutating func add(_ goal: GoalData, fields: Fields) {
        if let name = goal.name {
            if indexOfName.updateValue(count, forKey: name) == nil {
                names.append(name.text)
            } else {
                fields.refuse("name", Messages.notUnique("name"))
            }
        }
        if let id = goal.id, indexOfID.updateValue(count, forKey: id) != nil {
            fields.refuse("id", Messages.notUnique("id"))
        }
        count += 1
    }

    func index(of reference: GoalReference) -> Int? {
        switch reference {
        case .named(let name): indexOfName[name]
        case .id(let id): indexOfID[id]
        }
    }

    func reference(_ cursor: Cursor) -> GoalReference? {
        guard let text = cursor.text(1...100) else { return nil }
        let name = GoalReference.named(ExactString(text))
        // A free-form id looks like a name.
        let id = index(of: name) == nil ? ResourceID(text, as: cursor.diagnosis.ids).map(GoalReference.id) : nil
        let reference = id.flatMap { index(of: $0) == nil && ResourceID(text) == nil ? nil : $0 } ?? name
        guard index(of: reference) == nil else { return reference }
        if case .id = reference {
            cursor.refuse(Messages.unknownGoalID(text))
        } else {
            cursor.refuse(
                Messages.unknownGoal(text, known: Array(names.prefix(20)), nearest: Messages.nearest(text, names)))
        }
        return nil
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
        details.isProvisional = fields["provisional"]?.isTrue() ?? false
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

extension Cursor {
    func date() -> DateTime? {
        if let date = written.flatMap({ DateTime(date: $0) }) { return date }
        let expected = "a date such as \"1990-05-17\""
        // A string as long as a date gets the error for near misses; any other string gets the general error.
        return written?.utf8.count == 10 ? refuse(time: expected) : refuse(expected: expected)
    }
}
