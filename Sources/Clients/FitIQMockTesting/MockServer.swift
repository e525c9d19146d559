import Foundation

/// A running fitiq-mock, in which each test makes its own world.
///
/// ``shared`` finds the server that is meant; ``start(scenario:options:binary:)`` starts one on macOS and Linux.
public final class MockServer: Sendable {
    /// The oldest server whose admin API has everything that this kit needs.
    public static let oldest = "0.1.0"

    /// The server that the environment names, found with the first request.
    ///
    /// It is the one at `FITIQ_MOCK_URL`, or else the one that has written the file `FITIQ_MOCK_READY_FILE`, or else, on
    /// macOS and Linux, one that the program `FITIQ_MOCK_BINARY` becomes, or else the one at `http://127.0.0.1:8080`.
    /// `xcodebuild` hands a variable to the tests in a simulator if its name begins with `TEST_RUNNER_`.
    public static let shared = MockServer(Search())

    private let search: Search

    init(_ search: Search) { self.search = search }

    /// A server at a known place.
    ///
    /// - Parameters:
    ///   - url: `http://127.0.0.1:8080`, or that of a world, whose worlds then belong to it.
    ///   - adminToken: the server's `--admin-token`.
    public convenience init(url: URL, adminToken: String? = nil) {
        self.init(Search { Found(url: url, token: adminToken, origin: .argument, child: nil) })
    }

    /// The base of its default world.
    ///
    /// - Throws: ``MockError`` if there is no server, or none that is a recent fitiq-mock.
    public var url: URL { get async throws { try await search.result().url } }

    /// Makes a world.
    ///
    /// - Parameters:
    ///   - scenario: The scenario; the server's own if nil.
    ///   - guide: The guide that the world follows; `union` of all if nil, unless the scenario says otherwise.
    ///   - clock: Whether tests move its time; as the scenario says if nil.
    ///   - seed: Decides all ids and the pace; as the scenario says if nil.
    ///   - label: The label in lists of worlds, such as the test's name; cut at 200 bytes.
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
        /// Starts a server on a free port, and waits until it accepts requests.
        ///
        /// It ends with ``stop()``, when this object is released, and with the test process, however that ends.
        ///
        /// - Parameters:
        ///   - scenario: The name of a built-in scenario, or the path of a file.
        ///   - options: More options of `fitiq-mock serve`.
        ///   - binary: The program; if nil, what `FITIQ_MOCK_BINARY` names, or else `fitiq-mock` in `PATH`.
        public static func start(
            scenario: String = "default", options: [String] = [], binary: URL? = nil
        ) async throws -> MockServer {
            let server = starting(scenario: scenario, options: options, binary: binary)
            _ = try await server.url
            return server
        }

        /// A server that starts with its first world, for a trait: `.mockWorld(server: .starting())`.
        ///
        /// Keep it in a `static let`, so that all tests share one.
        public static func starting(
            scenario: String = "default", options: [String] = [], binary: URL? = nil
        ) -> MockServer {
            MockServer(Search { Found(try await Child.start(["--scenario", scenario] + options, binary: binary)) })
        }

        /// Stops a server that the tests started, and waits for its end; others keep running.
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

    /// Finds out whether it answers, and its kind and version.
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
            case .noServer: throw Messages.noServer(url, origin, "nothing listens there.")
            case .noAnswer: throw error
            default: throw Messages.notTheMock(url, origin, error.description)
            }
        }
        guard !health.version.isVersion(before: MockServer.oldest) else {
            throw Messages.old(health.version, url)
        }
        // Builds between two releases have the same version, and say themselves what they can do.
        let index: Index = try await admin.read("GET", "")
        let known = Set(index.operations.map { "\($0.method) \($0.path)" })
        if let missing = Admin.operations.first(where: { !known.contains($0) }) {
            throw Messages.incomplete(health.version, url, missing)
        }
        return self
    }
}

/// What `GET /__admin` says of the operations of the admin API.
private struct Index: Decodable {
    struct Operation: Decodable {
        var method: String
        var path: String
    }
    var operations: [Operation]
}

extension String {
    /// Whether a version such as `0.4.0` is older; what follows a hyphen does not count.
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

/// Looks for a server once, however many tests ask.
actor Search {
    private var task: Task<Found, any Error>?
    private let find: @Sendable () async throws -> Found

    init(_ find: @escaping @Sendable () async throws -> Found = Search.named) { self.find = find }

    func result() async throws -> Found {
        let task = task ?? Task { [find] in try await find().checked() }
        self.task = task
        return try await task.value
    }

    /// The server, once it was looked up.
    func found() async -> Found? { try? await task?.value }

    /// The server that the environment names.
    @Sendable static func named() async throws -> Found {
        let environment = ProcessInfo.processInfo.environment
        let token = environment["FITIQ_MOCK_ADMIN_TOKEN"]
        func found(_ text: String, _ origin: Origin) throws -> Found {
            guard let url = URL(string: text), url.scheme?.hasPrefix("http") == true, url.host != nil else {
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
            if environment["FITIQ_MOCK_BINARY"] != nil {
                return Found(try await Child.start([], binary: nil))
            }
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
