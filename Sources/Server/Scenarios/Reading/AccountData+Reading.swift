import FitIQAPI
import FitIQBackend

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
    /// What hashing its passwords takes, in iterations of PBKDF2.
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
    /// - Parameter readContent: Reads what is beside the id and the times.
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
        details.languageCode = fields["language_code"]?.text(1...35) ?? details.languageCode
        details.dateOfBirth = fields["date_of_birth"]?.date()
        details.biologicalSex = fields["biological_sex"]?.text(1...50)
        details.height = fields["height_cm"]?.double(1...300)
        details.gender = fields["gender"]?.text(1...50)
        details.weight = fields["weight"]?.double(1...1000)
        details.activityLevel = fields["activity_level"]?.text(1...50)
        details.isProvisional = fields["provisional"]?.isTrue() ?? false
        return details
    }
}

extension PreferenceLists {
    static func read(_ fields: Fields) -> PreferenceLists {
        func texts(_ key: String) -> [String] {
            fields.list(key, limit: PreferenceLists.limit, of: "texts") { $0.text(PreferenceLists.characters) }
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
        // The reasons are those of date-times; a whole date shares the first ones.
        return written?.utf8.count == 10 ? refuse(time: expected) : refuse(expected: expected)
    }
}
