import FitIQAPI
import Text

/// Judges' messages, starting with messages about requests.
extension Messages {
    static func missingCredentials(_ request: String, _ missing: [String]) -> String {
        "\(request) was sent without \(missing.joined(separator: " and without "))."
    }
    static func noBearer(_ value: String) -> String { "a bearer token (its Authorization begins with \"\(value)\")" }
    static func sameToken(_ request: String, attempts: Int, refusedAt: Timestamp) -> String {
        "\(request) was sent \(attempts) times with the token that was refused with 401 at "
            + "\(clock(refusedAt)); one retry is allowed."
    }

    static func upperCase(_ id: String) -> String { "The path has \(id); the backend's id is \(id.lowercased())." }
    static func noGoalID(_ id: String, in place: String) -> String {
        "\(place) has the goal id \(id), which is not a backend id: backend ids are lower-case UUIDs."
    }
    static func unknownParameters(_ request: String, _ names: [String], known: [String]) -> String {
        let known = known.isEmpty ? "none" : "only " + known.joined(separator: ", ")
        return "\(request) ignores \(names.map { $0.quoted() }.joined(separator: ", ")): it reads \(known)."
    }
    static func noHistory(of id: String, openedAt: Timestamp) -> String {
        "The client opened the socket for consultation \(id) at \(clock(openedAt)) before it fetched the messages."
    }
    static func createdTwice(
        _ request: String, _ ids: [String], failedAt: Timestamp, _ failure: String, after wait: Int64
    ) -> String {
        "\(request) \(failure) at \(clock(failedAt)), but had created \(ids[0]); it was sent again "
            + "\(seconds(wait)) later and created \(ids[1]), so the user now has a duplicate."
    }
    static func failure(status: Int?) -> String { status.map { "was answered with \($0)" } ?? "went unanswered" }
    static let cut = "was cut off"
    static func fetchedCompleted(_ id: String, after: Int64) -> String {
        "The meal log \(id) was fetched \(seconds(after)) after its meal_log.completed event had delivered the "
            + "complete log."
    }

    // MARK: Sockets

    static func wrongEndpoint(_ path: String) -> String {
        "The client requested a WebSocket at \(path), which does not exist."
    }
    static func secondSocket(openedAt: Timestamp, oldAt: Timestamp, consultation: String?) -> String {
        let place = consultation.map { "on the consultation \($0)" } ?? "for the same user"
        return
            "The client opened a socket at \(clock(openedAt)) while another socket \(place), opened at \(clock(oldAt)), was "
            + "still open."
    }
    static func sameToken(refusedAt: Timestamp) -> String {
        "The client reconnected with the token that was refused with 401 at \(clock(refusedAt))."
    }
    static func unusableFrame(_ reason: String) -> String { "The backend cannot process this frame. \(reason)" }
    static func sentWhileStreaming(since begin: Timestamp) -> String {
        "The client sent a chat message while the answer that began at \(clock(begin)) was still streaming."
    }
    static func sentBeforeAnswer(to question: Timestamp) -> String {
        "The client sent a chat message while the question from \(clock(question)) had no answer yet."
    }
    static func noPing(for gap: Int64, since: Timestamp) -> String {
        "The socket was idle for \(seconds(gap)) from \(clock(since)); a ping is expected every 30 s."
    }
    static func tooSoon(wait: Int64, failedAt: Timestamp, number: Int) -> String {
        let failure = number == 1 ? "the socket ended" : "attempt \(number - 1) had failed"
        let act = number == 1 ? "tried again" : "made attempt \(number)"
        return
            "The client \(act) \(seconds(wait)) after \(failure) at \(clock(failedAt)); it must wait at least 1 s."
    }
    static func shrunk(wait: Int64, previous: Int64, number: Int) -> String {
        "The client waited \(seconds(wait)) before attempt \(number), less than the "
            + "\(seconds(previous)) before an earlier attempt."
    }
    static func constant(wait: Int64, number: Int) -> String {
        "The client waited \(seconds(wait)) before attempt \(number), no longer than before the first attempt; with "
            + "this guide, waits should grow."
    }
    static func neverCameBack(endedAt: Timestamp, firstAt: Timestamp, lastAt: Timestamp) -> String {
        "The socket ended at \(clock(endedAt)), and the client did not open a new socket, although its user continued "
            + "at \(clock(firstAt)) and at \(clock(lastAt))."
    }
    static func tooManyTries(endedAt: Timestamp) -> String {
        "The client tried to reconnect for the 6th time in a row after the socket ended at \(clock(endedAt)); at most "
            + "5 attempts are allowed."
    }
    static func noHistory(cutAt: Timestamp, connectedAt: Timestamp) -> String {
        "An answer was interrupted at \(clock(cutAt)), and the client did not fetch the messages within 10 s of "
            + "`connected` at \(clock(connectedAt))."
    }
    static func wrongCloseCode(_ code: UInt16?) -> String {
        code.map { "The client closed with code \($0); expected 1000 or 1001." }
            ?? "The client's close frame has no code; expected code 1000 or 1001."
    }
    static let noCloseFrame =
        "The client ended the connection without a close frame; expected a close frame with 1000 or 1001."
    static func closeNotAnswered(_ code: UInt16?) -> String {
        "The client did not answer the server's close frame\(code.map { " (\($0))" } ?? "") with a close frame."
    }

    // MARK: Words

    /// Formats a duration as `0.2 s`, `5 s` or `1.95 s`, truncated to the millisecond.
    static func seconds(_ nanoseconds: Int64) -> String { "\(Durations.seconds(nanoseconds)) s" }
    /// Formats a time of day in UTC, as `10:30:04`.
    static func clock(_ time: Timestamp) -> String { String(time.wireText.dropFirst(11).dropLast()) }
}

extension RequestFact {
    /// The method and path for sentences, without the query, which may contain a token.
    var title: String { "\(method.rawValue) \(path)" }

    var path: String { "/" + segments.joined(separator: "/") }
}

/// Durations in nanoseconds that several judges share.
enum Tolerance {
    /// How much shorter than the minimum an interval may be, because of network and scheduling delays: 50 ms.
    static let interval: Int64 = 50_000_000
    static let second: Int64 = 1_000_000_000
}
