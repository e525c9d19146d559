import JSON

public enum UnitSystem: String, CaseIterable, Sendable { case metric, imperial }

/// The contents of a profile.
public struct ProfileDetails: Equatable, Sendable {
    /// In characters, as the other lengths.
    public static let nameLengths = 1...100
    public static let bioLengths = 0...1000
    package static let languageCodeLengths = 1...35
    /// For texts whose values no guide lists.
    package static let wordLengths = 1...50
    /// In centimetres.
    package static let heights = 1.0...300
    /// No guide states the unit.
    package static let weights = 1.0...1000

    /// Whether the profile contains only the data from the registration, so that the user can still create a profile.
    public var isProvisional = false
    /// The name, which is not blank.
    public var name: String
    public var bio: String?
    public var unitSystem = UnitSystem.metric
    /// Such as `en` or `pt-BR`.
    public var languageCode = "en"
    /// The date of birth, as the first second of that day.
    public var dateOfBirth: DateTime?
    public var biologicalSex: String?
    /// In centimetres, within ``heights``.
    public var height: Double?
    public var gender: String?
    /// Within ``weights``.
    public var weight: Double?
    public var activityLevel: String?

    public init(name: String, dateOfBirth: DateTime? = nil, height: Double? = nil) {
        (self.name, self.dateOfBirth, self.height) = (name, dateOfBirth, height)
    }

    /// Writes the present members, in the order of the API.
    public func write(into writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("bio", ifPresent: bio)
        writer.member("preferred_unit_system", unitSystem.rawValue)
        writer.member("language_code", languageCode)
        writer.member("date_of_birth", ifPresent: dateOfBirth?.dateText)
        writer.member("biological_sex", ifPresent: biologicalSex)
        writer.member("height_cm", ifPresent: height)
        writer.member("gender", ifPresent: gender)
        writer.member("weight", ifPresent: weight)
        writer.member("activity_level", ifPresent: activityLevel)
    }
}

/// A record; each user has at most one.
public struct UserRecord<Content: Equatable & Sendable>: Equatable, Sendable {
    public var id: ResourceID
    public var content: Content
    public var createdAt: Timestamp
    public var updatedAt: Timestamp

    public init(id: ResourceID, _ content: Content, createdAt: Timestamp, updatedAt: Timestamp? = nil) {
        (self.id, self.content, self.createdAt, self.updatedAt) = (id, content, createdAt, updatedAt ?? createdAt)
    }

    fileprivate func writeTimes(into writer: inout JSONWriter) {
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
    }
}

/// A user's profile: `GET /api/v1/users/me`.
public typealias Profile = UserRecord<ProfileDetails>
/// A user's food preferences: `GET /api/v1/users/me/preferences`.
public typealias Preferences = UserRecord<PreferenceLists>

extension Profile {
    /// The response body for a user, with the profile both as an object and as flat members, because the apps' decoders
    /// differ.
    public func body(of user: ExactString, email: String) -> [UInt8] {
        JSONWriter.success(reserving: 1024) { data in
            data.member("id", user.text)
            data.member("email", email)
            data.object("profile") { profile in
                profile.member("id", id)
                content.write(into: &profile)
                writeTimes(into: &profile)
            }
            data.member("user_id", user.text)
            data.member("name", content.name)
            data.member("bio", orNull: content.bio)
            data.member("preferred_unit_system", content.unitSystem.rawValue)
            data.member("language_code", content.languageCode)
            data.member("date_of_birth", orNull: content.dateOfBirth?.dateText)
            writeTimes(into: &data)
        }
    }
}

/// The contents of preferences: at most ``limit`` strings in each list.
public struct PreferenceLists: Equatable, Sendable {
    public var allergies: [String] = []
    public var dietaryRestrictions: [String] = []
    public var foodDislikes: [String] = []

    public static let limit = 100
    public static let characters = 1...100

    public init() {}

    public func write(into writer: inout JSONWriter) {
        writer.array("allergies") { array in for text in allergies { array.value(text) } }
        writer.array("dietary_restrictions") { array in for text in dietaryRestrictions { array.value(text) } }
        writer.array("food_dislikes") { array in for text in foodDislikes { array.value(text) } }
    }
}

extension Preferences {
    public func body(ofProfile profile: ResourceID) -> [UInt8] {
        JSONWriter.success { data in
            data.member("id", id)
            data.member("user_profile_id", profile)
            content.write(into: &data)
            writeTimes(into: &data)
        }
    }
}

extension DateTime {
    /// The date in UTC, `2025-01-29`.
    public var dateText: String { String(wireText.prefix(10)) }
}

/// The access and refresh tokens from a login, a refresh or a registration.
public struct TokenPair: Equatable, Sendable {
    public var access: AccessToken
    public var refresh: AccessToken

    public init(access: AccessToken, refresh: AccessToken) { (self.access, self.refresh) = (access, refresh) }

    /// The body of `POST /auth/login` or, with `isFlat`, of `POST /auth/refresh`, which contains the tokens twice.
    public func body(signedWith secret: [UInt8], isFlat: Bool = false) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("success", true)
            writer.object("data") { write(into: &$0, secret) }
            if isFlat { write(into: &writer, secret) }
        }
    }

    /// The body of `POST /auth/register`.
    public func body(registering profile: Profile, signedWith secret: [UInt8]) -> [UInt8] {
        JSONWriter.success { data in
            data.member("user_id", access.subject.text)
            data.member("email", access.email ?? "")
            data.member("name", profile.content.name)
            data.member("created_at", profile.createdAt)
            write(into: &data, secret)
        }
    }

    private func write(into writer: inout JSONWriter, _ secret: [UInt8]) {
        writer.member("access_token", access.signed(with: secret))
        writer.member("refresh_token", refresh.signed(with: AccessToken.refreshSecret(of: secret)))
    }
}
