// swift-tools-version: 6.1
// A client with `swift package contract-test`. Take the bundle of a release in place of the folder:
//
//   .binaryTarget(name: "fitiq-mock", url: "https://…/fitiq-mock.artifactbundle.zip", checksum: "…")
//
// with the checksum that SHA256SUMS has for it. Plugins/ContractTest is a copy of the folder in fitiq-mock.
import PackageDescription

let package = Package(
    name: "sample-client",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "SampleClient"),
        .testTarget(name: "SampleClientTests", dependencies: ["SampleClient"]),
        .binaryTarget(name: "fitiq-mock", path: "fitiq-mock.artifactbundle"),
        .plugin(
            name: "ContractTest",
            capability: .command(
                intent: .custom(verb: "contract-test", description: "Runs the tests against a fake FitIQ backend"),
                permissions: [
                    .allowNetworkConnections(scope: .local(), reason: "The tests call the fake on this machine")
                ]),
            dependencies: ["fitiq-mock"]),
    ])
