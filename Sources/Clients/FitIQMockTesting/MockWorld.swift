import Foundation

/// A backend of a test's own: users, ids, clock, faults and journal that no other test sees.
///
/// ``MockServer/world(scenario:guide:clock:seed:label:)`` makes one, the trait `.mockWorld()` of `FitIQMockSwiftTesting`
/// and `mockWorld()` of `FitIQMockXCTest` make one for a test and end it. A world that gets no request for 30 minutes is
/// forgotten by the server.
public struct MockWorld: Sendable {
    /// Its name in the server, and in the journal.
    public var id: String { account.id }
    /// The base of REST paths, `http://127.0.0.1:8080/w/w1`, followed by `/api/v1`.
    public var url: URL { account.url }
    /// The base of WebSocket paths, `ws://127.0.0.1:8080/w/w1`.
    public var webSocketURL: URL { account.wsUrl }
    /// Its admin API, `…/__admin`.
    public var adminURL: URL { admin.url }
    /// The bearer token of the scenario's first user.
    public var token: String { account.token }
    /// The value of `X-API-Key`.
    public var apiKey: String { account.apiKey }
    /// Another token of the same user, which never expires, for use after a refresh.
    public var freshToken: String? { account.freshToken }
    /// The refresh token for `POST /api/v1/auth/refresh`; nil if the scenario gives the user no account.
    public var refreshToken: String? { account.refreshToken }
    /// The id of the token's user.
    public var user: String? { account.user }
    /// The address of the user's account, if the scenario has one.
    public var email: String? { account.email }
    /// The password of the account, if the scenario has it as text.
    public var password: String? { account.password }
    /// The scenario's name.
    public var scenario: String { account.scenario }
    /// The guide that it follows, or `union`.
    public var guide: String { account.guide }
    /// The seed of its ids.
    public var seed: String { account.seed }
    /// The name that ``MockServer/world(scenario:guide:clock:seed:label:)`` gave it.
    public var label: String? { account.label }

    let account: Account
    let server: MockServer
    /// The API of the world itself.
    let admin: Admin
    /// The API of the server, or of the world that this one belongs to.
    let root: Admin

    /// The fields that authorise a request; they suit `URLSessionConfiguration.httpAdditionalHeaders`.
    public var headers: [String: String] { ["Authorization": "Bearer \(token)", "X-API-Key": apiKey] }

    /// How a program finds the world: `FITIQ_MOCK_URL` and its like.
    ///
    /// You can assign them to `XCUIApplication.launchEnvironment`.
    public var environment: [String: String] {
        var variables = [
            "FITIQ_MOCK_URL": url.absoluteString, "FITIQ_MOCK_WS_URL": webSocketURL.absoluteString,
            "FITIQ_MOCK_ADMIN_URL": adminURL.absoluteString, "FITIQ_MOCK_TOKEN": token, "FITIQ_MOCK_API_KEY": apiKey,
            "FITIQ_MOCK_SCENARIO": scenario,
        ]
        variables["FITIQ_MOCK_FRESH_TOKEN"] = freshToken
        variables["FITIQ_MOCK_REFRESH_TOKEN"] = refreshToken
        return variables
    }

    init(_ account: Account, server: MockServer, admin root: Admin) {
        (self.account, self.server, self.root) = (account, server, root)
        admin = root.at(account.adminUrl ?? root.url.appendingPathComponent("worlds/\(account.id)"))
    }

    /// The admin API's description of a world.
    struct Account: Decodable {
        var url, wsUrl: URL
        var adminUrl: URL?
        var id, apiKey, token, scenario, guide, seed: String
        var label, freshToken, refreshToken, user, email, password: String?
    }
}

extension MockWorld {
    /// A scenario: a built-in one by its name as a literal, or one written out.
    public struct Scenario: Sendable, ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
        let json: JSON

        /// A built-in scenario; `fitiq-mock scenarios` lists them.
        public init(stringLiteral name: String) { json = .string(name) }
        /// A scenario file as JSON, `["name": "busy", "faults": […]]`.
        public init(dictionaryLiteral members: (String, JSON)...) { json = .object(Dictionary(members) { $1 }) }
        /// A built-in scenario, by a name that a variable has.
        public init(named name: String) { json = .string(name) }
        /// A scenario file as JSON.
        public init(_ json: JSON) { self.json = json }
    }

    /// How a world's time passes.
    public struct Clock: Sendable {
        let json: JSON

        /// As the system's.
        public static let real = Clock(json: "real")
        /// Only when a test moves it; it begins on 29 January 2025.
        public static let manual = Clock(json: "manual")
        /// Only when a test moves it; it begins at a time of whole seconds.
        public static func manual(from date: Date) -> Clock { Clock(json: ["manual": .string(date.admin)]) }
    }

    /// The body of a request for a world.
    static func request(
        _ scenario: Scenario?, guide: String?, clock: Clock?, seed: UInt64?, label: String?
    ) throws -> [String: JSON] {
        var body: [String: JSON] = [:]
        body["scenario"] = scenario?.json
        body["guide"] = guide.map(JSON.string)
        body["clock"] = clock?.json
        body["seed"] = seed.map { .string(String($0)) }
        var label = label ?? ""
        while label.utf8.count > 200 { label.removeLast() }
        if !label.isEmpty { body["label"] = .string(label) }
        return body
    }

    /// Deletes the world, unless it is gone already; its sockets close.
    public func end() async throws {
        // Also in a test that was cancelled: no request of a cancelled task is sent.
        try await Task { [root, id] in
            do {
                _ = try await root.send("DELETE", "worlds/\(id)")
            } catch let error as MockError where error.kind == .notFound {}
        }.value
    }
}
