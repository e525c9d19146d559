import Foundation

/// A running fitiq-mock, in which each test creates its own world.
///
/// ``shared`` finds a running server. ``start(scenario:options:binary:)`` starts a server on macOS and Linux.
public final class MockServer: Sendable {
    /// The oldest version whose admin API supports this kit.
    public static let oldest = "0.1.0"

    /// The server found through the environment.
    ///
    /// The search takes place at the first request.
    ///
    /// The kit tries these servers in order:
    /// - the server at `FITIQ_MOCK_URL`
    /// - the server that wrote the file `FITIQ_MOCK_READY_FILE`
    /// - on macOS and Linux, a new server from the program `FITIQ_MOCK_BINARY`
    /// - the server at `http://127.0.0.1:8080`
    ///
    /// `xcodebuild` passes a variable to tests in a simulator if its name starts with `TEST_RUNNER_`.
    public static let shared = MockServer(Search())

    private let search: Search

    init(_ search: Search) { self.search = search }

    /// A server at a known address.
    ///
    /// - Parameters:
    ///   - url: `http://127.0.0.1:8080`, or the URL of a world, to which new worlds then belong.
    ///   - adminToken: The server's `--admin-token`.
    public convenience init(url: URL, adminToken: String? = nil) {
        self.init(Search { Found(url: url, token: adminToken, origin: .argument, child: nil) })
    }

    /// The base URL of the default world.
    ///
    /// - Throws: ``MockError`` if no server answers, or if the one that answers is not a recent fitiq-mock.
    public var url: URL { get async throws { try await search.result().url } }

    /// Creates a world.
    ///
    /// - Parameters:
    ///   - scenario: The scenario, or nil for the server's scenario.
    ///   - guide: The guide that the world follows. The default is the scenario's guide, or `union` if the scenario has
    ///     no guide
    ///   - clock: Whether tests control the world's time, or nil for the scenario's choice.
    ///   - seed: Determines all IDs and the pace, or nil for the scenario's choice.
    ///   - label: A label for lists of worlds, such as the test's name; truncated to 200 bytes
    public func world(
        scenario: MockWorld.Scenario? = nil, guide: String? = nil, clock: MockWorld.Clock? = nil, seed: UInt64? = nil,
        label: String? = nil
    ) async throws -> MockWorld {
        let admin = try await search.result().admin
        var body = try MockWorld.request(scenario, guide: guide, clock: clock, seed: seed, label: label)
        body["judged"] = true
        let account: MockWorld.Account = try await admin.read("POST", "worlds", .object(body))
        return MockWorld(account, server: self, admin: admin)
    }

    #if os(macOS) || os(Linux)
        /// Starts a server on a free port and waits until it accepts requests.
        ///
        /// The server ends when ``stop()`` is called, when this object is released, or when the test process ends in
        /// any way.
        ///
        /// - Parameters:
        ///   - scenario: The name of a built-in scenario, or the path of a file.
        ///   - options: Additional options for `fitiq-mock serve`.
        ///   - binary: The program; nil means `FITIQ_MOCK_BINARY`, or `fitiq-mock` in `PATH` if that variable is not
        ///     set
        public static func start(
            scenario: String = "default", options: [String] = [], binary: URL? = nil
        ) async throws -> MockServer {
            let server = starting(scenario: scenario, options: options, binary: binary)
            _ = try await server.url
            return server
        }

        /// A server for a trait that starts with its first world: `.mockWorld(server: .starting())`.
        ///
        /// Keep the server in a `static let`, so that all tests share it.
        public static func starting(
            scenario: String = "default", options: [String] = [], binary: URL? = nil
        ) -> MockServer {
            MockServer(Search { Found(try await Child.start(["--scenario", scenario] + options, binary: binary)) })
        }

        /// Stops a server that the tests started, and waits until it has ended.
        ///
        /// Other servers keep running.
        public func stop() async { await search.found()?.child?.stop() }
    #endif
}

/// A server that was found and checked.
struct Found: Sendable {
    let url: URL
    let token: String?
    let origin: Origin
    #if os(macOS) || os(Linux)
        let child: Child?
    #else
        let child: Never?
    #endif
    var patience: TimeInterval = 30

    var admin: Admin { Admin(url: url.appendingPathComponent("__admin"), token: token, patience: patience) }

    /// Checks whether a server answers, and checks its program and version.
    func checked() async throws -> Found {
        struct Health: Decodable {
            var status: String
            var version: String
        }
        let health: Health
        do {
            health = try await admin.read("GET", "health")
        } catch let error as MockError {
            switch error.kind {
            case .noServer: throw Messages.noServer(url, origin, "nothing is listening there.")
            case .noAnswer: throw error
            default: throw Messages.notTheMock(url, origin, error.description)
            }
        }
        guard !health.version.isVersion(before: MockServer.oldest) else { throw Messages.old(health.version, url) }
        // Check the server's operations, because builds between two releases have the same version.
        let index: Index = try await admin.read("GET", "")
        let known = Set(index.operations.map { "\($0.method) \($0.path)" })
        if let missing = Admin.operations.first(where: { !known.contains($0) }) {
            throw Messages.incomplete(health.version, url, missing)
        }
        return self
    }
}

/// The admin API's operations, from `GET /__admin`.
private struct Index: Decodable {
    struct Operation: Decodable {
        var method: String
        var path: String
    }
    var operations: [Operation]
}

extension String {
    /// Whether this version, such as `0.4.0`, is older; ignores text after a hyphen.
    func isVersion(before other: String) -> Bool {
        func numbers(_ version: String) -> [Int] {
            version.prefix { $0 != "-" && $0 != "+" }.split(separator: ".").map { Int($0) ?? 0 }
        }
        return numbers(self).lexicographicallyPrecedes(numbers(other))
    }
}

#if os(macOS) || os(Linux)
    extension Found {
        init(_ child: Child) { self.init(url: child.url, token: child.adminToken, origin: .program, child: child) }
    }
#endif

/// Searches for a server only once for all tests.
actor Search {
    private var task: Task<Found, any Error>?
    private let find: @Sendable () async throws -> Found

    init(_ find: @escaping @Sendable () async throws -> Found = { try await Search.named() }) { self.find = find }

    func result() async throws -> Found {
        let task = task ?? Task { [find] in try await find().checked() }
        self.task = task
        return try await task.value
    }

    /// The server, or nil if there was no search or no result.
    func found() async -> Found? { try? await task?.value }

    /// The server found through the environment.
    static func named(in environment: [String: String] = ProcessInfo.processInfo.environment) async throws -> Found {
        let token = environment["FITIQ_MOCK_ADMIN_TOKEN"]
        func found(_ text: String, _ origin: Origin) throws -> Found {
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), url.host != nil
            else {
                throw Messages.badURL(text, origin)
            }
            return Found(url: url, token: token, origin: origin, child: nil)
        }
        if let text = environment["FITIQ_MOCK_URL"] { return try found(text, .variable) }
        if let path = environment["FITIQ_MOCK_READY_FILE"] {
            guard let ready = ReadyFile(at: URL(fileURLWithPath: path)) else { throw Messages.badReadyFile(path) }
            return try found(ready.url, .readyFile)
        }
        #if os(macOS) || os(Linux)
            if environment["FITIQ_MOCK_BINARY"] != nil { return Found(try await Child.start([], binary: nil)) }
        #endif
        return try found("http://127.0.0.1:8080", .usual)
    }
}

/// The contents of a server's ready file.
struct ReadyFile: Decodable {
    let url: String

    init?(at file: URL) {
        guard let data = try? Data(contentsOf: file), let read = try? JSONDecoder().decode(Self.self, from: data) else {
            return nil
        }
        self = read
    }
}
