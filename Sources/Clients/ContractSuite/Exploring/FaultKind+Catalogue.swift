import Faults
import FitIQAPI
import JSON

extension FaultKind {
    /// All kinds, family by family.
    ///
    /// Ranks: 0 and 1 find the most; 2 is usual; 3 is for the coach and the meals; 4 for what concerns only how a client
    /// reads bytes, wherever it stands.
    public static let all: [FaultKind] = answers + handshakes + endings + frames + behaviours + hostile

    // MARK: Answers over REST

    private static let answers: [FaultKind] = [
        .status(503, .failed, rank: 0, weight: 5, milder: ["status-500"], retryAfter: 1),
        .request("lost-answer", .lost, rank: 0, weight: 6, milder: ["status-500", "status-503"]) { _ in .reset(after: 0)
        },
        .status(401, .refused, rank: 1, weight: 5),
        .request("hang", .late, rank: 1, weight: 9, milder: ["late", "slow"]) { _ in .hang },
        .status(500, .failed, weight: 4),
        .status(400, .refused, weight: 4),
        .status(404, .refused, rank: 1, weight: 5, milder: ["status-400"]),
        .status(409, .refused, weight: 5),
        .status(429, .refused, weight: 5, milder: ["status-503"], code: "RATE_LIMITED", retryAfter: 2),
        .status(401, .refused, rank: 1, weight: 20, forGood: true),
        .status(404, .refused, weight: 20, forGood: true),
        .status(503, .failed, rank: 1, weight: 20, forGood: true),
        .request("done-but-503", .failed, rank: 1, weight: 6, milder: ["status-500", "status-503"]) { _ in
            .replace(Replacement(status: 503, retryAfter: 1, isProcessed: true))
        },
        .request("empty-reply", .lost, weight: 6, milder: ["lost-answer"]) { _ in .emptyReply },
        .request("late", .late, rank: 1, weight: 8, wait: .beyondPatience, milder: ["slow"]) { .delay($0) },
        .request("slow", .late, weight: 3, wait: .exactly(.seconds(2))) { .delay($0) },
        .request("dribble", .late, rank: 4, weight: 3, wait: .exactly(.milliseconds(5))) {
            .dribble(bytes: 16, every: $0)
        },
        .request("truncated", .broken, weight: 6, milder: ["lost-answer"]) { _ in .truncate(after: 10) },
        .request("bad-json", .broken, weight: 6) { _ in .malformedJSON },
        .request("bad-chunking", .broken, rank: 4, weight: 6, milder: ["bad-json"]) { _ in .malformedChunking },
        .request("wrong-length", .broken, rank: 4, weight: 6, milder: ["truncated"]) { _ in .contentLength(off: 7) },
        .request("no-type", .broken, rank: 4, weight: 2) { _ in .contentType(nil) },
        .request("nine-digits", .broken, rank: 4, weight: 1) { _ in .nanosecondTimestamps },
    ]

    private static func status(
        _ status: Int, _ family: Family, rank: Int = 2, weight: Int, milder: [String] = [], forGood: Bool = false,
        code: String? = nil, retryAfter: Int? = nil
    ) -> FaultKind {
        let (id, code) = ("status-\(status)", status == 401 ? "UNAUTHORIZED" : code)
        return .request(
            forGood ? id + "-for-good" : id, family, rank: rank, weight: weight, milder: forGood ? [id] : milder,
            forGood: forGood
        ) { _ in .replace(Replacement(status: status, code: code, retryAfter: retryAfter)) }
    }

    // MARK: Handshakes

    private static let handshakes: [FaultKind] =
        [(401, Family.refused), (404, .refused), (429, .refused), (503, .failed)].map { status, family in
            .handshake("shake-\(status)", family, rank: status == 503 ? 0 : 1, weight: 5) { _ in
                .replace(Replacement(status: status))
            }
        } + [
            .handshake("shake-503-for-good", .failed, rank: 1, weight: 20, milder: ["shake-503"], forGood: true) { _ in
                .replace(Replacement(status: 503))
            },
            .handshake("shake-reset", .lost, rank: 1, weight: 6, milder: ["shake-503"]) { _ in .reset(after: 0) },
            .handshake("shake-empty", .lost, weight: 6, milder: ["shake-reset"]) { _ in .emptyReply },
            .handshake("shake-hang", .late, rank: 1, weight: 9, milder: ["shake-late"]) { _ in .hang },
            .handshake("shake-late", .late, weight: 8, wait: .beyondPatience) { .delay($0) },
            .handshake("shake-wrong-accept", .broken, weight: 6, milder: ["shake-reset"]) { _ in .wrongAccept },
        ]

    // MARK: How sockets end

    private static let endings: [FaultKind] =
        [
            .frame("reset", .cut, rank: 0, weight: 8, milder: ["finish", "lost"]) { _ in [.reset] },
            .frame("finish", .cut, rank: 1, weight: 6, milder: ["lost"]) { _ in [.finish] },
            .frame("silence", .silence, rank: 1, weight: 9, milder: ["no-pongs", "frame-late"]) { _ in [.silence] },
            .frame("cut-in-frame", .cut, weight: 8, milder: ["finish"]) { _ in [.cut(after: 3, reset: false)] },
            .frame("cut-in-frame-reset", .cut, rank: 4, weight: 9, milder: ["cut-in-frame", "reset"]) { _ in
                [.cut(after: 3, reset: true)]
            },
            .ending("end-finish", .cut, rank: 2, weight: 6, wait: .exactly(.zero), milder: [], .finish),
            .ending("end-reset", .cut, rank: 1, weight: 7, wait: .exactly(.zero), milder: ["end-finish"], .reset),
            .ending(
                "end-silence", .silence, rank: 2, weight: 8, wait: .exactly(.zero), milder: ["end-reset"], .silence),
            .ending(
                "end-reset-later", .cut, rank: 2, weight: 8, wait: .exactly(.seconds(20)),
                milder: ["end-reset", "end-finish"], .reset),
            .ending(
                "end-silence-later", .silence, rank: 2, weight: 9, wait: .exactly(.seconds(20)),
                milder: ["end-silence", "end-reset-later"], .silence),
            .frame("close-none", .cut, weight: 6, milder: ["finish"]) { _ in [.close(code: nil, reason: "")] },
            .restart("restart", weight: 20, milder: ["close-1001", "reset"]) { .only($0) },
            .restart("outage", weight: 30, milder: ["restart", "close-1001"]) { Selection(first: $0) },
        ]
        + [1000, 1001, 1008, 1011, 1012, 1013, 4000].map { (code: UInt16) in
            .frame("close-\(code)", .cut, rank: [1000, 1001, 1011].contains(code) ? 2 : 4, weight: 6) { _ in
                [.close(code: code, reason: "")]
            }
        }

    /// The server goes away, and refuses the handshakes that follow.
    private static func restart(
        _ id: String, weight: Int, milder: [String], _ refused: @escaping @Sendable (Int) -> Selection
    ) -> FaultKind {
        FaultKind(id: id, family: .cut, rank: 1, weight: weight, wait: .none, milder: milder) { place, details in
            guard let (socket, connection, point) = place.frameNamed(coversNext: false) else { return nil }
            let close = SocketFault.close(code: 1001, reason: "The server is restarting")
            let refusal = FaultRule.handshake(
                "\(details.name).2", .replace(Replacement(status: 503, retryAfter: 1)), of: socket,
                refused(connection + 1))
            return .rules(.socket(details.name, [close], at: point, of: socket, .only(connection)) + [refusal])
        }
    }

    // MARK: Frames

    private static let frames: [FaultKind] = [
        .frame("lost", .disorder, rank: 1, weight: 3) { _ in [.lose] },
        .frame("doubled", .disorder, rank: 1, weight: 3) { _ in [.double] },
        .frame("swapped", .disorder, weight: 4, milder: ["lost"]) { _ in [.swap] },
        .frame("coalesced", .disorder, rank: 4, weight: 2, coversNext: true) { _ in [.coalesce(count: 2)] },
        // In the middle of the type, at each byte where the text begins, and behind it.
        .frame("fragmented", .broken, rank: 4, weight: 1) { _ in [.fragments(at: [1, 12] + Array(34...48) + [60])] },
        .frame("masked", .broken, rank: 4, weight: 6) { _ in [.masked] },
        .frame("compressed", .broken, rank: 4, weight: 6) { _ in [.reservedBits(4)] },
        .frame("bad-utf8", .broken, rank: 4, weight: 6) { _ in [.invalidUTF8] },
        .frame("binary", .broken, rank: 4, weight: 4) { _ in [.binary] },
        .frame("frame-late", .late, weight: 6, wait: .beyondPatience, milder: ["frame-slow"]) { [.delay($0)] },
        .frame("frame-slow", .late, rank: 1, weight: 3, wait: .exactly(.seconds(5))) { [.delay($0)] },
        .frame("frame-dribble", .late, rank: 4, weight: 2, wait: .exactly(.milliseconds(1))) {
            [.dribble(bytes: 1, every: $0)]
        },
        .frame("no-pongs", .silence, weight: 5) { _ in [.withholdPong] },
        .frame("deaf", .silence, weight: 6, milder: ["no-pongs"]) { _ in [.stallReading] },
        .frame("escaped", .hostile, rank: 4, weight: 1) { _ in [.escape] },
        // Inside the escapes too, and between the two of a pair.
        .frame("escaped-in-pieces", .hostile, rank: 4, weight: 2, milder: ["escaped", "fragmented"]) { _ in
            [.escape, .fragments(at: Array(stride(from: 2, through: 120, by: 4)))]
        },
    ]

    // MARK: Tokens, the coach, meals

    private static let behaviours: [FaultKind] = [
        FaultKind(id: "expired", family: .expiry, rank: 1, weight: 6, wait: .none, milder: []) { place, _ in
            guard case .moment(let time) = place else { return nil }
            return .tokenLifetime(time.nanoseconds)
        },
        .answer("coach-error", weight: 4, ["error": "The coach is not available."]),
        .answer(
            "coach-error-midway", weight: 5,
            ["steps": [["chunk": "One moment, "], ["error": "The coach is not available."]]]),
        .answer("coach-silent", weight: 6, ["silence": true]),
        .answer("coach-long", weight: 3, ["chunks": .array(Array(repeating: .string(longChunk), count: 40))]),
        .meal("meal-fails", weight: 4, ["fail": "Nobody knows what is in it."]),
        .meal("meal-late", weight: 3, ["after": "20s"]),
        .meal("meal-never", weight: 5, milder: ["meal-late"], ["never": true]),
    ]

    /// Answers that are hard to show: every production of ``HostileText``, and every cut.
    private static let hostile: [FaultKind] = (1...12).map { (seed: UInt64) in
        let chunks = HostileText(seed: seed).chunks.map(JSONValue.string)
        return .answer("hostile-\(seed)", family: .hostile, weight: 3, ["chunks": .array(chunks)])
    }

    private static let longChunk = String(repeating: "one more word ", count: 16)
}
