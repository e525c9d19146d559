import FitIQAPI
import Traffic

struct MessageShape: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/message-shape", level: .must, origin: .guides([.consultationWebSocket, .enhancedConsultations]),
        place: "message types (consultation-websocket); best practice 4 (enhanced-consultations)",
        clause: "Each message is a text frame with a JSON object of type `message`, `user_message` or `ping`; chat "
            + "messages have a content of 1 to 2000 characters after trimming.",
        tolerance: "The types of both chat protocols are allowed in every mode; a frame of more than 64 KiB, which the "
            + "journal cuts, is not judged. On the apps' socket of all meals only `ping` is usable.",
        advice: "Send text frames, never binary ones; trim white space at both ends, and send no text that is then "
            + "empty or has more than 2000 characters.",
        swiftAdvice: "Use task.send(.string(text)), and trimmingCharacters(in: .whitespacesAndNewlines).")

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .frame(let frame) = fact.kind, frame.isFromClient, !frame.frame.payload.isCut else { return }
        switch frame.frame.opcode {
        case .text:
            findings.exercised()
            do throws(FrameError) {
                let sent = try ClientFrame(text: frame.frame.payload.bytes, in: .union)
                if sent != .ping, scene.sockets[fact.connection]?.isOfMeals == true {
                    findings.found(SocketMessages.unusableFrame(MealSocketError.onlyPings.message), [fact.entry])
                }
            } catch {
                findings.found(SocketMessages.unusableFrame(error.message), [fact.entry])
            }
        case .binary:
            findings.exercised()
            findings.found(SocketMessages.unusableFrame(FrameError.binaryFrame.message), [fact.entry])
        case .continuation, .close, .ping, .pong: break
        }
    }
}
