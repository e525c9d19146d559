// swift-tools-version: 6.2
import PackageDescription

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

// A package that another one fetches may not set flags of the compiler.
let isFetched = Context.packageDirectory.contains("/checkouts/")
// A third of what the tests take is reading and writing of bytes: debug builds optimize that, and keep assertions.
let optimized: [SwiftSetting] =
    isFetched ? [] : [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

// The folders of Sources are floors: a target imports from its own floor and from those below it, which
// Tests/StyleTests checks. Here they stand from the top down.

let package = Package(
    name: "fitiq-mock",
    // Below macOS only FitIQMockTesting and the two products on top of it are built.
    platforms: [.macOS(.v15), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "fitiq-mock", targets: ["fitiq-mock"]),
        // What Benchmarks needs to sign tokens and to know when a chunk is due.
        .library(name: "FitIQAPI", targets: ["FitIQAPI"]),
        .library(name: "FitIQBackend", targets: ["FitIQBackend"]),
        // A client that keeps the contract, and the suite that checks others against it, with what its users import.
        .library(name: "FitIQClient", targets: ["FitIQClient"]),
        .library(
            name: "ContractSuite", targets: ["ContractSuite", "Judging", "MockServer", "Scenarios"]),
        // What Fuzz drives, and what Benchmarks counts the work of.
        .library(
            name: "Fuzzed",
            targets: [
                "Digests", "HTTP1", "JSON", "MCP", "Nutrition", "Scenarios", "TLS", "Text", "Traffic", "WebSocket",
            ]),
        // Apart, because Swift Testing is there for tests only.
        .library(name: "FakeBackend", targets: ["FakeBackend", "Scenarios"]),
        // What tests of an iOS app link: a client of the admin API, and a product for each framework of tests.
        .library(name: "FitIQMockTesting", targets: ["FitIQMockTesting"]),
        .library(name: "FitIQMockSwiftTesting", targets: ["FitIQMockSwiftTesting"]),
        .library(name: "FitIQMockXCTest", targets: ["FitIQMockXCTest"]),
        .plugin(name: "ContractTest", targets: ["ContractTest"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // Without its extensions of Foundation's types.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // MARK: App — the command line.
        .executableTarget(
            name: "fitiq-mock",
            dependencies: [
                "CLibrary", "ContractSuite", "Faults", "FitIQAPI", "FitIQBackend", "FitIQClient", "HTTP1", "Hosting",
                "JSON", "Judging", "MCP", "MockServer", "Proxy", "Replay", "Scenarios", "Sockets", "TLS", "Text",
                "Traffic", argumentParser, httpTypes, logging,
            ],
            path: "Sources/App/fitiq-mock"),

        // `swift package contract-test` in packages that depend on this one.
        .plugin(
            name: "ContractTest",
            capability: .command(
                intent: .custom(verb: "contract-test", description: "Runs the tests against a fake FitIQ backend"),
                permissions: [
                    .allowNetworkConnections(scope: .local(), reason: "The tests call the fake on this machine")
                ]),
            dependencies: ["fitiq-mock"]),

        // MARK: Clients — a client that keeps the contract, and what checks others.
        // A world for each test of Swift Testing; apart, so that nothing else needs Testing.
        .target(
            name: "FakeBackend",
            dependencies: [
                "ContractSuite", "FitIQAPI", "JSON", "Judging", "MockServer", "Scenarios", "Sockets", "Text", "Traffic",
            ],
            path: "Sources/Clients/FakeBackend"),
        // Worlds of a server that runs elsewhere. Nothing of ours and nothing in C is below it: it is for every system.
        .target(name: "FitIQMockTesting", path: "Sources/Clients/FitIQMockTesting"),
        .target(
            name: "FitIQMockSwiftTesting", dependencies: ["FitIQMockTesting"],
            path: "Sources/Clients/FitIQMockSwiftTesting"),
        .target(name: "FitIQMockXCTest", dependencies: ["FitIQMockTesting"], path: "Sources/Clients/FitIQMockXCTest"),
        // Clients checked from both ends: cases, and what drives them.
        .target(
            name: "ContractSuite",
            dependencies: [
                "Faults", "FitIQAPI", "FitIQClient", "JSON", "Judging", "MockServer", "Scenarios", "Sockets", "Text",
                "Traffic", httpTypes,
            ],
            path: "Sources/Clients/ContractSuite"),
        .target(
            name: "FitIQClient",
            dependencies: ["FitIQAPI", "HTTP1", "JSON", "Sockets", "Text", "WebSocket", httpTypes],
            path: "Sources/Clients/FitIQClient"),

        // MARK: Server — the fake, the proxy, and what a developer writes down for them.
        // Tools for coding agents: messages of the Model Context Protocol in, requests to the admin API out.
        .target(
            name: "MCP", dependencies: ["Digests", "JSON", "Judging", "Scenarios", "Text", "Texts"],
            path: "Sources/Server/MCP"),
        .target(
            name: "MockServer",
            dependencies: [
                "Deflate", "Digests", "Faults", "FitIQAPI", "FitIQBackend", "HTTP1", "Hosting", "JSON", "Judging",
                "MCP", "Proxy", "Replay", "SQLite", "Scenarios", "Sockets", "TLS", "Text", "Texts", "Traffic",
                "WebSocket",
                httpTypes, logging,
            ],
            path: "Sources/Server/MockServer"),
        // Between a client and a real server, to see what they say.
        .target(
            name: "Proxy",
            dependencies: ["FitIQAPI", "HTTP1", "Hosting", "Sockets", "TLS", "Text", httpTypes, logging],
            path: "Sources/Server/Proxy"),
        // What a server and a proxy have in common: listeners, streams with and without TLS, taps, recordings.
        .target(
            name: "Hosting", dependencies: ["CLibrary", "FitIQAPI", "Sockets", "TLS", "Traffic", logging],
            path: "Sources/Server/Hosting"),
        // What a developer writes down: data, scripts, faults.
        .target(
            name: "Scenarios",
            dependencies: [
                "CYAML", "Faults", "FitIQAPI", "FitIQBackend", "JSON", "Patterns", "Replay", "Text", "Texts", "Traffic",
                httpTypes,
            ],
            path: "Sources/Server/Scenarios"),
        // What goes wrong on purpose: transforms between codec and socket.
        .target(
            name: "Faults", dependencies: ["Deflate", "FitIQAPI", "JSON", "Text", "WebSocket", httpTypes],
            path: "Sources/Server/Faults"),

        // MARK: Traffic — what happened: kept, compared, played back and judged.
        // What a client owes, judged by the journal.
        .target(
            name: "Judging",
            dependencies: ["FitIQAPI", "JSON", "Text", "Texts", "Traffic", "WebSocket", httpTypes],
            path: "Sources/Traffic/Judging"),
        // A session played back: which recorded answer a request gets, and when each frame goes.
        .target(
            name: "Replay",
            dependencies: ["FitIQAPI", "JSON", "Text", "Traffic", "WebSocket"],
            path: "Sources/Traffic/Replay"),
        // What went over the wire: the journal of a world, and sessions as HAR, observed, redacted, written, compared.
        .target(
            name: "Traffic",
            dependencies: ["Deflate", "Digests", "FitIQAPI", "HTTP1", "JSON", "Text", "WebSocket", httpTypes],
            path: "Sources/Traffic/Traffic"),

        // MARK: Domain — the FitIQ contract: what goes over the wire, and the rules behind it.
        .target(
            name: "FitIQBackend", dependencies: ["FitIQAPI", "JSON", "Nutrition", "Patterns", "Text", "Texts", heap],
            path: "Sources/Domain/FitIQBackend"),
        .target(
            name: "FitIQAPI", dependencies: ["Digests", "JSON", "Text", "Texts", httpTypes, heap],
            path: "Sources/Domain/FitIQAPI"),
        // Text in, foods with nutrition facts out.
        .target(name: "Nutrition", dependencies: ["FitIQAPI", "Text", "Texts"], path: "Sources/Domain/Nutrition"),

        // MARK: Protocols — pure state machines and languages, no I/O.
        .target(
            name: "HTTP1", dependencies: ["Text", httpTypes], path: "Sources/Protocols/HTTP1",
            swiftSettings: optimized),
        .target(
            name: "WebSocket", dependencies: ["Deflate", "Digests", "Text", httpTypes],
            path: "Sources/Protocols/WebSocket", swiftSettings: optimized),
        .target(name: "JSON", dependencies: ["Text"], path: "Sources/Protocols/JSON", swiftSettings: optimized),
        // Regular expressions in linear time.
        .target(name: "Patterns", path: "Sources/Protocols/Patterns"),
        // Characters, codings, times and words, as all floors above need them.
        .target(name: "Text", path: "Sources/Protocols/Text", swiftSettings: optimized),

        // MARK: Platform — the system and the C libraries.
        .target(name: "Sockets", dependencies: ["CLibrary", "CPlatform"], path: "Sources/Platform/Sockets"),
        // TLS sessions over bytes, and the certificates they need.
        .target(name: "TLS", dependencies: ["COpenSSL"], path: "Sources/Platform/TLS"),
        .target(name: "Digests", dependencies: ["COpenSSL"], path: "Sources/Platform/Digests"),
        // Rows in a file that survives a kill.
        .target(name: "SQLite", dependencies: ["CSQLite"], path: "Sources/Platform/SQLite"),
        // Messages made smaller, and large again within a bound.
        .target(name: "Deflate", dependencies: ["CZlib"], path: "Sources/Platform/Deflate"),
        // The C library under one name on every system.
        .target(name: "CLibrary", path: "Sources/Platform/CLibrary"),
        .target(name: "CPlatform", path: "Sources/Platform/CPlatform"),
        // Descriptions, scenarios and data as parts of the binary: C, for its #embed.
        .target(name: "Texts", path: "Sources/Platform/Texts"),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/Platform/COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CYAML", path: "Sources/Platform/CYAML", pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/Platform/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/Platform/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        // MARK: Tests — libraries of their own first.
        // What tests share: a network without sockets, clients, a generator of numbers, files.
        .target(
            name: "TestSupport",
            dependencies: [
                "CPlatform", "FitIQAPI", "HTTP1", "JSON", "MockServer", "Sockets", "TLS", "Traffic", "WebSocket",
                httpTypes,
            ],
            path: "Tests/TestSupport"),
        // The guides' models and shapes, for the tests below.
        .target(name: "GuideModels", dependencies: ["JSON"], path: "Tests/GuideModels"),

        // The server without sockets, driven by random clients: the library, and what scripts/simulate runs.
        .target(
            name: "Simulation",
            dependencies: [
                "ContractSuite", "Faults", "FitIQAPI", "FitIQBackend", "HTTP1", "JSON", "Judging", "MockServer",
                "Scenarios", "TestSupport", "WebSocket", httpTypes,
            ],
            path: "Tests/Simulation"),
        .executableTarget(
            name: "simulate",
            dependencies: ["Simulation", "Sockets", "TestSupport", argumentParser],
            path: "Tests/simulate"),
        // The client that scripts/autobahn tests.
        .executableTarget(
            name: "echo-client",
            dependencies: ["HTTP1", "Sockets", "TestSupport", "WebSocket", httpTypes],
            path: "Tests/echo-client"),
        // Clients that err in one known way each.
        .target(
            name: "Mutants",
            dependencies: [
                "ContractSuite", "FitIQAPI", "FitIQClient", "JSON", "MockServer", "WebSocket", httpTypes,
            ],
            path: "Tests/Mutants"),
        // What scripts/explore runs.
        .executableTarget(
            name: "explore-suite",
            dependencies: [
                "ContractSuite", "FitIQAPI", "FitIQClient", "Judging", "Mutants", "Scenarios", "Simulation",
                "TestSupport", argumentParser,
            ],
            path: "Tests/explore"),

        .testTarget(name: "DigestsTests", dependencies: ["Digests", "TestSupport"]),
        .testTarget(name: "DeflateTests", dependencies: ["Deflate", "TestSupport"]),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "TestSupport"]),
        .testTarget(name: "TextsTests", dependencies: ["TestSupport", "Texts"]),
        .testTarget(name: "HTTP1Tests", dependencies: ["HTTP1", "TestSupport", httpTypes]),
        .testTarget(name: "WebSocketTests", dependencies: ["TestSupport", "Text", "WebSocket", httpTypes]),
        .testTarget(name: "SocketsTests", dependencies: ["CLibrary", "Sockets", "TestSupport"]),
        .testTarget(name: "TLSTests", dependencies: ["COpenSSL", "Sockets", "TLS", "TestSupport"]),
        .testTarget(
            name: "TrafficTests",
            dependencies: [
                "Deflate", "Digests", "FitIQAPI", "HTTP1", "JSON", "TestSupport", "Text", "Traffic", "WebSocket",
                httpTypes,
            ]),
        .testTarget(
            name: "JudgingTests",
            dependencies: [
                "FitIQAPI", "HTTP1", "JSON", "Judging", "TestSupport", "Text", "Traffic", "WebSocket", httpTypes,
            ],
            exclude: ["Reports/Golden"]),
        .testTarget(
            name: "ReplayTests",
            dependencies: ["FitIQAPI", "JSON", "Replay", "TestSupport", "Text", "Traffic", "WebSocket", httpTypes]),
        .testTarget(
            name: "HostingTests", dependencies: ["FitIQAPI", "Hosting", "Sockets", "TLS", "TestSupport", "Traffic"]),
        .testTarget(
            name: "ProxyTests",
            dependencies: [
                "FitIQAPI", "HTTP1", "Hosting", "JSON", "MockServer", "Proxy", "Scenarios", "Sockets", "TLS",
                "TestSupport", "Text", "Traffic", "WebSocket",
                httpTypes,
            ]),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"]),
        .testTarget(name: "TextTests", dependencies: ["Text"]),
        .testTarget(name: "MCPTests", dependencies: ["JSON", "MCP", "Scenarios", "TestSupport"]),
        .testTarget(name: "NutritionTests", dependencies: ["FitIQAPI", "Nutrition", "TestSupport"]),
        .testTarget(name: "PatternsTests", dependencies: ["Patterns", "TestSupport"]),
        .testTarget(
            name: "FaultsTests",
            dependencies: ["Faults", "FitIQAPI", "HTTP1", "JSON", "TestSupport", "WebSocket", httpTypes]),
        .testTarget(
            name: "ScenariosTests",
            dependencies: [
                "Faults", "FitIQAPI", "FitIQBackend", "JSON", "MCP", "Patterns", "Replay", "Scenarios", "TestSupport",
                "Text", "Traffic",
            ]),
        .testTarget(
            name: "FitIQAPITests",
            dependencies: ["Digests", "FitIQAPI", "GuideModels", "JSON", "TestSupport", "Text", httpTypes]),
        .testTarget(
            name: "FitIQBackendTests",
            dependencies: ["FitIQAPI", "FitIQBackend", "JSON", "Nutrition", "Patterns", "TestSupport"]),
        .testTarget(
            name: "ContractSuiteTests",
            dependencies: [
                "ContractSuite", "FitIQAPI", "FitIQClient", "JSON", "Judging", "MockServer", "Scenarios", "TestSupport",
                "Text", "Traffic",
            ]),
        .testTarget(
            name: "ContractTests",
            dependencies: [
                "ContractSuite", "FakeBackend", "FitIQAPI", "FitIQClient", "JSON", "Judging", "MockServer", "Mutants",
                "Scenarios", "Sockets", "Traffic",
            ], exclude: ["Goldens"]),
        .testTarget(
            name: "FitIQClientTests",
            dependencies: [
                "FitIQAPI", "FitIQClient", "HTTP1", "JSON", "MockServer", "Scenarios", "Sockets", "TestSupport",
                "WebSocket", httpTypes,
            ]),
        .testTarget(
            name: "FitIQMockTestingTests",
            dependencies: [
                "FitIQMockSwiftTesting", "FitIQMockTesting", "FitIQMockXCTest", "Sockets", "TestSupport", "fitiq-mock",
            ]),
        .testTarget(
            name: "ErrataTests",
            dependencies: ["FitIQAPI", "GuideModels", "JSON", "MockServer", "TestSupport", httpTypes]),
        .testTarget(name: "GuideModelsTests", dependencies: ["GuideModels", "JSON"]),
        .testTarget(
            name: "FitIQMockTests",
            dependencies: [
                "ContractSuite", "Deflate", "Faults", "FitIQAPI", "FitIQBackend", "FitIQClient", "HTTP1", "JSON",
                "Judging", "MCP", "MockServer", "Nutrition", "Patterns", "Proxy", "Replay", "Scenarios", "Sockets",
                "TLS", "TestSupport", "Text", "Traffic", "WebSocket", "fitiq-mock", argumentParser, logging,
            ]),
        .testTarget(
            name: "MockServerTests",
            dependencies: [
                "COpenSSL", "Digests", "Faults", "FitIQAPI", "FitIQBackend", "GuideModels", "HTTP1", "Hosting", "JSON",
                "MockServer", "Replay", "SQLite", "Scenarios", "Sockets", "TLS", "TestSupport", "Text", "Traffic",
                "WebSocket", httpTypes,
            ]),
        .testTarget(
            name: "PeerTests",
            dependencies: ["JSON", "Sockets", "TestSupport", "Traffic", "echo-client", "fitiq-mock"],
            exclude: ["descriptions", "peers", "recorders.txt", "requirements.txt"]),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Faults", "FitIQAPI", "FitIQBackend", "JSON", "Judging", "MockServer", "Simulation", "TestSupport",
            ]),
        // Links to the code of the tutorials in Sources/Clients.
        .testTarget(
            name: "TutorialTests",
            dependencies: ["ContractSuite", "FakeBackend", "FitIQAPI", "FitIQClient", "Judging", "MockServer"]),
        .testTarget(name: "StyleTests", dependencies: ["TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
