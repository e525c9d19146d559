import JSON
import Text

/// The body of `POST /api/v1/auth/register`.
public struct RegisterRequest: Equatable, Sendable {
    public var email: String
    /// 8 to 200 characters.
    public var password: String
    public var name: String
    public var dateOfBirth: DateTime

    /// - Parameter now: The time that determines the age.
    public init(body: [UInt8], at now: Timestamp) throws(APIError) {
        let fields = try BodyReader(body)
        email = try fields.string("email", expected: Self.expectedEmail).required("email", expected: Self.expectedEmail)
        guard EmailAddress.isAddress(email) else {
            throw .invalid("The field 'email' must be \(Self.expectedEmail); got \(quoted(email)).")
        }
        password = try fields.requiredText("password", characters: Self.passwordLengths)
        name = try fields.name()
        dateOfBirth = try fields.dateOfBirth(at: now).required("date_of_birth", expected: BodyReader.expectedDate)
    }

    public static let passwordLengths = 8...200
    private static let expectedEmail = "an address such as \"ada@example.com\""
}

/// The body of `POST /api/v1/auth/login`.
///
/// Any string is allowed; an impossible address or password matches no account.
public struct LogInRequest: Equatable, Sendable {
    public var email: String
    public var password: String

    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        email = try fields.text("email", characters: 0...Self.length)
            .required("email", expected: "the account's address")
        password = try fields.text("password", characters: 0...Self.length)
            .required("password", expected: "the account's password")
    }

    private static let length = 1000
}

/// The body of `POST /api/v1/auth/refresh`, and of `/auth/logout`, which may be empty.
public struct RefreshRequest: Equatable, Sendable {
    public var refreshToken: String

    public init(body: [UInt8]) throws(APIError) {
        let expected = "the refresh token from the last login or refresh"
        refreshToken = try BodyReader(body).string("refresh_token", expected: expected)
            .required("refresh_token", expected: expected)
    }

    /// Reads the body of a logout; nil if it has no token.
    public init?(logout body: [UInt8]) throws(APIError) {
        guard !body.isEmpty, try BodyReader(body)["refresh_token"] != nil else { return nil }
        try self.init(body: body)
    }
}

/// The body of `POST` and `PUT /api/v1/users/me`, and of `PATCH /api/v1/users/me/physical`.
///
/// Absent members stay unchanged.
public struct ProfileRequest: Sendable {
    private let fields: BodyReader
    private let endpoint: Endpoint
    private let now: Timestamp

    /// - Parameter endpoint: Determines which fields are read and which are required.
    public init(body: [UInt8], of endpoint: Endpoint, at now: Timestamp) throws(APIError) {
        (fields, self.endpoint, self.now) = (try BodyReader(body), endpoint, now)
        // Validate before loading any profile.
        var details = ProfileDetails(name: "")
        try apply(to: &details)
    }

    public func apply(to details: inout ProfileDetails) throws(APIError) {
        let words = ProfileDetails.wordLengths
        details.dateOfBirth = try fields.dateOfBirth(at: now) ?? details.dateOfBirth
        guard endpoint != .updatePhysicalProfile else {
            details.biologicalSex = try fields.text("biological_sex", characters: words) ?? details.biologicalSex
            details.height = try fields.number("height_cm", in: ProfileDetails.heights) ?? details.height
            return
        }
        details.isProvisional = false
        details.name = try fields.name()
        details.unitSystem = try fields.choice("preferred_unit_system")
            .required("preferred_unit_system", expected: BodyReader.names(among: UnitSystem.allCases))
        details.bio = try fields.text("bio", characters: ProfileDetails.bioLengths) ?? details.bio
        details.languageCode =
            try fields.text("language_code", characters: ProfileDetails.languageCodeLengths) ?? details.languageCode
        guard endpoint == .updateProfile else { return }
        details.gender = try fields.text("gender", characters: words) ?? details.gender
        details.height = try fields.number("height", in: ProfileDetails.heights) ?? details.height
        details.weight = try fields.number("weight", in: ProfileDetails.weights) ?? details.weight
        details.activityLevel = try fields.text("activity_level", characters: words) ?? details.activityLevel
    }
}

/// The body of `PATCH /api/v1/users/me/preferences`: absent members stay unchanged.
public struct PreferencesRequest: Equatable, Sendable {
    private var allergies: [String]?
    private var dietaryRestrictions: [String]?
    private var foodDislikes: [String]?

    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        allergies = try fields.texts("allergies")
        dietaryRestrictions = try fields.texts("dietary_restrictions")
        foodDislikes = try fields.texts("food_dislikes")
    }

    public func apply(to lists: inout PreferenceLists) {
        lists.allergies = allergies ?? lists.allergies
        lists.dietaryRestrictions = dietaryRestrictions ?? lists.dietaryRestrictions
        lists.foodDislikes = foodDislikes ?? lists.foodDislikes
    }
}

extension BodyReader {
    static let expectedDate = "a date such as \"1990-05-17\""

    fileprivate func name() throws(APIError) -> String {
        let name = try requiredText("name", characters: ProfileDetails.nameLengths)
        guard name.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else { throw .blank("name") }
        return name
    }

    /// A date of birth since 1900, at least ``APIError/leastAge`` years before today.
    fileprivate func dateOfBirth(at now: Timestamp) throws(APIError) -> DateTime? {
        guard let value = self["date_of_birth"] else { return nil }
        guard let text = value.string, let date = DateTime(date: text) else {
            var refusal = APIError.wrongType("date_of_birth", expected: Self.expectedDate, got: value)
            // A bare date can have the same problems as the date in a date-time.
            let date = value.string.flatMap { $0.utf8.count == 10 ? $0 : nil }
            if let problem = date.flatMap(RFC3339.problem) { refusal.message += " " + problem }
            throw refusal
        }
        let (birth, today) = (text, now.wireText.prefix(10))
        guard birth >= "1900-01-01", let year = Int(today.prefix(4)),
            birth <= "\(year - APIError.leastAge)" + today.dropFirst(4)
        else { throw .badDateOfBirth(text) }
        return date
    }

    fileprivate func texts(_ field: String) throws(APIError) -> [String]? {
        guard let value = self[field] else { return nil }
        guard let elements = value.array else { throw .wrongType(field, expected: "a list of strings", got: value) }
        let limit = PreferenceLists.limit
        guard elements.count <= limit else {
            throw .invalid("The field '\(field)' must have at most \(limit) strings; it has \(elements.count).")
        }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string else { throw .wrongType(field, expected: "a list of strings", got: value) }
            guard text.utf8.count <= 400, PreferenceLists.characters.contains(text.count) else {
                throw .invalid("Each string in '\(field)' must have 1 to 100 characters; one has \(text.count).")
            }
            texts.append(text)
        }
        return texts
    }
}

extension APIError {
    /// The minimum age for registration, in years.
    public static let leastAge = 13
    static func blank(_ field: String) -> Self { invalid("The field '\(field)' is blank.") }
    static func badDateOfBirth(_ date: String) -> Self {
        invalid(
            "The field 'date_of_birth' must be a date on or after 1900-01-01, at least \(leastAge) years ago; got "
                + "\(quoted(date)).")
    }

    /// Another account already has the address.
    public static let addressIsTaken = Self(
        .conflict, .conflict,
        "An account with this email already exists (case is ignored): log in, or register with a different email.")

    /// Wrong passwords and unknown addresses get the same error, which therefore does not reveal who has an account.
    public static let wrongLogin = unauthorized("The email or password is wrong.")
    public static func badRefreshToken(_ error: Refusal) -> Self {
        Self(
            .badRequest, .badRequest,
            "The refresh token is not from this server: \(error.description) Send the 'refresh_token' from the last "
                + "login or refresh unchanged.")
    }
    public static func expiredRefreshToken(at time: Timestamp) -> Self {
        unauthorized("The refresh token expired at \(time.wireText): log in again.")
    }
    public static let revokedRefreshToken = unauthorized(
        "The refresh token is revoked: it was already used, or the user logged out. Each refresh token works only "
            + "once: send the token from the last response, or log in again.")

    /// The token is for a deleted account.
    public static let unknownAccount = unauthorized(
        "This token's account does not exist: it was deleted, or the world was reset. Register or log in again.")
    public static let profileExists = Self(
        .conflict, .conflict, "This user already has a profile: change it with PUT \(Endpoint.updateProfile.template).")
    public static let noPreferences = notFound(
        "This user has no preferences: set them with PATCH \(Endpoint.updatePreferences.template).")
}
