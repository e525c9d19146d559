import FitIQAPI
import Traffic
import WebSocket

struct CloseHandshake: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/close-handshake", level: .should, origin: .guides([.consultationWebSocket, .mealLogWebSocket]),
        place: "disconnect()",
        clause: "A client leaves with a close frame of code 1000 or 1001, and answers the server's close frame.",
        tolerance: "A socket that ends by a fault is excused, and so is a client that ends a socket on which a fault "
            + "has acted. A socket that is open at the end of the journal is not a breach, and a server that stops "
            + "need not be answered.",
        advice: "Send a close frame with 1001 before the connection is released and before the process ends, and go on "
            + "reading after the server's close frame, so that it is answered.",
        swiftAdvice: "Call task.cancel(with: .goingAway, reason: nil), not cancel(), and receive until that fails.")
    static let needs: Evidence = [.controlFrames, .socketEnds]

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .closed(let closing) = fact.kind, let socket = scene.endedSocket else { return }
        switch closing.cause {
        case .fault, .violation, .limit, .shutdown: return
        case .closeFrame, .finish, .reset, .timeOut: break
        }
        let evidence = [socket.opening, fact.entry]
        let isExcused = socket.trouble != nil || !closing.faults.isEmpty
        if closing.isByServer {
            guard let sent = closing.summary.sent else { return }
            let isAnswered = closing.summary.received != nil
            guard isAnswered || !isExcused else { return }
            findings.exercised()
            if !isAnswered { findings.found(SocketMessages.closeNotAnswered(sent.code?.rawValue), evidence) }
        } else if let received = closing.summary.received {
            let isRight = received.isLeaving
            guard isRight || !isExcused else { return }
            findings.exercised()
            if !isRight { findings.found(SocketMessages.wrongCloseCode(received.code?.rawValue), evidence) }
        } else if !isExcused {
            findings.exercised()
            findings.found(SocketMessages.noCloseFrame, evidence)
        }
    }
}
