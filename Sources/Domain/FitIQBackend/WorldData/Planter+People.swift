import FitIQAPI

/// Accounts, profiles and preferences.
extension Planter {
    mutating func plantPerson(of data: UserData, _ user: UserID, at path: String) throws(PlantError) {
        guard data.account != nil || data.profile != nil || data.preferences != nil else { return }
        try checkStorage(path)
        var person = backend.person(of: user, at: now)
        if let profile = data.profile { person.profile = try planted(profile, at: "\(path).profile") }
        if let account = data.account { person.account = try planted(account, of: user, at: path) }
        if let preferences = data.preferences {
            person.preferences = try planted(preferences, at: "\(path).preferences")
        }
        backend.set(person, of: user)
    }

    private mutating func planted(_ data: ProfileData, at path: String) throws(PlantError) -> Profile {
        let details = data.details
        try check(details.name, "\(path).name", ProfileDetails.nameLengths)
        try check(details.bio, "\(path).bio", ProfileDetails.bioLengths)
        try check(details.languageCode, "\(path).language_code", 1...35)
        try check(details.biologicalSex, "\(path).biological_sex", 1...50)
        try check(details.gender, "\(path).gender", 1...50)
        try check(details.activityLevel, "\(path).activity_level", 1...50)
        if let height = details.height { try check(height, "\(path).height_cm", 1...300) }
        if let weight = details.weight { try check(weight, "\(path).weight", 1...1000) }
        let times = try times(data.createdAt, data.updatedAt, "the profile was created", at: path)
        return Profile(
            id: data.id ?? turn.identifiers.next(), details: details, isProvisional: data.isProvisional,
            createdAt: times.created, updatedAt: times.updated)
    }

    private mutating func planted(_ data: PreferencesData, at path: String) throws(PlantError) -> Preferences {
        let lists = data.lists
        for (name, texts) in [
            ("allergies", lists.allergies), ("dietary_restrictions", lists.dietaryRestrictions),
            ("food_dislikes", lists.foodDislikes),
        ] {
            guard texts.count <= Preferences.Lists.limit else {
                throw PlantError("\(path).\(name)", .tooMany("texts", texts.count, limit: Preferences.Lists.limit))
            }
            for (index, text) in texts.enumerated() {
                try check(text, "\(path).\(name)[\(index)]", Preferences.Lists.characters)
            }
        }
        let times = try times(data.createdAt, data.updatedAt, "the preferences were created", at: path)
        return Preferences(
            id: data.id ?? turn.identifiers.next(), lists: lists, createdAt: times.created, updatedAt: times.updated)
    }

    private func times(
        _ created: DataTime?, _ updated: DataTime?, _ what: String, at path: String
    ) throws(PlantError) -> (created: Timestamp, updated: Timestamp) {
        let updated = try time(updated, "\(path).updated_at")
        let created = try time(created, "\(path).created_at") ?? updated ?? now
        try check(updated ?? created, "\(path).updated_at", notBefore: created, what)
        return (created, updated ?? created)
    }

    private mutating func planted(_ data: AccountData, of user: UserID, at path: String) throws(PlantError) -> Account {
        guard EmailAddress.isAddress(data.email) else { throw PlantError("\(path).email", .notAnAddress(data.email)) }
        guard backend.addresses[EmailAddress.key(data.email)] ?? user == user else {
            throw PlantError("\(path).email", .duplicateAddress(data.email))
        }
        guard data.refreshTokens.count <= limits.refreshTokens else {
            throw PlantError(
                "\(path).refresh_tokens",
                .tooMany("refresh tokens", data.refreshTokens.count, limit: limits.refreshTokens))
        }
        let password: PasswordHash
        switch data.password {
        case .hash(let hash): password = hash
        case .plain(let text):
            try check(text, "\(path).password", RegisterRequest.passwordLengths)
            password = backend.hash(of: text, &turn)
        }
        return Account(email: data.email, password: password, refreshTokens: data.refreshTokens)
    }
}
