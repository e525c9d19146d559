import ContractSuite
import FitIQAPI
import FitIQClient
import HTTPTypes
import JSON

extension Mutant {
    private static let neverFinished = ContractCase.story(
        .builtIn("meal-never-finishes"),
        [
            .start(.nutritionist), .untilReady, .logMeal("2 eggs"), .until(.idle, within: .minutes(5)), .disconnect,
        ])

    private static let completed = ContractCase.story([
        .start(.nutritionist), .untilReady, .logMeal("2 eggs"),
        .until(.all([.meal("2 eggs", .completed), .idle]), within: .seconds(30)), .pass(.seconds(2)), .disconnect,
    ])

    static let meals = [
        Mutant(
            "fetches the details of a meal that the event contained", breaks: "meal/no-fetch-after-completed",
            saying: "was fetched 1 s after its meal_log.completed event had delivered the complete log.",
            in: completed
        ) {
            var template: ClientRequest?
            var tampering = Tampering.onFrame("meal_log.completed", in: .seconds(1)) { _, frame, schedule in
                guard var request = template, let id = frame["data"]?["id"]?.string else { return nil }
                (request.number, request.target) = (schedule.number(), "/api/v1/meal-logs/\(id)")
                return .send(request)
            }
            tampering.act = { action, _, _ in
                if case .send(let request) = action, request.method == .get { template = request }
                return [action]
            }
            return tampering
        },
        Mutant(
            "polls even though its socket is open", breaks: "meal/no-poll-while-connected",
            saying: "polled for a meal log although a socket had been open since 10:30:00.", in: neverFinished
        ) {
            var template: ClientRequest?
            var tampering = Tampering()
            tampering.act = { action, _, _ in
                if case .send(let request) = action, request.method == .get { template = request }
                return [action]
            }
            tampering.hear = { input, schedule, now in
                guard case .response(let response) = input, response.status == 202 || response.status == 201,
                    let value = try? JSON.parse(response.body), value["data"]?["status"]?.string == "processing",
                    let id = value["data"]?["id"]?.string, var request = template
                else { return [input] }
                request.target = "/api/v1/meal-logs/\(id)"
                for delay in [6, 11, 16] {
                    request.number = schedule.number()
                    schedule.add(.send(request), in: .seconds(delay), from: now)
                }
                return [input]
            }
            return tampering
        },
        Mutant(
            "polls every two seconds", breaks: "meal/polling-cadence",
            saying: "polled 2 s after the previous poll; polls must be at least 5 s apart.",
            in: .suite("meal/polling/never-finishes"), configured: { $0.mealPolling.interval = .seconds(2) }),
        Mutant(
            "does not stop polling at the final status", breaks: "meal/polling-cadence",
            saying: "was sent 3 times after the final status at", in: .suite("meal/polling/completes")
        ) {
            var template: ClientRequest?
            var isDone = false
            var tampering = Tampering()
            tampering.act = { action, _, _ in
                if case .send(let request) = action, request.method == .get { template = request }
                return [action]
            }
            tampering.hear = { input, schedule, now in
                guard !isDone, case .response(let response) = input, let value = try? JSON.parse(response.body),
                    value["data"]?["status"]?.string == "completed", var request = template
                else { return [input] }
                isDone = true
                for load in 1...30 {
                    request.number = schedule.number()
                    schedule.add(.send(request), in: .milliseconds(100 * load), from: now)
                }
                return [input]
            }
            return tampering
        },
        Mutant(
            "polls until its user gives up", breaks: "meal/polling-cadence",
            saying: "was polled more than 12 times.",
            in: .suite("meal/polling/never-finishes"),
            configured: {
                $0.mealPolling.maximumPolls = 30
                $0.patience.meal = .seconds(200)
            }),
        Mutant(
            "sends a meal although its user has entered nothing", breaks: "request/shape", saying: "raw_input",
            in: .suite("meal/create/nothing-entered")
        ) {
            .besides({ $0.isTo(.post, "/meal-logs/natural") }) { request in
                var empty = request
                empty.body = Array(#"{"raw_input":"","meal_type":"breakfast"}"#.utf8)
                return empty
            }
        },
        Mutant(
            "opens the meal socket in each screen that shows meals", breaks: "ws/meal-socket-single",
            saying: "The client opened a second meal socket for the same user at ",
            in: .story([.listenToMeals, .until(.idle, within: .seconds(30)), .pass(.seconds(5)), .disconnect])
        ) {
            var isDone = false
            var tampering = Tampering()
            tampering.act = { action, schedule, now in
                guard !isDone, case .openSocket(var request) = action else { return [action] }
                isDone = true
                request.number = schedule.number()
                schedule.add(.openSocket(request), in: .seconds(2), from: now)
                return [action]
            }
            return tampering
        },
        Mutant(
            "reopens the meal socket immediately", breaks: "ws/reconnect-backoff",
            saying: "The client tried again 0 s after the socket ended at ",
            in: .suite("meal/socket/reconnects-with-back-off"),
            configured: { $0.reconnects = ReconnectSchedule(.constant(.zero)) }),
        Mutant(
            "never gives up on the meal socket", breaks: "ws/reconnect-limit",
            saying: "The client tried to reconnect for the 6th time in a row", in: .suite("meal/socket/gives-up"),
            configured: { $0.reconnects = ReconnectSchedule(.constant(.seconds(5)), maximumTries: 12) }),
    ]
}
