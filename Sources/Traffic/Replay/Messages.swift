import Text
import Traffic

/// The reasons for not replaying a session.
extension Refusal {
    static let empty = Refusal(
        "The session has no requests, so there is nothing to replay; record one with 'fitiq-mock record'.")
    static func nothingToPlay(_ count: Int) -> Refusal {
        Refusal(
            "The server answers all of the session's requests itself (\(count), such as /health), so there is "
                + "nothing to replay; record an app's requests.")
    }
    static func tooManyEntries(_ count: Int) -> Refusal {
        Refusal(
            "The session has \(count) requests, but at most \(ReplayLimits.entries) can be replayed; split it.")
    }
    static func tooManyFrames(_ count: Int) -> Refusal {
        Refusal(
            "The session's WebSockets have \(count) frames, but at most \(ReplayLimits.frames) can be "
                + "replayed; split it.")
    }
    static func tooManyBytes(_ count: Int) -> Refusal {
        Refusal(
            "The session's fields, bodies and frames take up \(count) bytes, but at most \(ReplayLimits.bytes) "
                + "can be replayed; split it.")
    }
}

/// All other user-visible sentences in the replay.
enum Messages {
    // MARK: Notes on a plan

    /// The name of the entry that a note is about.
    static func place(_ number: Int, _ request: SessionRequest) -> String {
        "Entry \(number) (\(request.method.cut(toBytes: 60)) \(Excerpts.target(URLParts(request.url).target, 200)))"
    }
    static func cutBody(_ place: String, kept: Int, of count: Int) -> String {
        "\(place): the recording has only \(kept) of the answer's \(count) bytes; the replayed answer ends at that "
            + "point."
    }
    static func cutFrame(_ place: String) -> String {
        "\(place): the recording has only the beginnings of some frames; these are replayed as separate messages."
    }
    static func noFinalStatus(_ place: String, _ status: Int) -> String {
        "\(place): \(status) is not the status of a final answer; the replayed connection ends without an answer."
    }
    static func unknownBody(_ place: String) -> String {
        "\(place): the recording does not have the request's complete body; any body matches."
    }
    static func ownRequests(_ count: Int, _ names: [String]) -> String {
        "The replay skips \(Words.counted(count, "request")) of the session (\(names.joined(separator: ", "))), because "
            + "the server answers such requests itself."
    }
    static func severalHosts(_ count: Int) -> String {
        "The session has requests to \(count) hosts; the replay treats them as one host."
    }
    static func worlds(_ names: [String], _ count: Int) -> String {
        let list = names.joined(separator: ", ") + (count > names.count ? ", …" : "")
        return
            "The session has requests below \(list), which are world paths; the requests are replayed with and without "
            + "this prefix"
            + (count > 1 ? ", all in the same world." : ".")
    }
    static let tooManyValues =
        "The session has over \(ReplayLimits.recordedValues) ids and tokens; any others are not mapped."

    // MARK: Misses

    static func name(_ reason: ReplayMiss.Reason) -> String {
        switch reason {
        case .unknown: "unknown"
        case .runOut: "run_out"
        case .notItsTurn: "not_its_turn"
        case .over: "over"
        }
    }
    static func message(_ miss: ReplayMiss) -> String {
        let request = "\(miss.method) \(miss.target)"
        let nearest = miss.nearest.map { "\($0.method) \($0.target) (entry \($0.entry))" }
        let differs = miss.differences.isEmpty ? "." : "; differences: \(list(miss.differences))."
        switch (miss.reason, nearest) {
        case (.runOut(let count), _):
            return "\(request) was recorded \(count == 1 ? "once" : "\(count) times"), and has already been answered "
                + "that many times. Reset the world to start the session over."
        case (.over, _):
            return "\(request) arrived after the session's last request had been answered. Reset the world to start "
                + "over."
        case (.notItsTurn, let nearest?):
            return "\(request) is not the next request in the session; the next request is \(nearest)\(differs)"
        case (.notItsTurn, nil): return "\(request) is not the next request in the session."
        case (.unknown, let nearest?):
            let place = miss.differences.isEmpty ? " at this point" : ""
            return "\(request) is not in the session\(place). The nearest is \(nearest)\(differs)"
        case (.unknown, nil): return "\(request) is not in the session, and the session has no similar request."
        }
    }
    static func difference(_ difference: ReplayDifference) -> String {
        guard difference.expected ?? difference.actual != nil else { return difference.place }
        return
            "\(difference.place): expected \(difference.expected ?? "nothing"), got \(difference.actual ?? "nothing")"
    }
    static func message(_ miss: ReplayFrameMiss) -> String {
        switch miss.reason {
        case .tooMany:
            return
                "The frame \(miss.excerpt) on \(miss.target) arrived while \(ReplayLimits.runs) other answers were in "
                + "progress; it gets no answer."
        case .noneLeft:
            return
                "The frame \(miss.excerpt) on \(miss.target) is extra: in the session, the client sent no more frames."
        case .different where miss.differences.isEmpty:
            return
                "The frame \(miss.excerpt) on \(miss.target) does not resemble any frame that the client sent in the "
                + "session."
        case .different:
            return
                "The frame \(miss.excerpt) on \(miss.target) differs from the recorded frame: "
                + "\(list(miss.differences))."
        }
    }
    private static func list(_ differences: [ReplayDifference]) -> String {
        differences.map(\.description).joined(separator: "; ")
    }

    // MARK: The report

    static func summary(_ report: ReplayReport) -> String {
        var parts = ["Served \(report.served) of \(report.recorded) recorded requests"]
        if report.unexpectedCount > 0 { parts.append("\(report.unexpectedCount) unexpected") }
        if report.repeats > 0 { parts.append("\(report.repeats) answered again") }
        if report.frameMissCount > 0 {
            parts.append("\(Words.counted(report.frameMissCount, "frame")) not as recorded")
        }
        if report.framesNeverSent > 0 { parts.append("\(Words.counted(report.framesNeverSent, "frame")) never sent") }
        return parts.joined(separator: ", ") + "."
    }
    static func method(_ name: String) -> String {
        name == RequestShapes.handshake ? "a WebSocket's handshake" : name.cut(toBytes: 60)
    }
}
