// swift-tools-version: 6.1
import PackageDescription

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")

let package = Package(
    name: "fitiq-mock",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "fitiq-mock", targets: ["fitiq-mock"]),
        // What Benchmarks needs to sign tokens and to know when a chunk is due.
        .library(name: "FitIQAPI", targets: ["FitIQAPI"]),
        .library(name: "FitIQBackend", targets: ["FitIQBackend"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // System library and C shims.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "CPlatform"),

        // Protocols: pure state machines, no I/O.
        .target(name: "Digests", dependencies: ["COpenSSL"]),
        .target(name: "HTTP1", dependencies: [httpTypes]),
        .target(name: "WebSocket", dependencies: ["Digests", httpTypes]),
        .target(name: "JSON"),

        // Text in, foods with nutrition facts out.
        .target(name: "Nutrition"),

        // The FitIQ contract: what goes over the wire, and the rules behind it.
        .target(name: "FitIQAPI", dependencies: ["Digests", "JSON", httpTypes]),
        .target(name: "FitIQBackend", dependencies: ["FitIQAPI", "JSON", "Nutrition", heap]),

        // The shell: file descriptors, the event loop, the server, the command line.
        .target(name: "Sockets", dependencies: ["CPlatform"]),
        .target(
            name: "MockServer",
            dependencies: [
                "Digests", "FitIQAPI", "FitIQBackend", "HTTP1", "JSON", "Sockets", "WebSocket", httpTypes, heap,
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "FitIQClient",
            dependencies: ["FitIQAPI", "HTTP1", "JSON", "Sockets", "WebSocket", httpTypes]),
        .executableTarget(
            name: "fitiq-mock",
            dependencies: [
                "FitIQAPI", "FitIQClient", "JSON", "MockServer", "Sockets",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // The guides' models and shapes, for the tests below.
        .target(name: "GuideModels", dependencies: ["JSON"], path: "Tests/GuideModels"),

        .testTarget(name: "DigestsTests", dependencies: ["Digests"]),
        .testTarget(name: "HTTP1Tests", dependencies: ["HTTP1", httpTypes]),
        .testTarget(name: "WebSocketTests", dependencies: ["WebSocket", httpTypes]),
        .testTarget(name: "SocketsTests", dependencies: ["Sockets"]),
        .testTarget(name: "JSONTests", dependencies: ["JSON"]),
        .testTarget(name: "NutritionTests", dependencies: ["Nutrition"]),
        .testTarget(name: "FitIQAPITests", dependencies: ["Digests", "FitIQAPI", "GuideModels", "JSON", httpTypes]),
        .testTarget(name: "FitIQBackendTests", dependencies: ["FitIQBackend", "FitIQAPI", "JSON", "Nutrition"]),
        .testTarget(name: "FitIQClientTests", dependencies: ["FitIQClient", "HTTP1", "WebSocket", httpTypes]),
        .testTarget(name: "ErrataTests", dependencies: ["FitIQAPI", "GuideModels", "JSON"]),
        .testTarget(name: "GuideModelsTests", dependencies: ["GuideModels", "JSON"]),
        .testTarget(name: "FitIQMockTests", dependencies: ["fitiq-mock"]),
        .testTarget(
            name: "MockServerTests",
            dependencies: [
                "Digests", "MockServer", "FitIQAPI", "FitIQBackend", "HTTP1", "JSON", "Sockets", "WebSocket",
                httpTypes,
            ]),
        .testTarget(name: "PeerTests", dependencies: ["fitiq-mock"], exclude: ["peers", "requirements.txt"]),
        .testTarget(name: "StyleTests"),
    ],
    swiftLanguageModes: [.v6]
)
