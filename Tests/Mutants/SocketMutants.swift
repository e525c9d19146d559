import ContractSuite
import FitIQAPI
import FitIQClient
import HTTPTypes
import WebSocket

extension Mutant {
    private static let idle = ContractCase.story([
        .start(.nutritionist), .untilReady, .pass(.minutes(5)), .expect(.ready), .disconnect,
    ])
    private static let refusedTwice = ContractCase.story(
        .written(
            """
            name: handshake-refused-twice
            faults:
              - {on: handshake, connections: 1..2, status: 401, code: UNAUTHORIZED}
            """),
        [
            .start(.nutritionist), .until(.idle, within: .minutes(2)), .disconnect,
        ])

    private static let notFound = ContractCase.story(
        .written(
            """
            name: handshake-not-found
            faults:
              - {on: handshake, status: 404, code: NOT_FOUND}
            """),
        [.start(.nutritionist), .until(.all([.problem(.notFound), .offline, .idle]), within: .minutes(5))])

    static let sockets = [
        Mutant(
            "listens for meals at /ws, as in websocket-architecture's configuration",
            breaks: "ws/endpoint", saying: "The client requested a WebSocket at /ws, which does not exist.", in: .chat
        ) {
            var tampering = Tampering()
            tampering.act = { action, schedule, _ in
                guard case .openSocket(var request) = action else { return [action] }
                (request.number, request.target) = (schedule.number(), "/ws")
                return [action, .openSocket(request)]
            }
            return tampering
        },
        Mutant(
            "connects twice, once in its init and once in onAppear", breaks: "ws/single-connection",
            saying: "while another socket on the consultation ", in: .chat
        ) {
            var twins: [Int: Int] = [:]
            var tampering = Tampering()
            tampering.act = { action, schedule, _ in
                switch action {
                case .openSocket(var request):
                    let twin = schedule.number()
                    (twins[request.number], request.number) = (twin, twin)
                    return [action, .openSocket(request)]
                case .closeSocket(let number, let code):
                    return [action] + (twins[number].map { [.closeSocket(socket: $0, code)] } ?? [])
                default: return [action]
                }
            }
            return tampering
        },
        Mutant(
            "considers itself connected as soon as the task is resumed", breaks: "ws/waits-for-connected",
            saying: "sent a chat message before `connected` had arrived",
            in: .suite("chat/answer/question-before-connected-waits")
        ) {
            var tampering = Tampering()
            tampering.hear = { input, _, _ in
                guard case .socketOpened(let number) = input else { return [input] }
                return [input, .text(socket: number, Array(#"{"type":"connected"}"#.utf8))]
            }
            return tampering
        },
        Mutant(
            "reconnects with the refused token", breaks: "ws/refused-handshake",
            saying: "reconnected with the token that was refused with 401", in: refusedTwice
        ) {
            .repeatingHandshakes(after: .seconds(2), status: 401)
        },
        Mutant(
            "reconnects to the consultation that was not found", breaks: "ws/refused-handshake",
            saying: "again after a 404", in: notFound
        ) {
            .repeatingHandshakes(after: .seconds(2), status: 404)
        },
        Mutant(
            "sends whatever its user typed, even if it is only white space", breaks: "ws/message-shape",
            saying: "The backend cannot process this frame.", in: .chat
        ) {
            .onFrame("connected", in: .seconds(1)) { socket, _, _ in
                .sendText(socket: socket, Array(#"{"type":"message","content":"   "}"#.utf8))
            }
        },
        Mutant(
            "leaves its input enabled while the coach answers", breaks: "ws/no-send-while-streaming",
            saying: "was still streaming.",
            in: .story(
                .builtIn("slow-coach"),
                [
                    .start(.nutritionist), .untilReady, .send("How much protein?"),
                    .until(.streaming, within: .seconds(30)), .untilAnswered(1, within: .minutes(15)),
                    .until(.idle, within: .minutes(15)), .disconnect,
                ])
        ) {
            .onFrame("stream_chunk", in: .seconds(2)) { socket, _, _ in
                .sendText(socket: socket, Array(#"{"type":"message","content":"And for breakfast?"}"#.utf8))
            }
        },
        Mutant(
            "leaves its input enabled until the coach answers", breaks: "ws/no-send-while-streaming",
            saying: "had no answer yet.", in: .chat
        ) {
            .onFrame("message_received", in: .milliseconds(100)) { socket, _, _ in
                .sendText(socket: socket, Array(#"{"type":"message","content":"And for breakfast?"}"#.utf8))
            }
        },
        Mutant(
            "pings every 45 s", breaks: "ws/keepalive", saying: "The socket was idle for 45 s from ", in: idle,
            configured: { $0.patience.pingInterval = .seconds(45) }),
        Mutant(
            "disconnects with cancel(), without a close frame", breaks: "ws/close-handshake",
            saying: "ended the connection without a close frame", in: .chat
        ) {
            closing { .dropSocket(socket: $0) }
        },
        Mutant(
            "closes with a private code", breaks: "ws/close-handshake",
            saying: "closed with code 4000; expected 1000 or 1001.", in: .chat
        ) {
            closing { .closeSocket(socket: $0, CloseCode(rawValue: 4000)) }
        },
    ]

    private static func closing(_ close: @escaping (Int) -> ClientAction) -> Tampering {
        var tampering = Tampering()
        tampering.act = { action, _, _ in
            if case .closeSocket(let number, _) = action { [close(number)] } else { [action] }
        }
        return tampering
    }
}
