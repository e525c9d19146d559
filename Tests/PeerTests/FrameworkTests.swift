import Foundation
import TestSupport
import Testing

extension BuildingPeers {
    /// The examples in docs/frameworks.md, if their tools are available.
    @Suite("Test frameworks")
    struct FrameworkTests {
        @Test("pytest gives each test a world and fails a test whose client breaks the contract")
        func pytest() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            for name in ["conftest.py", "test_client.py"] {
                try FileManager.default.copyItem(
                    at: URL.fixtures.appending(path: "frameworks/\(name)"), to: folder[name])
            }
            try Data(
                """
                from test_client import call

                def test_ids(world):
                    call(world, "GET", "consultations/8F3B2A10-0000-4000-8000-00000000000A/messages")
                """.utf8
            ).write(to: folder["test_broken.py"])
            try await RunningServer.serve { server in
                let command = try await Command(
                    try Programs.python(), ["-m", "pytest", "-q", "-p", "no:cacheprovider"],
                    environment: ["FITIQ_MOCK_URL": server.ready.url], directory: folder.url)
                #expect(command.output.contains("3 passed, 1 error"), "\(command.transcript)")
                #expect(command.output.contains("AssertionError: ids/lowercase: "), "\(command.transcript)")
                let worlds = try await Command(try Programs.curl(), ["-s", server.ready.url + "/__admin/worlds"])
                #expect(worlds.output.contains("\"count\":1"), "\(worlds.output)")
            }
        }

        private static let jars = "/usr/share/java"

        @Test(
            "Gradle runs an OkHttp client under verify and starts each server once",
            .enabled(if: FileManager.default.fileExists(atPath: jars + "/okhttp.jar"), "Debian has the jars."))
        func gradle() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            try FileManager.default.copyItem(at: .fixtures.appending(path: "frameworks/gradle"), to: folder["project"])
            let command = try await Command(
                try Programs.fitiqMock(),
                [
                    "verify", "--scenario", "default", "--scenario", "conflict", "--time-limit", "10m", "--", "gradle",
                    "--offline", "--no-daemon", "-Pjars=\(Self.jars)", "test",
                ],
                environment: [
                    "GRADLE_USER_HOME": folder["home"].path,
                    // Two JVMs run for a few seconds each, too short for optimized code to pay off.
                    "JAVA_TOOL_OPTIONS": (ProcessInfo.processInfo.environment["JAVA_TOOL_OPTIONS"] ?? "")
                        + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
                ], directory: folder["project"])
            #expect(command.status == 0, "\(command.transcript)")
            let lines = command.errors.split(separator: "\n")
            #expect(lines.filter { $0.hasSuffix(" PASSED") }.count == 6, "\(command.transcript)")
            let kept = /Kept wherever faced: .*consultation\/conflict-continues-existing/
            #expect(command.output.contains(kept), "\(command.transcript)")
        }
    }
}
