import JSON
import Text

/// The result of a replayed session.
public struct ReplayReport: Sendable, Equatable {
    /// The number of recorded requests, including handshakes.
    public var recorded: Int
    /// The number of recorded requests that were made.
    public var served: Int
    /// The number of repeated responses, given after all of their kind had been used.
    public var repeats: Int
    /// The number of recorded requests that were never made.
    public var neverAskedCount: Int
    /// The first requests that were never made, at most ``ReplayLimits/misses``.
    public var neverAsked: [ReplayMiss.Nearest]
    public var unexpectedCount: Int
    /// The first unexpected requests, at most ``ReplayLimits/misses``.
    public var unexpected: [ReplayMiss]
    /// The number of the server's frames that were sent, including drops.
    public var framesSent: Int
    /// The number of the client's frames that matched recorded ones.
    public var framesReceived: Int
    /// The number of recorded frames that the client did not send on the sockets that it opened.
    public var framesNeverSent: Int
    /// The number of the client's frames that matched no recorded one.
    public var frameMissCount: Int
    /// The first frame misses, at most ``ReplayLimits/misses``.
    public var frameMisses: [ReplayFrameMiss]
    /// The number of recorded values that stand for others.
    public var bindings: Int
    /// The number of values not followed: over ``ReplayLimits/bindings``, or with quotes, blanks or control characters.
    public var bindingsRefused: Int

    /// Whether everything recorded was requested and sent, and nothing else.
    public var isComplete: Bool {
        neverAskedCount == 0 && unexpectedCount == 0 && framesNeverSent == 0 && frameMissCount == 0
    }

    /// One line: how many of the requests were served, and what was not.
    public var summary: String { Sentences.summary(self) }

    /// The report as data, for the admin API.
    public var json: JSONValue {
        func count(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }
        let frames: JSONValue = [
            "sent": count(framesSent), "received": count(framesReceived), "never_sent": count(framesNeverSent),
            "unexpected_count": count(frameMissCount),
            "unexpected": .array(
                frameMisses.map { miss in
                    [
                        "time": .string(miss.time.nanosecondText), "socket": count(Int(miss.socket.number)),
                        "target": .string(miss.target), "frame": .string(miss.excerpt),
                        "message": .string(miss.message), "differences": .array(miss.differences.map(\.json)),
                    ]
                }),
        ]
        return [
            "complete": .bool(isComplete), "summary": .string(summary), "recorded": count(recorded),
            "served": count(served), "repeats": count(repeats), "never_asked_count": count(neverAskedCount),
            "never_asked": .array(
                neverAsked.map { request in
                    [
                        "entry": count(request.entry), "method": .string(request.method),
                        "target": .string(request.target),
                    ]
                }),
            "unexpected_count": count(unexpectedCount),
            "unexpected": .array(
                unexpected.map { miss in
                    [
                        "time": .string(miss.time.nanosecondText), "method": .string(miss.method),
                        "target": .string(miss.target), "message": .string(miss.message),
                        "details": .object(miss.details),
                    ]
                }),
            "frames": frames, "bindings": count(bindings), "bindings_refused": count(bindingsRefused),
        ]
    }
}

/// The running counts of a player.
struct Tally: Sendable {
    var answers = 0
    var served = 0
    var repeats = 0
    var unexpected = 0
    var misses: [ReplayMiss] = []
    var framesSent = 0
    var framesReceived = 0
    var framesNeverSent = 0
    var frameMisses = 0
    var frames: [ReplayFrameMiss] = []
}

extension Player {
    /// The result so far; frames that a client may still send count as never sent.
    public var report: ReplayReport {
        var neverAsked: [ReplayMiss.Nearest] = []
        for (index, isServed) in isServed.enumerated() where !isServed && neverAsked.count < ReplayLimits.misses {
            let request = plan.session.entries[index].request
            neverAsked.append(
                .init(
                    entry: plan.numbers[index], method: request.method,
                    target: Excerpts.target(URLParts(request.url).target)))
        }
        let waiting = sockets.values.reduce(0) { $0 + plan.scripts[$1.script].messages.count - $1.comeCount }
        return ReplayReport(
            recorded: isServed.count, served: tally.served, repeats: tally.repeats,
            neverAskedCount: isServed.count - tally.served, neverAsked: neverAsked, unexpectedCount: tally.unexpected,
            unexpected: tally.misses, framesSent: tally.framesSent, framesReceived: tally.framesReceived,
            framesNeverSent: tally.framesNeverSent + waiting, frameMissCount: tally.frameMisses,
            frameMisses: tally.frames, bindings: following.bindings.actual.count,
            bindingsRefused: following.bindings.refusedCount)
    }
}
