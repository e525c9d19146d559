// swift-tools-version: 6.1
// Targets for libFuzzer, which scripts/fuzz builds with its coverage and the address sanitizer: a package of its own,
// because it does not link without them.
import PackageDescription

let package = Package(
    name: "fitiq-mock-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "fitiq-mock", path: ".."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "Fuzzed", package: "fitiq-mock"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
