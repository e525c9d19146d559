// swift-tools-version: 6.1
// Peers and load generators for scripts/bench: a package of its own, so that users of fitiq-mock never resolve
// Hummingbird, SwiftNIO or FlyingFox. Linux only (epoll, /proc, wrk, nginx).
import PackageDescription

let package = Package(
    name: "fitiq-mock-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "fitiq-mock", path: ".."),
        // Exact versions, so that a comparison can name them.
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .target(name: "CLinux"),

        // The minimum that a server can do, in C.
        .executableTarget(name: "floor"),

        // The peers: the same handler in each.
        .target(name: "Peer"),
        .executableTarget(
            name: "hummingbird-peer",
            dependencies: [
                "Peer", .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(
            name: "flyingfox-peer",
            dependencies: ["Peer", "CLinux", .product(name: "FlyingFox", package: "FlyingFox")],
            // FoundationNetworking needs libcurl, which a static link does not add by itself.
            linkerSettings: [.linkedLibrary("curl")]),

        // The load generators.
        .target(name: "Load", dependencies: ["CLinux", .product(name: "FitIQAPI", package: "fitiq-mock")]),
        .executableTarget(name: "startup-probe", dependencies: ["Load", "CLinux"]),
        .executableTarget(
            name: "stream-load",
            dependencies: [
                "Load", "CLinux", .product(name: "FitIQAPI", package: "fitiq-mock"),
                .product(name: "FitIQBackend", package: "fitiq-mock"),
            ]),
        .executableTarget(name: "idle-load", dependencies: ["Load"]),
        .executableTarget(name: "worlds-load", dependencies: ["Load"]),
        .executableTarget(name: "judge-load", dependencies: ["Load"]),
        .executableTarget(
            name: "holds-load",
            dependencies: [
                .product(name: "FitIQAPI", package: "fitiq-mock"),
                .product(name: "ContractSuite", package: "fitiq-mock"),
            ]),
        .executableTarget(
            name: "decoder-work",
            dependencies: [
                .product(name: "Fuzzed", package: "fitiq-mock"), .product(name: "FitIQAPI", package: "fitiq-mock"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .executableTarget(
            name: "suite-load",
            dependencies: [
                "Load", .product(name: "ContractSuite", package: "fitiq-mock"),
                .product(name: "FitIQAPI", package: "fitiq-mock"),
            ]),
        .testTarget(
            name: "LoadTests",
            dependencies: ["Load", "stream-load", .product(name: "FitIQAPI", package: "fitiq-mock")]),
    ],
    swiftLanguageModes: [.v6]
)
