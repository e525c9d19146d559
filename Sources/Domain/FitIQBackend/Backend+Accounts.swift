import FitIQAPI
import JSON

/// A user's email address and password for logging in.
package struct Account: Sendable, Equatable {
    /// The address as registered.
    var email: String
    var password: PasswordHash
    /// The valid refresh tokens, oldest first; at most ``Limits/refreshTokens``.
    package internal(set) var refreshTokens: [RefreshTicket] = []

    /// Adds a refresh token, and drops expired tokens and the oldest tokens beyond the limit.
    mutating func issue(_ ticket: RefreshTicket, limit: Int, at now: Timestamp) {
        refreshTokens.removeAll { $0.expiresAt <= now.secondsSinceEpoch }
        refreshTokens.removeFirst(max(0, refreshTokens.count + 1 - limit))
        refreshTokens.append(ticket)
    }
}

/// A valid refresh token.
public struct RefreshTicket: Sendable, Equatable {
    /// The token's `jti`.
    public var id: ResourceID
    /// The expiry time, in seconds since 1970.
    public var expiresAt: Int64

    public init(id: ResourceID, expiresAt: Int64) { (self.id, self.expiresAt) = (id, expiresAt) }
}

/// A user's data apart from entities.
package struct Person: Sendable, Equatable {
    package internal(set) var account: Account?
    package internal(set) var profile: Profile
    package internal(set) var preferences: Preferences?

    /// An upper bound on the size in an export: the bodies contain all the text, under longer names.
    func byteCount(of user: ExactString) -> Int {
        var count = profile.body(of: user, email: account?.email ?? "").count
        if let account { count += 64 + account.password.text.utf8.count + 128 * account.refreshTokens.count }
        if let preferences { count += preferences.body(ofProfile: profile.id).count }
        return count
    }
}

/// Registration, login, and refresh tokens.
extension Backend {
    /// Creates a user with an account (`POST /api/v1/auth/register`).
    ///
    /// - Parameter hash: The result of ``passwordHash(for:_:)``.
    /// - Throws: A 409 if another account has the address, or a 507 at the user limit or if the world is full.
    public mutating func register(
        _ request: RegisterRequest, hash: PasswordHash? = nil, _ turn: inout Turn
    ) throws(APIError) -> (tokens: TokenPair, profile: Profile) {
        advance(&turn)
        guard addresses[EmailAddress.key(request.email)] == nil else { throw .addressIsTaken }
        let user = try user(ExactString(turn.identifiers.next().description))
        var details = ProfileDetails(name: request.name, dateOfBirth: request.dateOfBirth)
        details.isProvisional = true
        let profile = Profile(id: turn.identifiers.next(), details, createdAt: turn.date)
        let account = Account(email: request.email, password: self.hash(of: request.password, &turn, known: hash))
        set(Person(account: account, profile: profile), of: user)
        return (try tokens(of: user, &turn), profile)
    }

    /// The slow part of a registration; nil if another account has the address.
    public func passwordHash(for request: RegisterRequest, _ turn: Turn) -> Deferred<PasswordHash>? {
        guard addresses[EmailAddress.key(request.email)] == nil else { return nil }
        let cost = configuration.rules.accountRules.passwordCost
        // The ids of the user and the profile are issued before the salt.
        var identifiers = turn.identifiers
        let salt = (0..<3).map { _ in identifiers.next() }[2].description
        return Deferred(iterating: cost) { PasswordHash(request.password, salt: salt, cost: cost) }
    }

    /// - Parameter known: The hash, if already computed; the salt always uses up an id.
    func hash(of password: String, _ turn: inout Turn, known: PasswordHash? = nil) -> PasswordHash {
        let salt = turn.identifiers.next().description
        return known ?? PasswordHash(password, salt: salt, cost: configuration.rules.accountRules.passwordCost)
    }

    /// The slow part of a login: whether the address is known and the password correct.
    public func passwordCheck(for request: LogInRequest) -> Deferred<Bool> {
        let user = addresses[EmailAddress.key(request.email)]
        let work = max(passwordWork, configuration.rules.accountRules.passwordCost)
        let password = user.flatMap { users[$0].person?.account?.password } ?? .matchingNothing(cost: work)
        return Deferred(iterating: work) { password.matches(request.password, work: work) }
    }

    /// Checks a password (`POST /api/v1/auth/login`), with the same amount of work for known and unknown addresses.
    ///
    /// - Parameter isRight: The result of ``passwordCheck(for:)``.
    /// - Throws: A 401.
    public mutating func logIn(
        _ request: LogInRequest, isRight: Bool? = nil, _ turn: inout Turn
    ) throws(APIError) -> TokenPair {
        advance(&turn)
        let user = addresses[EmailAddress.key(request.email)]
        guard isRight ?? passwordCheck(for: request).make(), let user else { throw .wrongLogin }
        return try tokens(of: user, &turn)
    }

    /// Issues the tokens of a login, without the password.
    ///
    /// - Throws: A 401 if the user has no account.
    public mutating func issueTokens(to id: ExactString, _ turn: inout Turn) throws(APIError) -> TokenPair {
        try tokens(of: accountHolder(id), &turn)
    }

    /// Replaces a refresh token (`POST /api/v1/auth/refresh`).
    ///
    /// - Throws: A 401 if the token has expired or was used, or if its account was deleted.
    public mutating func refresh(_ token: AccessToken, _ turn: inout Turn) throws(APIError) -> TokenPair {
        advance(&turn)
        let expiry = Timestamp(secondsSinceEpoch: token.expiresAt)
        guard turn.date < expiry else { throw .expiredRefreshToken(at: expiry) }
        guard let user = revoke(token, &turn) else { throw .revokedRefreshToken }
        return try tokens(of: user, &turn)
    }

    /// Revokes a refresh token (`POST /api/v1/auth/logout`); returns its user, or nil if it was already revoked.
    @discardableResult
    public mutating func revoke(_ token: AccessToken, _ turn: inout Turn) -> UserID? {
        advance(&turn)
        guard let user = users[token.subject], var person = users[user].person,
            let index = person.account?.refreshTokens.firstIndex(where: { $0.id == token.id })
        else { return nil }
        person.account?.refreshTokens.remove(at: index)
        set(person, of: user)
        return user
    }

    private mutating func tokens(of user: UserID, _ turn: inout Turn) throws(APIError) -> TokenPair {
        guard var person = users[user].person, var account = person.account else { throw .unknownAccount }
        let (rules, id) = (configuration.rules.accountRules, users[user].id)
        func expiry(_ lifetime: Int64) -> Int64 { turn.date.advanced(byNanoseconds: lifetime).secondsSinceEpoch }
        let ticket = RefreshTicket(id: turn.identifiers.next(), expiresAt: expiry(rules.refreshLifetime))
        account.issue(ticket, limit: configuration.limits.refreshTokens, at: turn.date)
        person.account = account
        set(person, of: user)
        return TokenPair(
            access: AccessToken(
                subject: id, expiresAt: expiry(rules.accessLifetime), email: account.email, id: ticket.id),
            refresh: AccessToken(subject: id, expiresAt: ticket.expiresAt, id: ticket.id))
    }

    /// The user with an account, found by the user's id; throws 401 if there is no such user.
    public func accountHolder(_ id: ExactString) throws(APIError) -> UserID {
        guard let user = users[id], users[user].person?.account != nil else { throw .unknownAccount }
        return user
    }

    /// Changes a user's data; no other user may have the same address.
    mutating func set(_ person: Person, of user: UserID) {
        let old = users[user].person
        storedBytes -= users[user].byteCount
        users[user].person = person
        storedBytes += users[user].byteCount
        passwordWork = max(passwordWork, person.account?.password.cost ?? 0)
        guard old?.account?.email != person.account?.email else { return }
        if let email = old?.account?.email { addresses[EmailAddress.key(email)] = nil }
        if let email = person.account?.email { addresses[EmailAddress.key(email)] = user }
    }

    // MARK: Profiles and preferences; each command returns the body of its success response

    /// `GET /api/v1/users/me`.
    public func profile(of user: UserID, at now: Timestamp) -> [UInt8] {
        let person = person(of: user, at: now)
        return person.profile.body(
            of: users[user].id, email: person.account?.email ?? MadeUpPerson(users[user].id).email)
    }

    /// A user's stored data, or generated data if there is none.
    func person(of user: UserID, at now: Timestamp) -> Person {
        users[user].person ?? Person(profile: MadeUpPerson(users[user].id, seed: configuration.seed).profile(at: now))
    }

    /// `POST /api/v1/users/me`; throws 409 if the user has a profile.
    public mutating func createProfile(
        _ request: ProfileRequest, of user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        guard person(of: user, at: turn.date).profile.content.isProvisional else { throw .profileExists }
        return try updateProfile(request, of: user, &turn)
    }

    /// `PUT /api/v1/users/me` and `PATCH /api/v1/users/me/physical`.
    ///
    /// - Throws: A 507 if the world is full.
    public mutating func updateProfile(
        _ request: ProfileRequest, of user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        try checkStorage()
        var person = person(of: user, at: turn.date)
        try request.apply(to: &person.profile.content)
        person.profile.updatedAt = turn.date
        set(person, of: user)
        return profile(of: user, at: turn.date)
    }

    /// `GET /api/v1/users/me/preferences`; throws 404 if there are none.
    public func preferences(of user: UserID) throws(APIError) -> [UInt8] {
        guard let person = users[user].person, let preferences = person.preferences else { throw .noPreferences }
        return preferences.body(ofProfile: person.profile.id)
    }

    /// `PATCH /api/v1/users/me/preferences`; missing preferences start as empty lists.
    ///
    /// - Throws: A 507 if the world is full.
    public mutating func updatePreferences(
        _ request: PreferencesRequest, of user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        try checkStorage()
        var person = person(of: user, at: turn.date)
        var preferences =
            person.preferences ?? Preferences(id: turn.identifiers.next(), PreferenceLists(), createdAt: turn.date)
        request.apply(to: &preferences.content)
        preferences.updatedAt = turn.date
        person.preferences = preferences
        set(person, of: user)
        return preferences.body(ofProfile: person.profile.id)
    }

    /// `DELETE /api/v1/users/me/preferences`; throws 404 if there are none.
    public mutating func deletePreferences(of user: UserID) throws(APIError) {
        guard var person = users[user].person, person.preferences != nil else { throw .noPreferences }
        person.preferences = nil
        set(person, of: user)
    }
}

/// Generated data for a user who has none; it depends only on the id and the seed.
package struct MadeUpPerson {
    private static let names = [
        "Alex", "Amara", "Ben", "Carla", "Dmitri", "Elena", "Farah", "Grace", "Hugo", "Ines", "Jonas", "Keiko", "Liam",
        "Maya", "Noor", "Olivia",
    ]
    private static let surnames = [
        "Andersen", "Bauer", "Costa", "Dubois", "Eriksson", "Fischer", "Garcia", "Haddad", "Ivanova", "Jensen", "Kim",
        "Lopez", "Moreau", "Nakamura", "Okafor", "Patel",
    ]

    let id: ResourceID
    private let name, surname: String
    private let birth, creation: Int64
    private let height: Double

    package init(_ user: ExactString, seed: UInt64 = 1) {
        id = ResourceIDSequence.first(of: user.utf8.fnv1a ^ seed)
        var numbers = SplitMix64(seed: id.seed)
        name = Self.names[Int(numbers.next(below: UInt64(Self.names.count)))]
        surname = Self.surnames[Int(numbers.next(below: UInt64(Self.surnames.count)))]
        // Birth dates are in the years 1965 to 2004, and creation dates are in 2024.
        birth = -5 * 365 + Int64(numbers.next(below: 40 * 365))
        creation = 19_723 + Int64(numbers.next(below: 360))
        height = Double(150 + numbers.next(below: 50))
    }

    /// An address in a reserved domain (RFC 2606).
    var email: String { "\(name).\(surname)@fitiq.example".lowercased() }

    package func profile(at now: Timestamp) -> Profile {
        let birth = DateTime(secondsSinceEpoch: birth * 86_400)
        return Profile(
            id: id, ProfileDetails(name: "\(name) \(surname)", dateOfBirth: birth, height: height),
            // The clock may be set to an earlier time.
            createdAt: min(now, Timestamp(secondsSinceEpoch: creation * 86_400)))
    }
}
