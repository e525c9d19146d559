import Foundation

/// A test's backend, with its own users, IDs, clock, faults and journal.
///
/// ``MockServer/world(scenario:guide:clock:seed:label:)`` creates one. The trait `.mockWorld()` in
/// `FitIQMockSwiftTesting` and `mockWorld()` in `FitIQMockXCTest` create a world for a test and end it after the test.
/// The server deletes a world that has had no requests for 30 minutes.
public struct MockWorld: Sendable {
    /// The world's name in the server and in the journal.
    public var id: String { account.id }
    /// The base URL for REST paths, such as `http://127.0.0.1:8080/w/w1`; `/api/v1` follows.
    public var url: URL { account.url }
    /// The base URL for WebSocket paths, such as `ws://127.0.0.1:8080/w/w1`.
    public var webSocketURL: URL { account.wsUrl }
    /// The URL of the world's admin API.
    public var adminURL: URL { admin.url }
    /// The bearer token of the scenario's first user.
    public var token: String { account.token }
    /// The value of `X-API-Key`.
    public var apiKey: String { account.apiKey }
    /// Another token for the same user, for a refresh.
    ///
    /// It never expires.
    public var freshToken: String? { account.freshToken }
    /// The refresh token for `POST /api/v1/auth/refresh`, or nil if the user has no account in the scenario.
    public var refreshToken: String? { account.refreshToken }
    /// The ID of the token's user.
    public var user: String? { account.user }
    /// The e-mail address of the user's account, if the scenario has one.
    public var email: String? { account.email }
    /// The account's password, if the scenario contains it in plain text.
    public var password: String? { account.password }
    /// The scenario's name.
    public var scenario: String { account.scenario }
    /// The guide that the world follows, or `union`.
    public var guide: String { account.guide }
    /// The seed of the world's IDs.
    public var seed: String { account.seed }
    /// The label from ``MockServer/world(scenario:guide:clock:seed:label:)``.
    public var label: String? { account.label }

    let account: Account
    let server: MockServer
    /// The admin API of the world.
    let admin: Admin
    /// The admin API of the server, or of the world to which this world belongs.
    let root: Admin

    /// The fields that authorise a request, for `URLSessionConfiguration.httpAdditionalHeaders`.
    public var headers: [String: String] { ["Authorization": "Bearer \(token)", "X-API-Key": apiKey] }

    /// Environment variables that describe the world to a program, such as `FITIQ_MOCK_URL`.
    ///
    /// You can assign these variables to `XCUIApplication.launchEnvironment`.
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
    /// A scenario: the name of a built-in scenario, or a whole scenario as an object.
    public struct Scenario: Sendable, ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
        let json: JSON

        /// A built-in scenario.
        ///
        /// `fitiq-mock scenarios` lists them.
        public init(stringLiteral name: String) { json = .string(name) }
        /// A scenario file as JSON, such as `["name": "busy", "faults": […]]`.
        public init(dictionaryLiteral members: (String, JSON)...) { json = .object(Dictionary(members) { $1 }) }
        /// A built-in scenario whose name is in a variable.
        public init(named name: String) { json = .string(name) }
        /// A scenario file as JSON.
        public init(_ json: JSON) { self.json = json }
    }

    /// How time passes in a world.
    public struct Clock: Sendable {
        let json: JSON

        /// Time follows the system's clock.
        public static let real = Clock(json: "real")
        /// Time passes only when a test advances it.
        ///
        /// The clock starts on 29 January 2025.
        public static let manual = Clock(json: "manual")
        /// Time passes only when a test advances it.
        ///
        /// The clock starts at this date, in whole seconds.
        public static func manual(from date: Date) -> Clock { Clock(json: ["manual": .string(date.admin)]) }
    }

    /// The body of a request that creates a world.
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

    /// Deletes the world if it still exists.
    ///
    /// Its sockets close.
    public func end() async throws {
        // A cancelled task sends no requests, so use a separate task.
        try await Task { [root, id] in
            do {
                _ = try await root.send("DELETE", "worlds/\(id)")
            } catch let error as MockError where error.kind == .notFound {}
        }.value
    }
}
