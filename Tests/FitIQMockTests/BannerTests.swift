import FitIQAPI
import MockServer
import Scenarios
import Testing

@testable import fitiq_mock

@Suite("The serve banner")
struct BannerTests {
    private func text(
        _ scenario: String, guide: GuideMode = .union, network: String? = nil, program: String = "fitiq-mock",
        port: Int = 8080
    ) throws -> String {
        var configuration = Engine.Configuration()
        configuration.adopt(try Scenario.read(scenario))
        configuration.mode = guide
        return try text(configuration, program: program, url: "http://127.0.0.1:\(port)", network: network)
    }

    private func text(
        _ configuration: Engine.Configuration, program: String = "fitiq-mock", url: String? = nil,
        network: String? = nil, recording: String? = nil
    ) throws -> String {
        let now = Timestamp(secondsSinceEpoch: 1_738_146_600)
        let engine = try Engine(configuration, now: now)
        let server = RunningServer(
            engine: engine, url: url ?? engine.configuration.origin, secureURL: engine.configuration.secureOrigin,
            caPath: nil, recordingPath: recording, localNetworkURL: network)
        return Banner(server: server, program: program, now: now).text
    }

    @Test("The banner shows the URL for other devices if the server listens on all addresses")
    func network() throws {
        let line = "\n  Network     http://192.168.1.20:8080 (for devices on the same network)\n"
        #expect(try text("name: default", network: "http://192.168.1.20:8080").contains(line))
        #expect(try !text("name: default").contains("Network"))
    }

    @Test("The banner shows the first account with a plain password if the mode has logins")
    func account() throws {
        let scenario = """
            name: a
            users:
              - id: default
              - id: bob
                email: bob@example.com
                password_hash: pbkdf2-sha256$1$bob$a8miQGbK46HeI3mSrMyk-C759hj6ExWYbsW4Q_C4s_I
              - {id: ada, email: ada@example.com, password: correct horse}
              - {id: eve, email: eve@example.com, password: battery staple}
            """
        let line = "\n  Account     ada@example.com with the password correct horse\n"
        #expect(try text(scenario).contains(line))
        #expect(try !text(scenario, guide: .goalLinking).contains("Account"))
        #expect(try !text("name: default").contains("Account"))
    }

    private static let longScenario = """
        name: a scenario with a name that is not short
        summary: Something happens after a minute, and the sentence that says so is longer than a line of the banner.
        """

    @Test("The banner fits in 100 columns and ends with URLs in every guide's mode", arguments: GuideMode.allCases)
    func width(mode: GuideMode) throws {
        for scenario in ["name: default", Self.longScenario, "{name: a, token_lifetime: 60s, users: [{id: ada}]}"] {
            let text = try text(scenario, guide: mode, program: ".build/debug/fitiq-mock", port: 54_321)
            let lines = text.split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= 100 }, "\(lines.filter { $0.count > 100 })")
            #expect(lines.suffix(2) == ["  Page        http://127.0.0.1:54321/__admin/ui", "Stop with Ctrl-C."])
            #expect(lines.count { $0.contains("curl") } == 1)
        }
    }

    @Test("The banner of each built-in scenario fits in 100 columns", arguments: GuideMode.allCases)
    func builtIn(mode: GuideMode) throws {
        for name in Scenario.builtInNames {
            let scenario = try #require(Scenario.builtInText(named: name))
            let text = try text(scenario, guide: mode, program: ".build/debug/fitiq-mock", port: 54_321)
            let lines = text.split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= 100 }, "\(name): \(lines.filter { $0.count > 100 })")
        }
    }

    @Test("A long token command continues on another line")
    func longToken() throws {
        let (user, options) = ("0190c1d2-aaaa-4bbb-8ccc-0123456789ab", "--expires-in 5519971800s")
        let scenario = "{name: a, users: [{id: \(user)}], clock: {manual: 2199-12-31T23:00:00Z}}"
        let text = try text(scenario, program: ".build/debug/fitiq-mock")
        let command = ".build/debug/fitiq-mock token \\\n      --user \(user) \(options)"
        for line in [
            "  Token       \(command)", "    -H \"Authorization: Bearer $(\(command))\" \\",
            "    --token \"$(\(command))\"",
        ] { #expect(text.contains("\n\(line)\n"), "\(text)") }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(text)")
    }

    @Test(
        "The banner's token command uses the scenario's token lifetime and the world's clock",
        arguments: [
            ("{name: a}", ""), ("{name: a, token_lifetime: 60s}", " --expires-in 60s"),
            ("{name: a, users: [{id: ada b}]}", " --user 'ada b'"),
            ("{name: a, clock: {manual: 2025-01-29T10:00:00Z}}", ""),
            ("{name: a, clock: {manual: 2025-01-29T11:00:00Z}}", " --expires-in 5400s"),
            ("{name: a, clock: {manual: 2199-12-31T23:00:00Z}}", " --expires-in 5519971800s"),
            ("{name: a, clock: {manual: 2025-01-29T10:20:00Z}, token_lifetime: 60s}", " --expires-in -540s"),
        ])
    func token(scenario: String, options: String) throws {
        let text = try text(scenario)
        #expect(text.contains("\n  Token       fitiq-mock token\(options)\n"), "\(text)")
        #expect(text.contains("\"Authorization: Bearer $(fitiq-mock token\(options))\""), "\(text)")
        #expect(text.contains("can last longer") == scenario.contains("lifetime"), "\(text)")
        let words = options.split(separator: " ")
        if words.contains("--expires-in") { #expect(words.last.flatMap { Lifetime(argument: String($0)) } != nil) }
    }

    @Test("The banner shows no secret and names the variables that its commands read", arguments: [true, false])
    func secrets(hasDefaultWorld: Bool) throws {
        var configuration = Engine.Configuration()
        (configuration.jwtSecret, configuration.adminToken) = ("s3cret", "t0ken")
        configuration.hasDefaultWorld = hasDefaultWorld
        let text = try text(configuration)
        #expect(!text.contains("s3cret") && !text.contains("t0ken"), "\(text)")
        #expect(text.contains("Set FITIQ_MOCK_JWT_SECRET to the server's value first") == hasDefaultWorld, "\(text)")
        #expect(text.contains("Set FITIQ_MOCK_ADMIN_TOKEN to the server's value first"), "\(text)")
        #expect(text.contains("-H \"X-Admin-Token: $FITIQ_MOCK_ADMIN_TOKEN\"") != hasDefaultWorld, "\(text)")
    }

    @Test("The banner names the server's guide unless it is the union")
    func guide() throws {
        let words = ", as the guide goal-linking documents it.\n"
        #expect(try text("name: default", guide: .goalLinking).contains(words))
        #expect(try text("name: default").contains(" serves a fake FitIQ backend.\n"))
    }

    @Test("The banner shows a file's name on one line")
    func onOneLine() throws {
        let text = try text(Engine.Configuration(), recording: "a\nb\u{7F}c\u{1F}d~ e")
        #expect(text.contains("\n  Recording   a b c d~ e\n"))
    }

    @Test("The banner for the returning user explains how to log in")
    func returningUser() throws {
        let scenario = try #require(Scenario.builtInText(named: "app-returning-user"))
        #expect(
            try text(scenario).contains("\n  Account     sam@example.com with the password correct horse battery\n"))
    }
}
