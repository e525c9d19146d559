import Foundation
import TestSupport
import Testing

extension BuildingPeers {
    /// The package from the kit's tutorial, which depends on this package as an app would.
    @Suite("The kit in another package")
    struct KitTests {
        private static let resources = URL.packageRoot.appending(
            path: "Sources/Clients/FitIQMockTesting/FitIQMockTesting.docc/Resources")

        private static let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "Coach", platforms: [.macOS(.v15)],
                dependencies: [.package(name: "fitiq-mock", path: "\(URL.packageRoot.path)")],
                targets: [
                    .target(name: "CoachClient"),
                    .testTarget(
                        name: "CoachClientTests",
                        dependencies: [
                            "CoachClient", .product(name: "FitIQMockSwiftTesting", package: "fitiq-mock"),
                            .product(name: "FitIQMockXCTest", package: "fitiq-mock"),
                        ]),
                ])
            """

        @Test("An app's tests build without C libraries and report the bug in both frameworks")
        func tutorial() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let script = """
                mkdir -p Sources/CoachClient Tests/CoachClientTests
                cp "$1/CoachClient.swift" Sources/CoachClient
                cp "$1"/*Tests.swift Tests/CoachClientTests
                SECONDS=0; swift build --build-tests; echo "From nothing, the tests of an app build in $SECONDS s."
                swift test; echo "exit $?"
                sed -i.bak 's|/\\\\(id)/archive|/\\\\(id.uuidString.lowercased())/archive|' Sources/CoachClient/CoachClient.swift
                swift test; echo "exit $?"
                """
            try Data(Self.manifest.utf8).write(to: folder["Package.swift"])
            let command = try await Command(
                URL(fileURLWithPath: "/bin/bash"), ["-c", script, "sh", Self.resources.path],
                environment: [
                    "FITIQ_MOCK_BINARY": try Programs.fitiqMock().path, "PKG_CONFIG_PATH": "/nowhere",
                    "PKG_CONFIG_LIBDIR": "/nowhere",
                ], directory: folder.url)
            let lines = command.output.split(separator: "\n").map(String.init)
            for line in lines where line.hasPrefix("From nothing") { print(line) }
            #expect(lines.filter { $0.hasPrefix("exit ") } == ["exit 1", "exit 0"], "\(command.transcript)")
            let issues = lines.filter { $0.contains(" recorded an issue at ") }
            #expect(issues.count == 1 && issues[0].contains("at CoachClientTests.swift:25:"), "\(command.transcript)")
            let failures = (lines + command.errors.split(separator: "\n").map(String.init)).filter {
                $0.contains("CoachClientXCTests.swift:7: error: ") && $0.contains("ids/lowercase is broken")
            }
            #expect(failures.count == 1, "\(command.transcript)")
        }
    }
}
