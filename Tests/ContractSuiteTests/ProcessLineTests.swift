import FitIQAPI
import TestSupport
import Testing

@testable import ContractSuite

@Suite("Adapter lines")
struct ProcessLineTests {
    static let surroundings = Surroundings(
        url: "http://127.0.0.1:8080/w/w1", webSocketURL: "ws://127.0.0.1:8080/w/w1", token: "t1", freshToken: "t2",
        apiKey: "k", guide: .union, now: Timestamp(secondsSinceEpoch: 1_738_146_600))

    @Test(
        "Each command is encoded as one line of JSON",
        arguments: [
            (.report, #"{"command":"report"}"#), (.end, #"{"command":"end"}"#),
            (
                .settle(Timestamp(nanosecondsSinceEpoch: 1_738_146_601_500_000_000)),
                #"{"command":"settle","now":"2025-01-29T10:30:01.500000000Z"}"#
            ),
            (
                .perform(.startConsultation(persona: .fitnessCoach)),
                #"{"command":"start_consultation","persona":"fitness_coach"}"#
            ),
            (.perform(.openConsultation(id: "c\"1")), #"{"command":"open_consultation","id":"c\"1"}"#),
            (.perform(.send(text: "a\nb")), #"{"command":"send","text":"a\nb"}"#),
            (.perform(.archive), #"{"command":"archive"}"#), (.perform(.disconnect), #"{"command":"disconnect"}"#),
            (
                .perform(.createGoal(title: "Run", description: "Far")),
                #"{"command":"create_goal","title":"Run","description":"Far"}"#
            ),
            (.perform(.chatAboutGoal(id: "g1")), #"{"command":"chat_about_goal","id":"g1"}"#),
            (.perform(.logMeal(text: "1 egg", type: .lunch)), #"{"command":"log_meal","text":"1 egg","type":"lunch"}"#),
            (.perform(.loadGoals), #"{"command":"load_goals"}"#),
            (.perform(.loadQuickActions), #"{"command":"load_quick_actions"}"#),
            (.perform(.listenToMeals), #"{"command":"listen_to_meals"}"#),
            (
                .perform(.signIn(email: "a@b.example", password: "x\"y")),
                #"{"command":"sign_in","email":"a@b.example","password":"x\"y"}"#
            ),
        ] as [(AdapterCommand, String)])
    func commands(command: AdapterCommand, line: String) {
        #expect(String(decoding: command.line, as: UTF8.self) == line + "\n")
    }

    @Test("The begin command contains a refresh token only if the client has one")
    func begins() {
        var surroundings = Self.surroundings
        func line() -> String {
            String(decoding: AdapterCommand.begin(surroundings, address: "a/b/c").line, as: UTF8.self)
        }
        #expect(!line().contains("refresh_token"))
        surroundings.refreshToken = "r1"
        #expect(line().contains(#""fresh_token":"t2","refresh_token":"r1","api_key":"k""#))
    }

    @Test(
        "Timestamps are parsed with nanosecond precision",
        arguments: [
            ("2025-01-29T10:30:01Z", 1_000_000_000), ("2025-01-29T10:30:01.5Z", 1_500_000_000),
            ("2025-01-29T12:30:01.000000001+02:00", 1_000_000_001), ("2025-01-29T10:30:00.9999999999Z", 999_999_999),
            ("2025-01-29T10:30:01.Z", nil), ("10:30", nil), ("", nil), ("1738146600.5", nil),
            ("9999-01-01T00:00:00Z", nil),
        ] as [(String, Int64?)])
    func times(text: String, nanoseconds: Int64?) {
        let start = Self.surroundings.now
        #expect(Timestamp(text) == nanoseconds.map { start.advanced(byNanoseconds: $0) })
    }

    private static func report(_ members: String) -> String {
        #"{"ok":true,"report":{"connection":"failed","is_busy":false,\#(members)}}"#
    }

    @Test(
        "The error for an unreadable line states the location, the content and what was expected",
        arguments: [
            ("", "it is not valid JSON at column 1"),
            ("Connecting to server...", "it is not valid JSON at column 1"),
            ("[]", "it is an array, not an object"),
            ("{}", "'ok' is missing, not true or false"),
            (#"{"ok":"yes"}"#, #"'ok' is "yes", not true or false"#),
            (#"{"ok":true}"#, "'report' is missing, not an object"),
            (#"{"ok":true,"raport":{}}"#, "'raport' is not one of its members. Did you mean 'report'?"),
            (
                #"{"ok":true,"report":{"connected":true}}"#,
                "'report.connected' is not one of its members. Did you mean 'connection'?"
            ),
            (
                #"{"ok":true,"report":{"connection":"open","is_busy":false}}"#,
                #"'report.connection' is "open", not "disconnected", "connecting", "connected" or "failed""#
            ),
            (#"{"ok":true,"report":{"connection":"failed"}}"#, "'report.is_busy' is missing, not true or false"),
            (report(#""transcript":{}"#), "'report.transcript' is {}, not an array"),
            (report(#""transcript":[1]"#), "'report.transcript[0]' is 1, not an object"),
            (
                report(#""transcript":[{"role":"me","text":"","is_complete":true}]"#),
                #"'report.transcript[0].role' is "me", not "user", "assistant" or "system""#
            ),
            (
                report(#""meals":[{"text":"x","status":"failed","calories":1.5}]"#),
                "'report.meals[0].calories' is 1.5, not a whole number or null"
            ),
            (report(#""quick_actions":[1]"#), "'report.quick_actions' is [1], not an array of strings or null"),
            (report(#""templates":[{"type":"meal"}]"#), "'report.templates[0].name' is missing, not a string"),
            (report(#""goals":[{"id":7,"title":"x"}]"#), "'report.goals[0].id' is 7, not a string"),
            (
                report(#""problems":[{"kind":"429","message":"x"}]"#),
                #"'report.problems[0].kind' is "429", not "too_many", "unauthorized", "not_found", "refused", "unavailable", "chat" or "meal""#
            ),
        ])
    func mistakes(line: String, told: String) throws {
        let error = #expect(throws: AnswerError.self) { try AdapterAnswer.report(Array(line.utf8)) }
        guard case .badAnswer(let reason) = error else { throw try #require(error) }
        #expect(reason.hasPrefix(told), "\(reason)")
    }

    @Test("A report may omit empty lists and nulls")
    func short() throws {
        let line =
            #"{"report":{"is_busy":true,"connection":"connecting","meals":[{"status":"completed","text":"x","calories":1.98e2}]},"ok":true}"#
        var report = ClientReport()
        report.connection = .connecting
        report.isBusy = true
        report.meals = [.init(text: "x", status: .completed, calories: 198)]
        #expect(try AdapterAnswer.report(Array(line.utf8)) == report)
    }

    @Test("The reader checks the answers to all commands except report")
    func others() throws {
        let beginning = try AdapterAnswer.beginning(Array(#"{"ok":true,"clock":"suite"}"#.utf8))
        #expect((beginning.clock, beginning.language) == (.suite, nil))
        let swift = try AdapterAnswer.beginning(Array(#"{"ok":true,"clock":"system","language":"Swift"}"#.utf8))
        #expect((swift.clock, swift.language) == (.system, "Swift"))
        for line in [#"{"ok":true,"next":null}"#, #"{"ok":true}"#] {
            #expect(try AdapterAnswer.next(Array(line.utf8)) == nil)
        }
        let refused: [(line: String, error: AnswerError, read: ([UInt8]) throws -> Void)] = [
            (
                #"{"ok":true,"clock":"system","language":5}"#,
                .wrong(path: "language", found: "5", expected: "a string or null"),
                { _ = try AdapterAnswer.beginning($0) }
            ),
            (
                #"{"ok":true}"#, .wrong(path: "clock", found: "missing", expected: #""suite" or "system""#),
                { _ = try AdapterAnswer.beginning($0) }
            ),
            (
                #"{"ok":true,"next":"soon"}"#, .wrong(path: "next", found: #""soon""#, expected: AdapterAnswer.time),
                { _ = try AdapterAnswer.next($0) }
            ),
            (#"{"unsupported":true}"#, .unsupported, AdapterAnswer.done),
            (#"{"ok":false,"error":"why"}"#, .refused("why"), AdapterAnswer.done),
            (#"{"ok":false}"#, .refused(""), AdapterAnswer.done),
        ]
        for row in refused { #expect(throws: row.error, "\(row.line)") { try row.read(Array(row.line.utf8)) } }
    }

    @Test(
        "Each adapter error has a message that explains it",
        arguments: [
            (.notStarted("cannot start 'x': no"), "The adapter is not running: cannot start 'x': no."),
            (
                .ended("exited with status 1"),
                #"The adapter exited with status 1 instead of answering {"command":"report"}. Its last lines on standard error: hello"#
            ),
            (
                .closedOutput,
                #"The adapter closed its standard output instead of answering {"command":"report"}. Standard output must stay open until the adapter exits."#
            ),
            (
                .late,
                #"The adapter did not answer {"command":"report"} in time. It must answer immediately, and flush its output after each line. Expected: {"ok":true,"report":{…}}."#
            ),
            (
                .tooLong,
                #"The adapter's answer to {"command":"report"} is longer than 1 MiB. Expected one line: {"ok":true,"report":{…}}."#
            ),
            (.notRunning, "The adapter exited, or was stopped, earlier in this case: 'report' was not sent."),
            (.unsupported, "The adapter says that it does not support 'report'."),
            (.refused("No."), #"The adapter answered {"command":"report"} with a failure: No."#),
            (
                .refused(""),
                #"The adapter answered {"command":"report"} with a failure, but without an 'error' that explains it."#
            ),
            (
                .unasked,
                "The adapter wrote hello without being asked, before 'report' was sent. It must answer each command "
                    + "with one line; human-readable output belongs on standard error."
            ),
            (
                .badAnswer("it is none"),
                #"The adapter's answer to {"command":"report"} is hello: it is none. Expected: {"ok":true,"report":{…}}."#
            ),
        ] as [(AdapterError.Reason, String)])
    func messages(reason: AdapterError.Reason, text: String) {
        #expect(AdapterError(reason, to: .report, received: Array("hello".utf8)).description == text)
    }

    @Test("An adapter counts as dead only if it never ran, has ended or has closed its output")
    func deaths() {
        let deaths: [AdapterError.Reason] = [.notStarted("a"), .ended("a"), .closedOutput]
        let others: [AdapterError.Reason] = [
            .late, .tooLong, .notRunning, .unsupported, .refused("a"), .unasked, .badAnswer("a"),
        ]
        for reason in deaths { #expect(AdapterError(reason).isDeath, "\(reason)") }
        for reason in others { #expect(!AdapterError(reason).isDeath, "\(reason)") }
    }

    @Test("An error message quotes at most 200 characters of a line")
    func excerpts() {
        let error = AdapterError(.badAnswer("it is none"), to: .report, received: Array(repeating: 0x78, count: 5000))
        #expect(error.description.contains(String(repeating: "x", count: 200) + "…: it is none"))
        let whole = AdapterError(.badAnswer("it is none"), to: .report, received: Array(repeating: 0x78, count: 200))
        #expect(whole.description.contains(String(repeating: "x", count: 200) + ": it is none"))
        #expect(AdapterError(.unasked, to: .end, received: []).description.contains("wrote an empty line"))
    }

    @Test("The buffer splits its input into lines for any chunk size", arguments: 1...7)
    func lines(step: Int) {
        var buffer = LineBuffer()
        var lines: [String] = []
        let bytes = Array("one\r\n\ntwo three\nrest".utf8)
        for piece in bytes.pieces(of: step) {
            buffer.bytes += piece
            while let line = buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        }
        #expect(lines == ["one", "", "two three"] && buffer.bytes == Array("rest".utf8))
    }
}
