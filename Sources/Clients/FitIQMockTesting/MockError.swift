import Foundation

/// An error that the kit throws.
///
/// The description says how to fix the problem.
public struct MockError: Error, CustomStringConvertible, LocalizedError, Sendable {
    public enum Kind: Sendable, Hashable {
        /// No server listens at the address, or it has stopped.
        case noServer
        /// The server did not answer in time.
        case noAnswer
        /// Another program answered.
        case notTheMock
        /// The server is too old for this kit.
        case oldServer
        /// The admin API requires a token, or a different token.
        case noAdminToken
        /// The admin API does not accept requests from this machine.
        case forbidden
        /// The world or an entity in it does not exist.
        case notFound
        /// The awaited event did not happen.
        case nothingMatched
        /// The server refused for another reason, with the API's code.
        case refused(status: Int, code: String)
        /// The kit did not find a program to start, or the program did not start.
        case notStarted
        /// The test has no world.
        case noWorld
    }

    public let kind: Kind
    public let description: String
    public var errorDescription: String? { description }

    package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}

/// The module's user-visible sentences.
enum Messages {
    #if os(macOS) || os(Linux)
        private static let start =
            "Start a server with 'fitiq-mock serve', or let the tests start one: set FITIQ_MOCK_BINARY to its path."
    #else
        private static let start =
            "Start fitiq-mock on the Mac with 'fitiq-mock serve'. A simulator reaches the server at 127.0.0.1; for a "
            + "device, add '--host 0.0.0.0 --public-url http://ADDRESS-OF-THE-MAC:8080 --admin-token SECRET' "
            + "and set TEST_RUNNER_FITIQ_MOCK_URL and TEST_RUNNER_FITIQ_MOCK_ADMIN_TOKEN."
    #endif

    static func noServer(_ url: URL, _ origin: Origin, _ reason: String) -> MockError {
        MockError(
            .noServer, "No fitiq-mock server responds at \(url.absoluteString) (\(origin.text)): \(reason) \(start)")
    }

    static func lost(_ request: String, _ url: URL, _ reason: String) -> MockError {
        MockError(
            .noServer,
            "\(request) got no answer: the server at \(url.absoluteString) has stopped, or closed the "
                + "connection. \(reason) If the server stopped on its own, see its log.")
    }

    static func late(_ request: String, _ url: URL, after seconds: TimeInterval) -> MockError {
        MockError(
            .noAnswer,
            "\(request) got no answer from \(url.absoluteString) within \(Int(seconds)) s: the server is hung "
                + "or suspended. See the server's log for what it did last.")
    }

    static func notTheMock(_ url: URL, _ origin: Origin, _ found: String) -> MockError {
        MockError(
            .notTheMock, "The server at \(url.absoluteString) (\(origin.text)) is not fitiq-mock: \(found) \(start)")
    }

    static func old(_ version: String, _ url: URL) -> MockError {
        MockError(
            .oldServer,
            "The server at \(url.absoluteString) is fitiq-mock \(version), but these tests need \(MockServer.oldest) or "
                + "later. Update the server, or use the FitIQMockTesting release that matches it.")
    }

    static func incomplete(_ version: String, _ url: URL, _ operation: String) -> MockError {
        MockError(
            .oldServer,
            "The server at \(url.absoluteString) is a build of fitiq-mock \(version) without '\(operation)', which these "
                + "tests need. Rebuild the server, or use FitIQMockTesting from the same sources as the server.")
    }

    static func noAdminToken(_ url: URL, sent: Bool) -> MockError {
        MockError(
            .noAdminToken,
            "The admin API of \(url.absoluteString) "
                + (sent ? "did not accept the token. " : "requires a token. ")
                + "Set FITIQ_MOCK_ADMIN_TOKEN to the server's '--admin-token', or pass it to "
                + "MockServer(url:adminToken:).")
    }

    static func badURL(_ text: String, _ origin: Origin) -> MockError {
        MockError(
            .noServer, "'\(text)' (\(origin.text)) is not a server URL. Use a URL such as http://127.0.0.1:8080.")
    }

    static func badReadyFile(_ path: String) -> MockError {
        MockError(
            .noServer,
            "There is no ready file at \(path) (FITIQ_MOCK_READY_FILE). Start the server with "
                + "'fitiq-mock serve --ready-file \(path)', and wait for it with 'fitiq-mock wait --ready-file \(path)'."
        )
    }

    static func noBinary(_ named: String?) -> MockError {
        MockError(
            .notStarted,
            (named.map { "FITIQ_MOCK_BINARY is set to \($0), which is not a program. " }
                ?? "PATH contains no program named fitiq-mock. ")
                + "Set FITIQ_MOCK_BINARY to the path of the program; docs/install.md explains how to install it.")
    }

    static func notStarted(_ command: String, _ log: String) -> MockError {
        MockError(.notStarted, "'\(command)' did not start a server. Its output: \(log.isEmpty ? "nothing" : log)")
    }

    static func unreadable(_ request: String, _ error: any Error) -> MockError {
        MockError(
            .notTheMock,
            "This version of FitIQMockTesting cannot read the answer to \(request) (\(error)). Use the same version of "
                + "the server and the kit.")
    }

    static let noWorld = MockError(
        .noWorld,
        "This test has no world: write @Test(.mockWorld()) or @Suite(.mockWorld()), and use MockWorld.current in the "
            + "test's own task or a child task, not in Task.detached.")
}
