import FitIQAPI
import Testing

@testable import FitIQBackend

@Suite("Accounts") struct AccountTests {
    private func request(_ email: String) throws -> RegisterRequest {
        let body = #"{"email":"\#(email)","password":"password","name":"\u2028\u0001","date_of_birth":"1990-05-17"}"#
        return try RegisterRequest(body: body.bytes, at: World.start)
    }

    private func world(_ change: (inout Limits) -> Void = { _ in }) -> World {
        let limits = Limits.with(change)
        var world = World(limits: limits)
        var configuration = Backend.Configuration(origin: World.origin, limits: limits)
        configuration.rules.accounts = AccountRules()
        configuration.rules.accounts?.passwordCost = 1
        world.backend = Backend(configuration)
        return world
    }

    @Test("If a user has too many refresh tokens, expired tokens are removed first and then the oldest token")
    func refreshTokens() throws {
        var world = world { $0.refreshTokens = 3 }
        let login = try LogInRequest(body: #"{"email":"A@b.c","password":"password"}"#.bytes)
        let first = try world.backend.register(request("a@b.c"), &world.turn).tokens
        let tokens = try [first.refresh] + (0..<3).map { _ in try world.backend.logIn(login, &world.turn).refresh }
        #expect(throws: APIError.revokedRefreshToken) { try world.backend.refresh(tokens[0], &world.turn) }
        let renewed = try world.backend.refresh(tokens[1], &world.turn).refresh
        #expect(throws: APIError.revokedRefreshToken) { try world.backend.refresh(tokens[1], &world.turn) }
        world.pass(milliseconds: 30 * 86_400_000)
        #expect(throws: APIError.expiredRefreshToken(at: world.turn.now)) {
            try world.backend.refresh(renewed, &world.turn)
        }
        _ = try world.backend.logIn(login, &world.turn)
        #expect(world.backend.users[world.firstUser].person?.account?.refreshTokens.count == 1)
        #expect(Invariants.deepViolations(of: world) == [])
    }

    @Test("A registration that exceeds a limit gets 507 and stores no data")
    func limits() throws {
        var world = world { $0.users = 1 }
        _ = try world.backend.register(request("a@b.c"), &world.turn)
        #expect(throws: APIError.storeFull("users", limit: 1)) {
            try world.backend.register(request("b@b.c"), &world.turn)
        }
        #expect(throws: APIError.addressIsTaken) { try world.backend.register(request("A@B.C"), &world.turn) }
        #expect(world.backend.addresses.count == 1 && Invariants.deepViolations(of: world) == [])
    }

    @Test("After a registration, the user can create the profile only once")
    func profile() throws {
        var world = world()
        _ = try world.backend.register(request("a@b.c"), &world.turn)
        let body = #"{"name":"Ada","preferred_unit_system":"metric"}"#.bytes
        let profile = try ProfileRequest(body: body, of: .createProfile, at: World.start)
        let user = world.firstUser
        _ = try world.backend.createProfile(profile, of: user, &world.turn)
        #expect(world.backend.users[user].person?.profile.content.name == "Ada")
        #expect(throws: APIError.profileExists) { try world.backend.createProfile(profile, of: user, &world.turn) }
    }

    @Test("An account, a profile and preferences can each be planted on their own")
    func parts() throws {
        let parts: [(inout UserData) -> Void] = [
            { $0.account = AccountData(email: "a@b.c", password: .plain("password")) },
            { $0.profile = UserRecordData(ProfileDetails(name: "Ada")) },
            { $0.preferences = UserRecordData(PreferenceLists()) },
        ]
        for part in parts {
            var (world, user) = (self.world(), UserData(id: "u"))
            part(&user)
            try world.plant(user)
            let planted = try #require(world.backend.users[world.firstUser].person)
            #expect(
                (planted.account == nil, planted.preferences == nil, planted.profile.content.name == "Ada")
                    == (user.account == nil, user.preferences == nil, user.profile != nil))
        }
    }

    @Test("Planting an exported user restores everything")
    func planting() throws {
        var world = world()
        for number in 0..<3 { _ = try world.backend.register(request("u\(number)@b.c"), &world.turn) }
        let user = try world.backend.user("plain")
        let body = #"{"allergies":["\u0001"],"food_dislikes":["b"]}"#.bytes
        _ = try world.backend.updatePreferences(PreferencesRequest(body: body), of: user, &world.turn)
        let data = world.data
        var copy = self.world()
        try copy.backend.plant(data, &copy.turn)
        #expect(copy.data == data && Invariants.deepViolations(of: copy) == [])
        #expect(copy.backend.addresses == world.backend.addresses)
    }

    static let refusals: [(UserData, String)] = {
        func user(_ change: (inout UserData) -> Void) -> UserData {
            var user = UserData(id: "v")
            change(&user)
            return user
        }
        func account(_ email: String, _ password: String = "password") -> AccountData {
            AccountData(email: email, password: .plain(password))
        }
        var lists = PreferenceLists()
        lists.allergies = Array(repeating: "a", count: 101)
        let details = ProfileDetails(name: "A")
        return [
            (user { $0.account = account("A@b.c") }, "users[1].email"),
            (user { $0.account = account("nobody") }, "users[1].email"),
            (user { $0.account = account("c@d.e", "short") }, "users[1].password"),
            (user { $0.account = account("c@d.e", "éééé") }, "users[1].password"),
            (user { $0.profile = UserRecordData(ProfileDetails(name: "")) }, "users[1].profile.name"),
            (
                user { $0.profile = UserRecordData(details, createdAt: .before(1), updatedAt: .before(2)) },
                "users[1].profile.updated_at"
            ),
            (user { $0.preferences = UserRecordData(lists) }, "users[1].preferences.allergies"),
        ]
    }()

    @Test("The error for invalid data names the path", arguments: refusals)
    func refused(user: UserData, path: String) throws {
        var world = world()
        var first = UserData(id: "u")
        first.account = AccountData(email: "a@B.c", password: .plain("password"))
        let error = #expect(throws: PlantError.self) { try world.plant(first, user) }
        #expect(error?.path == path)
        #expect(world.backend.userCount == 0)
    }
}
