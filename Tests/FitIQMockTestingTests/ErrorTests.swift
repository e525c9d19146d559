import FitIQMockSwiftTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FitIQMockTesting

@Suite("The testing library's errors", .timeLimit(.minutes(1)))
struct ErrorTests {
    /// The error thrown by a request for a world.
    private static func failure(_ server: MockServer) async throws -> MockError {
        try #require(await #expect(throws: MockError.self) { _ = try await server.world() })
    }

    private static func impatient(_ url: URL, token: String? = nil) -> MockServer {
        MockServer(Search { Found(url: url, token: token, origin: .argument, child: nil, patience: 1) })
    }

    @Test("The error for a missing server says where the library looked and which command starts one")
    func noServer() async throws {
        let address = try RefusingAddress()
        let url = try #require(URL(string: "http://127.0.0.1:\(address.address.port)"))
        let error = try await Self.failure(MockServer(url: url))
        #expect(error.kind == .noServer)
        #expect(error.description.hasPrefix("No fitiq-mock server responds at \(url) (passed to MockServer(url:))"))
        #expect(error.description.contains("Start a server with 'fitiq-mock serve'"))
        withExtendedLifetime(address) {}
    }

    @Test("The environment names the server's URL or its ready file, and the URL comes first")
    func environment() async throws {
        try await withFolder { folder in
            let (file, none) = (folder["ready.json"].path, folder["none.json"].path)
            try Data(#"{"url":"http://127.0.0.1:8082"}"#.utf8).write(to: folder["ready.json"])
            for (url, file, expected) in [
                ("HTTPS://mock.example:8443", nil, "HTTPS://mock.example:8443 variable"),
                ("http://[::1]:1", file, "http://[::1]:1 variable"), (nil, file, "http://127.0.0.1:8082 readyFile"),
                (nil, nil, "http://127.0.0.1:8080 usual"), ("ws://127.0.0.1", nil, "'ws://127.0.0.1' (FITIQ_MOCK_URL)"),
                ("httpx://127.0.0.1", nil, "'httpx://127.0.0.1' (FITIQ_MOCK_URL) is not a server URL."),
                ("http:/api", nil, "'http:/api' (FITIQ_MOCK_URL) is not a server URL. Use a URL such as"),
                (nil, none, "There is no ready file at \(none) (FITIQ_MOCK_READY_FILE). Start the server"),
            ] {
                let environment = ["FITIQ_MOCK_URL": url, "FITIQ_MOCK_READY_FILE": file].compactMapValues(\.self)
                do {
                    let found = try await Search.named(in: environment)
                    #expect("\(found.url) \(found.origin)" == expected)
                } catch { #expect("\(error)".hasPrefix(expected)) }
            }
        }
    }

    @Test("The library gives up on a silent server within its time limit")
    func silent() async throws {
        let server = try StandIn(answering: nil)
        let error = try await Self.failure(Self.impatient(server.url))
        #expect(error.kind == .noAnswer)
        #expect(error.description.contains("within 1 s: the server is hung or suspended"), "\(error)")
    }

    @Test("The library rejects an older server but accepts a newer server")
    func versions() async throws {
        let old = try StandIn(answering: #"{"status":"ok","version":"0.0.9"}"#)
        let error = try await Self.failure(MockServer(url: old.url))
        #expect(error.kind == .oldServer)
        #expect(error.description.contains("is fitiq-mock 0.0.9, but these tests need \(MockServer.oldest) or later"))
        for (version, isOlder) in [
            ("0.0.9", true), ("0.1.0", false), ("0.1.0-dev", false), ("0.2-dev", false),
            ("0.10.0", false), ("1.0", false), ("0", true),
        ] {
            #expect(version.isVersion(before: "0.1.0") == isOlder, "\(version)")
        }
    }

    @Test("The error for a server that lacks an operation names the operation")
    func incomplete() async throws {
        let index = Admin.operations.filter { $0 != "POST /__admin/wait" }.map { operation in
            let words = operation.split(separator: " ")
            return #"{"method":"\#(words[0])","path":"\#(words[1])"}"#
        }
        let old = try StandIn(
            answering: #"{"status":"ok","version":"0.1.0","operations":[\#(index.joined(separator: ","))]}"#)
        let error = try await Self.failure(MockServer(url: old.url))
        #expect(error.kind == .oldServer)
        #expect(
            error.description.contains(
                "is a build of fitiq-mock 0.1.0 without 'POST /__admin/wait', which these tests need"),
            "\(error)")
    }

    @Test("The library checks for exactly the operations that its sources use")
    func operations() throws {
        let folder = "Sources/Clients/FitIQMockTesting"
        let files = try FileManager.default.contentsOfDirectory(atPath: URL.packageRoot.appending(path: folder).path())
        let sources = try files.filter { $0.hasSuffix(".swift") }.map { try textOfPackage("\(folder)/\($0)") }
        let asked = sources.joined().matches(of: /"(GET|POST|PUT|PATCH|DELETE)", "([a-z]+[^"]*)"(?!:)/).map { match in
            "\(match.1) /__admin/" + match.2.replacing(/\\\([a-z.A-Z]+\)/, with: "{}")
        }
        let listed = Admin.operations.map { operation in
            operation.replacing(/{[a-z]+}/, with: "{}").replacing(/(send|close|reset|silence|resume)$/, with: "{}")
        }
        // `reset` is also an operation on a world.
        let known = Set(listed + Admin.operations + ["GET /__admin/health"])
        #expect(asked.count > 20 && Set(asked).subtracting(known) == [])
    }

    @Test(
        "The library detects when another program answers at the address", arguments: ["<html>", #"{"status":"up"}"#])
    func another(_ answer: String) async throws {
        let other = try StandIn(answering: answer)
        let error = try await Self.failure(MockServer(url: other.url))
        #expect(error.kind == .notTheMock)
        #expect(error.description.contains("is not fitiq-mock"))
    }

    @Test("The error for a missing or wrong admin token names the variable", arguments: [nil, "wrong"])
    func token(_ token: String?) async throws {
        let server = try await MockServer.start(options: ["--admin-token", "secret"], binary: Mock.binary)
        let world = try await server.world()
        #expect(world.id == "w1")
        let stranger = MockServer(url: try await server.url, adminToken: token)
        let error = try await Self.failure(stranger)
        #expect(error.kind == .noAdminToken)
        #expect(error.description.contains("FITIQ_MOCK_ADMIN_TOKEN"))
        #expect(error.description.contains(token == nil ? "requires a token" : "did not accept the token"))
        await server.stop()
    }

    @Test("A request to a deleted world throws an error")
    func goneWorld() async throws {
        let world = try await Mock.server.world()
        try await world.end()
        try await world.end()
        let error = try #require(await #expect(throws: MockError.self) { try await world.verdicts() })
        #expect(error.kind == .notFound)
        #expect(error.description.contains("There is no world \"\(world.id)\": it was never made, was deleted"))
    }

    @Test("If its server stops, a test fails instead of hanging")
    func stopped() async throws {
        let server = try await MockServer.start(binary: Mock.binary)
        let test = try #require(Test.current)
        let seen = Mutex([String]())
        try await withKnownIssue {
            try await MockWorldTrait.mockWorld(server: server).provideScope(for: test, testCase: Test.Case.current) {
                await server.stop()
            }
        } matching: { issue in
            seen.withLock { $0.append("\(issue)") }
            return issue.sourceLocation == test.sourceLocation
        }
        let messages = seen.withLock { $0 }
        #expect(messages.count == 1 && messages[0].contains("has stopped, or closed the connection"), "\(messages)")
    }

    @Test("Stopping the server before its first use does not start it")
    func stopsNothing() async {
        let isLooked = Mutex(false)
        let server = MockServer(
            Search {
                isLooked.withLock { $0 = true }
                throw MockError.noWorld
            })
        await server.stop()
        #expect(!isLooked.withLock { $0 })
    }

    @Test("The error for a program that fails to start contains its output")
    func badStart() async throws {
        let scenario = try #require(
            await #expect(throws: MockError.self) {
                _ = try await MockServer.start(scenario: "conflit", binary: Mock.binary)
            })
        #expect(scenario.kind == .notStarted)
        #expect(scenario.description.contains("Did you mean"), "\(scenario)")
        let missing = URL(fileURLWithPath: "/nowhere/fitiq-mock")
        let program = try #require(
            await #expect(throws: MockError.self) { _ = try await MockServer.start(binary: missing) })
        #expect(program.kind == .notStarted && program.description.contains("/nowhere/fitiq-mock"), "\(program)")
    }

    @Test("The error for an unknown scenario lists the existing names")
    func unknownScenario() async throws {
        let error = try #require(
            await #expect(throws: MockError.self) { _ = try await Mock.server.world(scenario: "conflit") })
        #expect(error.kind == .refused(status: 400, code: "VALIDATION_FAILED"))
        #expect(error.description.contains("conflict"))
    }
}
