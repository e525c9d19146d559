import FitIQAPI
import Text

enum SocketMessages {
    static func wrongEndpoint(_ path: String) -> String {
        "The client asked for a WebSocket at \(path), where there is none."
    }
    static func secondSocket(openedAt: Timestamp, oldAt: Timestamp, consultation: String?) -> String {
        let place = consultation.map { "on the consultation \($0)" } ?? "of the same user"
        return
            "The client opened a socket at \(clock(openedAt)) while another \(place) was open, since \(clock(oldAt))."
    }
    static func secondMealSocket(openedAt: Timestamp, oldAt: Timestamp) -> String {
        "The client opened a second socket of the same user's meals at \(clock(openedAt)); it still served the one "
            + "from \(clock(oldAt)), which the server then closed."
    }
    static func tooEarly(openedAt: Timestamp) -> String {
        "The client sent a chat message before `connected` had come on the socket that opened at \(clock(openedAt))."
    }
    static func sameToken(refusedAt: Timestamp) -> String {
        "The client came back with the token that was refused with 401 at \(clock(refusedAt))."
    }
    static func sameID(_ id: String, refusedAt: Timestamp) -> String {
        "The client asked for the consultation \(id) again, which was answered with 404 at \(clock(refusedAt))."
    }
    static func unusableFrame(_ reason: String) -> String { "The backend cannot use this frame. \(reason)" }
    static func sentWhileStreaming(since begin: Timestamp) -> String {
        "The client sent a chat message while the answer that began at \(clock(begin)) was still streaming."
    }
    static func sentBeforeAnswer(to question: Timestamp) -> String {
        "The client sent a chat message while the question of \(clock(question)) had no answer yet."
    }
    static func noPing(for gap: Int64, since: Timestamp) -> String {
        "The socket was idle for \(Durations.seconds(gap)) s from \(clock(since)) on; a ping is due every 30 s."
    }
    static func tooSoon(wait: Int64, failedAt: Timestamp, number: Int) -> String {
        let failure = number == 1 ? "the socket ended" : "try \(number - 1) had failed"
        let act = number == 1 ? "tried again" : "made try \(number)"
        return
            "The client \(act) \(Durations.seconds(wait)) s after \(failure) at \(clock(failedAt)); at least 1 s is due."
    }
    static func shrunk(wait: Int64, previous: Int64, number: Int) -> String {
        "The client waited \(Durations.seconds(wait)) s before try \(number), less than the "
            + "\(Durations.seconds(previous)) s before an earlier one."
    }
    static func constant(wait: Int64, number: Int) -> String {
        "The client waited \(Durations.seconds(wait)) s before try \(number), no longer than before the first; this guide "
            + "has pauses that grow."
    }
    static func neverCameBack(endedAt: Timestamp, firstAt: Timestamp, lastAt: Timestamp) -> String {
        "The socket ended at \(clock(endedAt)), and the client opened none again, although its user went on at "
            + "\(clock(firstAt)) and at \(clock(lastAt))."
    }
    static func tooManyTries(endedAt: Timestamp) -> String {
        "The client tried for the 6th time after the socket ended at \(clock(endedAt)), without success in between; at "
            + "most 5 tries are allowed."
    }
    static func cameBack(after gap: Int64) -> String {
        "The client opened the consultation again \(Durations.seconds(gap)) s after it had closed the socket itself; 3 "
            + "s must pass before it does."
    }
    static func noHistory(cutAt: Timestamp, connectedAt: Timestamp) -> String {
        "An answer was cut at \(clock(cutAt)), and the messages were not fetched within 10 s of `connected` at "
            + "\(clock(connectedAt))."
    }
    static func chatBeforeHistory(cutAt: Timestamp, chatAt: Timestamp) -> String {
        "An answer was cut at \(clock(cutAt)), and the client went on chatting at \(clock(chatAt)) without having "
            + "fetched the messages."
    }
    static func wrongCloseCode(_ code: UInt16?) -> String {
        code.map { "The client left with close code \($0); 1000 or 1001 is due." }
            ?? "The client left with a close frame that has no code; 1000 or 1001 is due."
    }
    static let noCloseFrame = "The client ended the connection without a close frame; 1000 or 1001 is due before."
    static func closeNotAnswered(_ code: UInt16?) -> String {
        "The client did not answer the server's close frame\(code.map { " (\($0))" } ?? "") with one of its own."
    }
    private static func clock(_ time: Timestamp) -> String { Wording.clock(time) }
}
