import FitIQAPI
import JSON
import Scenarios

extension FaultKind {
    /// All kinds, family by family.
    ///
    /// Ranks 0 and 1 find the most problems, and rank 2 is the usual rank. Rank 3 is for the coach and meals. Rank 4 is
    /// for parsing bytes, which does not depend on the situation.
    public static let all: [FaultKind] = answers + handshakes + endings + closes + frames + behaviours + hostile + newer

    // MARK: Answers over REST

    private static let answers = [
        status(503, .failed, rank: 0, weight: 5, milder: ["status-500"], ["retry_after": 1]),
        FaultKind(
            "lost-answer", .lost, .request, rank: 0, weight: 6, milder: ["status-500", "status-503"], ["reset": true]),
        status(401, .refused, rank: 1, weight: 5, ["code": "UNAUTHORIZED"]),
        FaultKind(
            "hang", .late, .request, rank: 1, weight: 9, wait: .endless, milder: ["late", "slow"], ["hang": true]),
        status(500, .failed, weight: 4),
        status(400, .refused, weight: 4),
        status(404, .refused, rank: 1, weight: 5, milder: ["status-400"]),
        status(409, .refused, weight: 5),
        status(429, .refused, weight: 5, milder: ["status-503"], ["code": "RATE_LIMITED", "retry_after": 2]),
        status(401, .refused, rank: 1, weight: 20, isForGood: true, ["code": "UNAUTHORIZED"]),
        status(404, .refused, weight: 20, isForGood: true), status(503, .failed, rank: 1, weight: 20, isForGood: true),
        FaultKind(
            "done-but-503", .failed, .request, rank: 1, weight: 6, milder: ["status-500", "status-503"],
            ["status": 503, "retry_after": 1, "processed": true]),
        FaultKind("empty-reply", .lost, .request, weight: 6, milder: ["lost-answer"], ["empty_reply": true]),
        FaultKind(
            "late", .late, .request, rank: 1, weight: 8, wait: .beyondPatience, milder: ["slow"], ["delay": "$wait"]),
        FaultKind("slow", .late, .request, weight: 3, wait: .exactly(.seconds(2)), ["delay": "$wait"]),
        FaultKind(
            "dribble", .late, .request, rank: 4, weight: 3, wait: .exactly(.milliseconds(5)),
            ["dribble": ["bytes": 16, "every": "$wait"]]),
        FaultKind("truncated", .broken, .request, weight: 6, milder: ["lost-answer"], ["truncate": ["after": 10]]),
        FaultKind("bad-json", .broken, .request, weight: 6, ["malformed": "json"]),
        FaultKind(
            "bad-chunking", .broken, .request, rank: 4, weight: 6, milder: ["bad-json"], ["malformed": "chunking"]),
        FaultKind("wrong-length", .broken, .request, rank: 4, weight: 6, milder: ["truncated"], ["content_length": 7]),
        FaultKind(
            "gzip-undeclared", .broken, .request, rank: 4, weight: 6, milder: ["bad-json"],
            ["compression": "undeclared"]),
        FaultKind("no-type", .broken, .request, rank: 4, weight: 2, ["content_type": .null]),
        FaultKind("nine-digits", .broken, .request, rank: 4, weight: 1, ["nanosecond_timestamps": true]),
    ]

    private static func status(
        _ status: Int, _ family: Family, rank: Int = 2, weight: Int, milder: [String] = [], isForGood: Bool = false,
        _ members: JSONObject = [:]
    ) -> FaultKind {
        let id = "status-\(status)"
        return FaultKind(
            isForGood ? id + "-for-good" : id, family, .request, rank: rank, weight: weight,
            milder: isForGood ? [id] : milder, reach: isForGood ? .rest : .one,
            ["status": .number(JSONNumber(status))] + members)
    }

    // MARK: Handshakes

    private static let handshakes = [
        FaultKind("shake-401", .refused, .handshake, rank: 1, weight: 5, ["status": 401]),
        FaultKind("shake-404", .refused, .handshake, rank: 1, weight: 5, ["status": 404]),
        FaultKind("shake-429", .refused, .handshake, rank: 1, weight: 5, ["status": 429]),
        FaultKind("shake-503", .failed, .handshake, rank: 0, weight: 5, ["status": 503]),
        FaultKind(
            "shake-503-for-good", .failed, .handshake, rank: 1, weight: 20, milder: ["shake-503"], reach: .rest,
            ["status": 503]),
        FaultKind("shake-reset", .lost, .handshake, rank: 1, weight: 6, milder: ["shake-503"], ["reset": true]),
        FaultKind("shake-empty", .lost, .handshake, weight: 6, milder: ["shake-reset"], ["empty_reply": true]),
        FaultKind(
            "shake-hang", .late, .handshake, rank: 1, weight: 9, wait: .endless, milder: ["shake-late"], ["hang": true]),
        FaultKind("shake-late", .late, .handshake, weight: 8, wait: .beyondPatience, ["delay": "$wait"]),
        FaultKind(
            "shake-wrong-accept", .broken, .handshake, weight: 6, milder: ["shake-reset"], ["wrong_accept": true]),
    ]

    // MARK: How sockets end

    private static let endings = [
        FaultKind("reset", .cut, .frame, rank: 0, weight: 8, milder: ["finish", "lost"], ["reset": true]),
        FaultKind("finish", .cut, .frame, rank: 1, weight: 6, milder: ["lost"], ["finish": true]),
        FaultKind(
            "silence", .silence, .frame, rank: 1, weight: 9, wait: .endless, milder: ["no-pongs", "frame-late"],
            ["silence": true]),
        FaultKind("cut-in-frame", .cut, .frame, weight: 8, milder: ["finish"], ["cut": ["after": 3]]),
        FaultKind(
            "cut-in-frame-reset", .cut, .frame, rank: 4, weight: 9, milder: ["cut-in-frame", "reset"],
            ["cut": ["after": 3, "reset": true]]),
        end("finish", .cut, rank: 2, weight: 6),
        end("reset", .cut, rank: 1, weight: 7, milder: ["end-finish"]),
        end("silence", .silence, rank: 2, weight: 8, milder: ["end-reset"]),
        end("reset", .cut, rank: 2, weight: 8, after: .seconds(20), milder: ["end-reset", "end-finish"]),
        end("silence", .silence, rank: 2, weight: 9, after: .seconds(20), milder: ["end-silence", "end-reset-later"]),
        FaultKind("close-none", .cut, .frame, weight: 6, milder: ["finish"], ["close": "none"]),
        // The server stops and refuses later handshakes.
        FaultKind(
            "restart", .cut, .frame, rank: 1, weight: 20, milder: ["close-1001", "reset"], refusing: .one, restart),
        FaultKind(
            "outage", .cut, .frame, rank: 1, weight: 30, milder: ["restart", "close-1001"], refusing: .rest, restart),
    ]

    private static let restart: JSONObject = ["close": ["code": 1001, "reason": "The server is restarting"]]

    private static func end(
        _ how: String, _ family: Family, rank: Int, weight: Int, after wait: Duration = .zero, milder: [String] = []
    ) -> FaultKind {
        FaultKind(
            "end-\(how)\(wait == .zero ? "" : "-later")", family, .after, rank: rank, weight: weight,
            wait: .exactly(wait), milder: milder, ["end": ["how": .string(how), "after": "$wait"]])
    }

    private static let closes = [1000, 1001, 1008, 1011, 1012, 1013, 4000].map { code in
        FaultKind(
            "close-\(code)", .cut, .frame, rank: [1000, 1001, 1011].contains(code) ? 2 : 4, weight: 6,
            ["close": .number(JSONNumber(code))])
    }

    // MARK: Frames

    private static let frames = [
        FaultKind("lost", .disorder, .frame, rank: 1, weight: 3, ["lose": true]),
        FaultKind("doubled", .disorder, .frame, rank: 1, weight: 3, ["double": true]),
        FaultKind("swapped", .disorder, .frame, weight: 4, milder: ["lost"], ["swap": true]),
        FaultKind("coalesced", .disorder, .chunk, rank: 4, weight: 2, reach: .two, ["coalesce": 2]),
        // The message is split inside the type, at each byte around the start of the text, and after the text.
        FaultKind("fragmented", .broken, .frame, rank: 4, weight: 1, fragments([1, 12] + Array(34...48) + [60])),
        FaultKind("masked", .broken, .frame, rank: 4, weight: 6, ["masked": true]),
        FaultKind("marked-compressed", .broken, .frame, rank: 4, weight: 6, ["reserved_bits": 4]),
        FaultKind(
            "compressed", .broken, .frame, rank: 4, weight: 6, milder: ["marked-compressed"],
            ["compression": "undeclared"]),
        FaultKind("bad-utf8", .broken, .frame, rank: 4, weight: 6, ["invalid_utf8": true]),
        FaultKind("binary", .broken, .frame, rank: 4, weight: 4, ["binary": true]),
        FaultKind(
            "frame-late", .late, .frame, weight: 6, wait: .beyondPatience, milder: ["frame-slow"], ["delay": "$wait"]),
        FaultKind("frame-slow", .late, .frame, rank: 1, weight: 3, wait: .exactly(.seconds(5)), ["delay": "$wait"]),
        FaultKind(
            "frame-dribble", .late, .frame, rank: 4, weight: 2, wait: .exactly(.milliseconds(1)),
            ["dribble": ["bytes": 1, "every": "$wait"]]),
        FaultKind("no-pongs", .silence, .frame, weight: 5, wait: .endless, ["withhold_pong": true]),
        FaultKind("deaf", .silence, .frame, weight: 6, wait: .endless, milder: ["no-pongs"], ["stall_reading": true]),
        FaultKind("escaped", .hostile, .frame, rank: 4, weight: 1, ["escape": true]),
        // The message is also split inside escapes, and between the two escapes of a pair.
        FaultKind(
            "escaped-in-pieces", .hostile, .frame, rank: 4, weight: 2, milder: ["escaped", "fragmented"],
            ["escape": true], fragments(Array(stride(from: 2, through: 120, by: 4)))),
    ]

    private static func fragments(_ positions: [Int]) -> JSONObject {
        ["fragments": .array(positions.map { .number(JSONNumber($0)) })]
    }

    // MARK: Tokens, the coach, meals

    private static let behaviours = [
        FaultKind("expired", .expiry, .moment, rank: 1, weight: 6),
        FaultKind("coach-error", .behaviour, .question, rank: 3, weight: 4, ["error": "The coach is not available."]),
        FaultKind(
            "coach-error-midway", .behaviour, .question, rank: 3, weight: 5,
            ["steps": [["chunk": "One moment, "], ["error": "The coach is not available."]]]),
        FaultKind("coach-silent", .behaviour, .question, rank: 3, weight: 6, wait: .endless, ["silence": true]),
        FaultKind(
            "coach-long", .behaviour, .question, rank: 3, weight: 3,
            chunks(Array(repeating: String(repeating: "one more word ", count: 16), count: 40))),
        FaultKind("meal-fails", .behaviour, .meal, rank: 3, weight: 4, ["fail": "The ingredients are unknown."]),
        FaultKind("meal-late", .behaviour, .meal, rank: 3, weight: 3, ["after": "20s"]),
        FaultKind(
            "meal-never", .behaviour, .meal, rank: 3, weight: 5, wait: .endless, milder: ["meal-late"], ["never": true]),
    ]

    /// The answers in the scenario `hostile-coach`.
    private static let hostile: [FaultKind] = {
        let text = Scenario.builtInText(named: "hostile-coach") ?? ""
        guard let answers = (try? JSONValue(yaml: Array(text.utf8)))?["answers"]?.array else {
            preconditionFailure("The hostile coach's scenario cannot be read.")
        }
        return answers.enumerated().map { index, answer in
            FaultKind(
                "hostile-\(index + 1)", .hostile, .question, rank: 3, weight: 3, ["chunks": answer["chunks"] ?? .null])
        }
    }()

    // MARK: A newer backend

    private static let newer = [
        FaultKind(
            "unknown-type", .newer, .frame, rank: 1, weight: 1,
            ignoredIn: [.union, .consultationWebSocket, .enhancedConsultations, .webSocketArchitecture],
            ["insert": #"{"type":"coach_mood","content":"of tomorrow","timestamp":"2025-01-29T10:30:00Z"}"#]),
        // Each uses the mode of a guide whose models allow any text here; other guides' models have a closed list.
        unknown(
            "unknown-persona", .createConsultation, 201, in: .consultationWebSocket,
            words("data.consultation.persona", "sleep_coach", Persona.allCases.map(\.rawValue))),
        unknown(
            "unknown-goal-status", .listGoals, 200, in: .goalLinking,
            words("goals[].status", "on_hold", ["not_started", "in_progress"]),
            words("data.goals[].status", "on_hold", ["not_started", "in_progress"])),
        unknown(
            "unknown-meal-status", .createMealLog, 201, in: .webSocketArchitecture,
            words("data.status", "pending", ["processing"])),
    ]

    /// New words, and a new member, in an endpoint's answers.
    private static func unknown(
        _ id: String, _ endpoint: Endpoint, _ status: Int, in mode: GuideMode, _ words: JSONObject...
    ) -> FaultKind {
        var kind = FaultKind(id, .newer, .request, rank: 1, weight: 1, endpoint: endpoint, ignoredIn: [mode])
        kind.members = (words + [["member": "release", "value": ["number": 9]]]).map { change in
            ["status": .number(JSONNumber(status))] + change
        }
        return kind
    }

    private static func words(_ member: String, _ new: String, _ old: [String]) -> JSONObject {
        ["member": .string(member), "value": .string(new), "instead_of": .array(old.map { .string($0) })]
    }

    static func chunks(_ texts: [String]) -> JSONObject { ["chunks": .array(texts.map { .string($0) })] }
}
