import ContractSuite
import FitIQAPI
import FitIQClient
import HTTPTypes

extension Mutant {
    static let reconnects = [
        Mutant(
            "reconnects immediately in the error branch of its receive loop", breaks: "ws/reconnect-backoff",
            saying: "The client tried again 0 s after the socket ended at ",
            in: .suite("interruption/drop/mid-stream"),
            configured: { $0.reconnects = ReconnectSchedule(.constant(.zero)) }),
        Mutant(
            "waits less before each attempt", breaks: "ws/reconnect-backoff",
            saying: "less than the 5 s before an earlier attempt.", in: refusedForGood
        ) {
            // The first attempt comes 4 s late.
            var count = 0
            var tampering = Tampering()
            tampering.act = { action, schedule, now in
                guard case .openSocket = action else { return [action] }
                count += 1
                guard count == 2 else { return [action] }
                schedule.add(action, in: .seconds(4), from: now)
                return []
            }
            return tampering
        },
        Mutant(
            "waits the same time before each attempt, although its guide's pauses grow", breaks: "ws/reconnect-backoff",
            saying: "The client waited 2 s before attempt 3, no longer than before the first",
            in: .suite("interruption/drop/pauses-grow"),
            configured: { $0.reconnects = ReconnectSchedule(.constant(.seconds(2))) }
        ),
        Mutant(
            "continues after a drop without reconnecting", breaks: "ws/reconnects",
            saying: "and the client did not open a new socket, although its user continued at ",
            in: .story(
                .builtIn("drop-mid-stream"),
                [
                    .start(.nutritionist), .untilReady, .send("How much protein do I need each day?"),
                    .until(.streaming, within: .seconds(10)), .pass(.minutes(1)), .disconnect,
                ])
        ) {
            var template: ClientRequest?
            var isCut = false
            var tampering = Tampering()
            tampering.act = { action, _, _ in
                if case .send(let request) = action, request.isTo(.get, "/messages") { template = request }
                if case .openSocket = action, isCut { return [] }
                return [action]
            }
            tampering.hear = { input, schedule, now in
                guard case .socketClosed = input, !isCut, var request = template else { return [input] }
                isCut = true
                for delay in [5, 40] {
                    request.number = schedule.number()
                    schedule.add(.send(request), in: .seconds(delay), from: now)
                }
                return [input]
            }
            return tampering
        },
        Mutant(
            "makes twelve attempts", breaks: "ws/reconnect-limit",
            saying: "The client tried to reconnect for the 6th time in a row", in: refusedForGood,
            configured: { $0.reconnects = ReconnectSchedule(.constant(.seconds(5)), maximumTries: 12) }),
        Mutant(
            "treats the error from its own cancel(with:reason:) as a lost connection",
            breaks: "ws/no-reconnect-after-own-close",
            saying: "opened the consultation again 1 s after it had closed the socket itself", in: .chat
        ) {
            var opened: ClientSocketRequest?
            var tampering = Tampering()
            tampering.act = { action, schedule, now in
                switch action {
                case .openSocket(let request): opened = request
                case .closeSocket:
                    guard var request = opened else { break }
                    request.number = schedule.number()
                    schedule.add(.openSocket(request), in: .seconds(1), from: now)
                default: break
                }
                return [action]
            }
            return tampering
        },
        Mutant(
            "reads its history from a URLCache after a cut", breaks: "ws/recovers-history",
            saying: "and the client did not fetch the messages within 10 s of `connected` at ",
            in: .story(
                .builtIn("drop-mid-stream"),
                [
                    .start(.nutritionist), .untilReady, .send("How much protein do I need each day?"),
                    .until(.streaming, within: .seconds(10)),
                    .until(.ready, within: .minutes(5)), .pass(.seconds(15)), .disconnect,
                ])
        ) {
            var asked: Set<Int> = []
            var cached: [UInt8] = []
            var isCut = false
            var tampering = Tampering()
            tampering.act = { action, schedule, now in
                guard case .send(let request) = action, request.isTo(.get, "/messages") else { return [action] }
                guard isCut else {
                    asked.insert(request.number)
                    return [action]
                }
                isCut = false
                let response = ClientResponse(number: request.number, status: 200, body: cached)
                schedule.add(.response(response), in: .milliseconds(1), from: now)
                return []
            }
            tampering.hear = { input, _, _ in
                switch input {
                case .response(let response) where asked.contains(response.number): cached = response.body
                case .socketClosed: isCut = true
                default: break
                }
                return [input]
            }
            return tampering
        },
    ]

    private static let refusedForGood = ContractCase.suite("interruption/drop/handshakes-refused-for-good")
}
