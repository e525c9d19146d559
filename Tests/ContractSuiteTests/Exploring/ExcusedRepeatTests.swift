import FitIQAPI
import HTTP1
import Judging
import Testing
import Traffic

@testable import ContractSuite

@Suite("Oracle: excused repeats")
struct ExcusedRepeatTests {
    private struct Request {
        var line: String
        var endpoint: Endpoint
        var status: Int
        var body = "", answer = ""
        var at: Double
        var took = 0.0
        var delivery = Delivery.complete
        var faults: [String] = []
    }

    /// Whether a client with these requests shows the symptom, given that its user made requests at these seconds.
    private static func isBlamed(_ id: String, for requests: [Request], asked: [Double] = []) throws -> Bool {
        var outcome = TrialOutcome(
            try requests.map { request in
                let exchange = RecordedExchange(
                    head: try RequestHead(request.line, "Authorization: Bearer t\r\n"), body: Array(request.body.utf8),
                    requestedAt: .after(request.at), endpoint: request.endpoint,
                    user: request.status == 401 ? nil : "ada", status: request.status,
                    responseBody: Array(request.answer.utf8), delivery: request.delivery, faults: request.faults)
                return (request.at + request.took, 1, .exchange(exchange))
            })
        outcome.asked = asked.map(Timestamp.after)
        return outcome.symptoms().contains { $0.id == id }
    }

    @Test("The oracle reports a repeated create request unless the user asked again after the conflict")
    func conflicts() throws {
        func create(at seconds: Double) -> Request {
            Request(
                line: "POST /api/v1/consultations", endpoint: .createConsultation, status: 409,
                body: #"{"persona":"nutritionist"}"#,
                answer: #"{"error":{"details":{"existing_consultation_id":"\#(KnownID.consultation)"}}}"#, at: seconds)
        }
        let rows: [(asked: [Double], isBlamed: Bool)] = [
            ([], true), ([2], true), ([2, 3], false),
            // What counts is the time of the conflict, not the time of the create request.
            ([1, 3], false), ([2, 5], true), ([0, 7], true),
        ]
        for row in rows {
            let isBlamed = try Self.isBlamed(
                "consultation/conflict-continues-existing", for: [create(at: 1), create(at: 5)], asked: row.asked)
            #expect(isBlamed == row.isBlamed, "\(row.asked)")
        }
    }

    @Test("The oracle reports a third use of a rejected token unless the 401 was cut off or late")
    func refusals() throws {
        func goals(
            at seconds: Double, took: Double = 0, delivery: Delivery = .complete, faults: [String] = []
        ) -> Request {
            Request(
                line: "GET /api/v1/goals", endpoint: .listGoals, status: 401, at: seconds, took: took,
                delivery: delivery, faults: faults)
        }
        let rows: [(third: Request, isBlamed: Bool)] = [
            (goals(at: 2), true), (goals(at: 2, delivery: .partial), false),
            (goals(at: 2, took: 10, faults: ["late"]), false), (goals(at: 2, took: 9, faults: ["late"]), true),
        ]
        for row in rows {
            let isBlamed = try Self.isBlamed("auth/refresh-after-401", for: [goals(at: 0), goals(at: 1), row.third])
            #expect(isBlamed == row.isBlamed, "\(row.third)")
        }
    }

    private static func failed(at seconds: Double, took: Double = 0, faults: [String] = []) -> Request {
        Request(line: "GET /api/v1/goals", endpoint: .listGoals, status: 503, at: seconds, took: took, faults: faults)
    }

    @Test("The oracle reports a hasty repeat unless another attempt was pending or the client may have given up")
    func attempts() throws {
        let hasty = [Self.failed(at: 0), Self.failed(at: 0.5)]
        let meals = Request(line: "GET /api/v1/meal-logs", endpoint: .listMealLogs, status: 503, at: 0.25, took: 3)
        let rows: [(requests: [Request], isBlamed: Bool)] = [
            (hasty, true), (hasty + [Self.failed(at: 0.25, took: 3)], false), (hasty + [meals], true),
            // Neither the request itself nor a request that was just answered is in progress.
            ([Self.failed(at: 0), Self.failed(at: 0.5, took: 1)], true),
            ([Self.failed(at: 0, took: 0.5), Self.failed(at: 0.5)], true),
            ([Self.failed(at: 0, took: 10, faults: ["late"]), Self.failed(at: 10.5)], false),
            ([Self.failed(at: 0, took: 9.5, faults: ["late"]), Self.failed(at: 10)], true),
            ([Self.failed(at: 0, took: 10), Self.failed(at: 10.5)], true),
        ]
        for (index, row) in rows.enumerated() {
            #expect(try Self.isBlamed("retry/backoff-on-5xx", for: row.requests) == row.isBlamed, "row \(index)")
        }
    }

    @Test("The oracle reports a hasty repeat unless the user asked again during the series")
    func series() throws {
        // The first attempt takes half a second.
        let short = [Self.failed(at: 0, took: 0.5), Self.failed(at: 0.6)]
        /// The pauses within a series are at most 61 s.
        func long(_ pause: Double) -> [Request] { [0, pause, pause + 0.5].map { Self.failed(at: $0) } }
        let rows: [(requests: [Request], asked: Double, isBlamed: Bool)] = [
            (short, 0, true), (short, 0.3, false), (short, 0.6, false), (short, 0.7, true),
            (long(61), 30, false), (long(61.5), 30, true),
        ]
        for (index, row) in rows.enumerated() {
            let isBlamed = try Self.isBlamed("retry/backoff-on-5xx", for: row.requests, asked: [row.asked])
            #expect(isBlamed == row.isBlamed, "row \(index)")
        }
    }

    @Test("The oracle reports hasty polls even if the user made a request in between")
    func polls() throws {
        let meal = #"{"data":{"id":"m1","status":"processing"}}"#
        func poll(at seconds: Double) -> Request {
            Request(line: "GET /api/v1/meal-logs/m1", endpoint: .showMealLog, status: 200, answer: meal, at: seconds)
        }
        let create = Request(
            line: "POST /api/v1/meal-logs/natural", endpoint: .createMealLog, status: 201, answer: meal, at: 0)
        for asked in [[], [11]] as [[Double]] {
            let isBlamed = try Self.isBlamed(
                "meal/polling-cadence", for: [create, poll(at: 10), poll(at: 12)], asked: asked)
            #expect(isBlamed, "\(asked)")
        }
        #expect(try !Self.isBlamed("meal/polling-cadence", for: [create, poll(at: 10), poll(at: 15)]))
    }
}
