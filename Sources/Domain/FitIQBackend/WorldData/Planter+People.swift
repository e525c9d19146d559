import FitIQAPI

extension Planter {
    mutating func plantPerson(of data: UserData, _ user: UserID, at path: String) throws(PlantError) {
        guard data.account != nil || data.profile != nil || data.preferences != nil else { return }
        try checkStorage(path)
        var person = backend.person(of: user, at: now)
        if let profile = data.profile {
            try check(profile.content, at: "\(path).profile")
            person.profile = try planted(profile, "the profile was created", at: "\(path).profile")
        }
        if let account = data.account { person.account = try planted(account, of: user, at: path) }
        if let preferences = data.preferences {
            try check(preferences.content, at: "\(path).preferences")
            person.preferences = try planted(
                preferences, "the preferences were created", at: "\(path).preferences")
        }
        backend.set(person, of: user)
    }

    private func check(_ details: ProfileDetails, at path: String) throws(PlantError) {
        try check(details.name, "\(path).name", ProfileDetails.nameLengths)
        try check(details.bio, "\(path).bio", ProfileDetails.bioLengths)
        try check(details.languageCode, "\(path).language_code", 1...35)
        try check(details.biologicalSex, "\(path).biological_sex", 1...50)
        try check(details.gender, "\(path).gender", 1...50)
        try check(details.activityLevel, "\(path).activity_level", 1...50)
        if let height = details.height { try check(height, "\(path).height_cm", 1...300) }
        if let weight = details.weight { try check(weight, "\(path).weight", 1...1000) }
    }

    private func check(_ lists: PreferenceLists, at path: String) throws(PlantError) {
        for (name, texts) in [
            ("allergies", lists.allergies), ("dietary_restrictions", lists.dietaryRestrictions),
            ("food_dislikes", lists.foodDislikes),
        ] {
            try check(texts.count, "texts", limit: PreferenceLists.limit, "\(path).\(name)")
            for (index, text) in texts.enumerated() {
                try check(text, "\(path).\(name)[\(index)]", PreferenceLists.characters)
            }
        }
    }

    private mutating func planted<Content>(
        _ data: UserRecordData<Content>, _ what: String, at path: String
    ) throws(PlantError) -> UserRecord<Content> {
        let times = try times(data.createdAt, data.updatedAt, what, at: path)
        return UserRecord(
            id: data.id ?? turn.identifiers.next(), data.content, createdAt: times.created, updatedAt: times.updated)
    }

    private mutating func planted(_ data: AccountData, of user: UserID, at path: String) throws(PlantError) -> Account {
        guard EmailAddress.isAddress(data.email) else { throw PlantError("\(path).email", .notAnAddress(data.email)) }
        guard backend.addresses[EmailAddress.key(data.email)] ?? user == user else {
            throw PlantError("\(path).email", .duplicateAddress(data.email))
        }
        try check(
            data.refreshTokens.count, "refresh tokens", limit: limits.refreshTokens, "\(path).refresh_tokens")
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
