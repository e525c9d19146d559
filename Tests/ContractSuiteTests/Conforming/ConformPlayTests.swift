import FitIQAPI
import FitIQClient
import MockServer
import Scenarios
import Synchronization
import Testing

@testable import ContractSuite
@testable import Traffic

@Suite("Cases against a real server", .timeLimit(.minutes(15)))
struct ConformPlayTests {
    private static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    /// Plays steps on top of an earlier recording; by default there is no server, because nothing should be sent.
    private static func play(
        _ steps: [Step], at url: String = "http://127.0.0.1:1", recorded entries: [SessionExchange] = [],
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) async throws -> ConformPlay.Outcome? {
        let credentials = Credentials(token: DevelopmentCredentials.token(), apiKey: DevelopmentCredentials.apiKey)
        let play = ConformPlay(
            recording: { Session(entries: entries) }, isStopped: isStopped,
            make: { try FitIQClient(url: url, credentials: credentials) })
        return try await play.play(ContractCase("a/b/c", "A case", .ours("It is."), steps: steps))
    }

    @Test("A case without its own consultation may disconnect but not send or archive")
    func withoutConsultation() async throws {
        let rows: [(Step, String?)] = [
            (.send("Hello?"), ConformMessages.notOurs), (.archive, ConformMessages.notOurs), (.disconnect, nil),
        ]
        for (step, trouble) in rows {
            let outcome = try await Self.play([step])
            #expect(outcome != nil && outcome?.trouble == trouble, "\(step)")
        }
    }

    @Test("A case writes only to consultations that it created in the same run")
    func ours() async throws {
        var configuration = Engine.Configuration(pace: .instant)
        configuration.scenario = try Scenario.read(
            """
            name: upstream
            users:
              - id: default
                consultations:
                  - {id: \(KnownID.consultation), persona: nutritionist, created_at: 2d ago}
            """)
        let server = try LocalServer(configuration)
        defer { server.stop() }
        let request = SessionRequest(method: "POST", url: "\(server.url)/api/v1/consultations")
        func answer(_ status: Int, showing id: String) -> SessionExchange {
            let body = RecordedBody(Array(#"{"data":{"id":"\#(id)"}}"#.utf8))
            return SessionExchange(
                started: Self.start, request: request, response: SessionResponse(status: status, body: body))
        }
        let unanswered = SessionExchange(started: Self.start, request: request)
        let socket = SessionExchange(
            started: Self.start, opened: Self.start, request: request, response: SessionResponse(status: 101))
        let foreign: [[SessionExchange]] = [
            [], [unanswered], [socket], [answer(200, showing: KnownID.consultation)],
            [answer(201, showing: KnownID.nothing)],
        ]
        let steps: [Step] = [.open(KnownID.consultation), .untilReady, .archive]
        for entries in foreign {
            let outcome = try await Self.play(steps, at: server.url, recorded: entries)
            #expect(outcome?.trouble == ConformMessages.notOurs, "\(entries)")
        }
        let own = try await Self.play(steps, at: server.url, recorded: [answer(201, showing: KnownID.consultation)])
        #expect(own != nil && own?.trouble == nil)
        let archived = try await server.perform { engine, _ in
            engine.journalEntries(ofWorld: "default").count { $0.event.request?.endpoint == .archiveConsultation }
        }
        #expect(archived == 1)
        // A goal need not belong to a consultation.
        let goal = try await Self.play([.createGoal("Run 5 km")], at: server.url)
        #expect(goal != nil && goal?.trouble == nil)
    }

    @Test("A request that is still in progress after the last step gets its answer")
    func answers() async throws {
        var configuration = Engine.Configuration()
        configuration.scenario = try Scenario.read(
            """
            name: slow
            faults:
              - {on: GET /api/v1/goals, delay: 30ms}
            """)
        let server = try LocalServer(configuration)
        defer { server.stop() }
        let outcome = try await Self.play([.loadGoals], at: server.url)
        #expect(outcome != nil && outcome?.trouble == nil)
        let answered = try await server.perform { engine, _ in
            engine.journalEntries(ofWorld: "default").compactMap(\.event.request)
                .map { $0.status == 200 && $0.delivery == .complete }
        }
        #expect(answered == [true])
    }

    @Test("A failed wait produces an outcome for the case, but a stopped run does not")
    func unmet() async throws {
        // Stop the run only while it is waiting for the goal, so that the wait fails immediately.
        let count = Mutex(0)
        let outcome = try await Self.play([.until(.goal("Run 5 km"), within: .seconds(1)), .archive]) {
            count.withLock { count in
                count += 1
                return count == 1
            }
        }
        #expect(outcome?.trouble == ConformMessages.unmet)
        let stopped = try await Self.play([]) { true }
        #expect(stopped?.address == nil)
    }
}
