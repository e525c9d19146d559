import FitIQAPI
import Judging
import Text
import Traffic

/// An exploration's user-visible sentences.
enum ExploringMessages {
    // MARK: Symptoms

    static func flood(_ count: Int, limit: Int) -> String {
        "The client sent \(count) requests and handshakes within a minute; at most \(limit) are expected."
    }
    static func flood(entries count: Int) -> String {
        "The run has \(count) entries, but no story needs more than \(MemoryTrial.entryLimit)."
    }
    static func unusual(_ problems: [ClientReport.Problem]) -> String {
        "Something that the client must ignore made it show its user a problem: \(Messages.problems(problems))."
    }
    static func exited(_ status: Int) -> String { "The command ended with status \(status)." }

    // MARK: Reports

    static func tried(_ exploration: Exploration) -> String {
        let counts = exploration.counts
        let parts = [Words.counted(counts.singles, "single fault"), Words.counted(counts.pairs, "pair")]
        let more = exploration.omittedCount
        return "Tried \(Words.counted(counts.schedules, "schedule")) from seed \(exploration.settings.seed): "
            + "\(Words.list(parts)). It skipped \(counts.equal) duplicate schedules, and found "
            + "\(Words.counted(counts.points, "point")), \(counts.newPoints) of them only under faults."
            + (more == 0 ? "" : " \(Words.counted(more, "further cause")) \(more == 1 ? "is" : "are") not listed.")
    }
    static func ended(_ ending: Exploration.Ending) -> String {
        switch ending {
        case .exhausted: "There was nothing more to try."
        case .budget: "It reached its time limit."
        case .runs: "It reached its schedule limit."
        case .interrupted: "It was interrupted."
        }
    }
    /// Why the exploration ended, and the symptoms that did not become findings.
    static func notes(_ exploration: Exploration) -> [String] {
        let stories = exploration.settings.stories
        let lacks = zip(stories, exploration.unsupported).filter { !$1.isEmpty }.map { story, instructions in
            "The client does not support \(Words.list(instructions.sorted())), so the expectations of the story "
                + "\(story.name) were ignored."
        }
        return [ended(exploration.ended)] + lacks + exploration.flaky.map { flaky(flaky: $0, stories) }
    }
    private static func flaky(flaky: Exploration.Flaky, _ stories: [Story]) -> String {
        let place = "after \(flaky.schedule) in the story \(stories[flaky.schedule.story].name)"
        return flaky.of == 0
            ? "\(flaky.id) appeared \(place), but was not confirmed."
            : "\(flaky.id) appeared \(place) in only \(flaky.failed) of \(flaky.of) runs."
    }
    static func confirmed(_ discovery: Discovery) -> String {
        let seen = discovery.seenCount
        return "Reproduced in \(discovery.confirmed.count) of \(discovery.confirmed.of) runs, and found by "
            + Words.counted(seen, "schedule") + "."
    }
    static func replay(_ command: String) -> String { "To see it again: \(command)" }

    // MARK: Discoveries

    /// A sentence about the fault and the client's reaction.
    static func sentence(_ symptom: Symptom, _ schedule: Schedule) -> String {
        let causes = schedule.faults.map { "\(phrase($0.kind.id)) \(phrase($0.place))" }
        // The report's timeline contains the expectation of an internal check.
        let effect = effect(symptom.id) ?? symptom.message
        return causes.isEmpty
            ? "Without any fault: \(lowercasedFirst(effect))"
            : "After \(Words.list(causes)): \(lowercasedFirst(effect))"
    }

    /// A message that starts with "The client" continues a sentence; other messages start a sentence.
    private static func lowercasedFirst(_ text: String) -> String {
        text.hasPrefix("The ") ? "t" + text.dropFirst() : text
    }

    /// The client's reaction in general words if the symptom's message describes a single moment.
    private static func effect(_ id: String) -> String? {
        if let check = InsideCheck(rawValue: id) {
            return switch check {
            case .transcript: "the client's transcript differs from the server's."
            case .cutStream: "the client shows an incomplete answer as complete."
            case .serverError: "the client does not show its user the error."
            case .conflict: "the client does not continue the existing consultation."
            case .limit: "the client does not tell its user that there are too many consultations."
            case .failedMeal: "the client does not show why the meal failed."
            case .refusal: "the client does not tell its user that the request was refused."
            case .ownMeal: "the client shows one meal's result for another."
            case .mealContents: "the client does not show what is in the meal."
            case .unknown: "the client does not ignore unknown data."
            case .goneConversation: "the client shows a goal as linked to a deleted conversation."
            case .template: "the client shows a template as a different type."
            case .newestMessages: "the client keeps more than 100 messages."
            }
        }
        return switch ExploreCheck(rawValue: id) {
        case .unwell: "the client neither recovers nor tells its user that something is wrong."
        case .twice: "something that the user requested once exists twice."
        case .lost: "something that the client shows as done does not exist."
        case .crash, .hang, .flood, .restless, .command, nil: nil
        }
    }

    /// How to fix a client whose symptom is noticed only by its user or an explorer.
    static func advice(_ id: String) -> String {
        if let obligation = Obligation.inside.first(where: { $0.id == id }) { return obligation.advice }
        return switch ExploreCheck(rawValue: id) {
        case .crash:
            "Expect errors everywhere: handle anything that the server may send, and the loss of any "
                + "connection."
        case .hang: "Set a time limit for each wait, and exit when nothing is left to wait for."
        case .flood: "Wait before each retry, longer each time, and give up after a few attempts."
        case .unwell:
            "Set a deadline for each attempt. After the last attempt, show the problem, and let the user start again."
        case .restless: "Cancel every timer, retry and reconnect when the user leaves."
        case .twice:
            "Before repeating an action that may have succeeded, read the list, and repeat the action only if its "
                + "result is missing."
        case .lost: "Show an action as done only after the server has confirmed it, and mark other actions as pending."
        case .command:
            "Handle the error. If the client may report errors with its exit status, let the exploration expect "
                + "failures."
        case nil: ""
        }
    }

    // MARK: Faults and places

    /// The fault as a noun; all kinds in the catalogue have a noun.
    static func phrase(_ kind: String) -> String { noun(kind) ?? "the fault \(kind)" }

    static func noun(_ kind: String) -> String? {
        if let whole = nouns[kind] { return whole }
        for (suffix, words) in [("-for-good", " for good"), ("-again", " again")] where kind.hasSuffix(suffix) {
            return noun(String(kind.dropLast(suffix.count))).map { $0 + words }
        }
        for (prefix, words) in prefixes where kind.hasPrefix(prefix) {
            return "\(words)\(kind.dropFirst(prefix.count))"
        }
        return nil
    }

    private static let prefixes = [
        ("status-", "the status "), ("shake-", "a handshake refused with "), ("close-", "a close frame with the code "),
        ("hostile-", "a hostile answer, number "),
    ]

    // The keys are the catalogue's IDs.
    private static let nouns: [String: String] = [  // Ids of kinds: constants.
        "done-but-503": "a 503 although the request succeeded", "lost-answer": "a lost answer",
        "empty-reply": "a connection that ends without an answer", "hang": "an answer that never arrives",
        "late": "an answer that arrives too late", "slow": "a slow answer",
        "dribble": "an answer sent a few bytes at a time",
        "truncated": "an answer that is cut off", "bad-json": "an answer that is not JSON",
        "bad-chunking": "an answer with broken chunks", "wrong-length": "an answer with a wrong Content-Length",
        "no-type": "an answer without Content-Type", "nine-digits": "timestamps with nine fractional digits",
        "shake-hang": "a handshake that is never answered", "shake-late": "a handshake that is answered too late",
        "shake-reset": "a handshake that is reset", "shake-empty": "a handshake that ends without an answer",
        "shake-wrong-accept": "a wrong Sec-WebSocket-Accept", "finish": "a closed connection",
        "reset": "a reset", "silence": "silence", "cut-in-frame": "a connection closed inside the frame",
        "cut-in-frame-reset": "a reset inside the frame", "close-none": "a close frame without a code",
        "lost": "a lost frame", "doubled": "a frame sent twice",
        "swapped": "a frame swapped with the next", "coalesced": "a frame merged with the next",
        "fragmented": "a frame in fragments", "masked": "a masked frame",
        "marked-compressed": "a frame marked as compressed",
        "compressed": "a compressed frame that was not negotiated",
        "gzip-undeclared": "a gzip answer without Content-Encoding",
        "bad-utf8": "a frame that is not UTF-8", "binary": "a binary frame",
        "frame-late": "a frame that arrives too late",
        "frame-slow": "a slow frame", "frame-dribble": "a frame sent a few bytes at a time",
        "no-pongs": "no more pongs", "deaf": "a server that stops reading", "restart": "a server restart",
        "outage": "a server outage",
        "end-finish": "a closed connection", "end-reset": "a reset", "end-silence": "silence",
        "end-reset-later": "a reset 20 s later", "end-silence-later": "silence 20 s later",
        "unknown-type": "an extra frame of a new type", "unknown-persona": "a new persona",
        "unknown-goal-status": "a new goal status", "unknown-meal-status": "a new meal status",
        "escaped-in-pieces": "a frame with escaped characters, in pieces", "escaped": "a frame with escaped characters",
        "expired": "the token's expiry", "coach-error": "a coach error",
        "coach-error-midway": "an error in the middle of an answer", "coach-silent": "a silent coach",
        "coach-long": "a long answer", "meal-fails": "a failed meal", "meal-never": "a meal that never finishes",
        "meal-late": "a late meal",
    ]

    /// The place with its preposition.
    static func phrase(_ place: FaultPoint.Place) -> String {
        let number = ordinal(place.number)
        return switch place.sort {
        case .request: "for \(number) \(operation(place))"
        case .handshake: "for \(number) handshake of \(operation(place))"
        case .frame: "at \(number) \(place.text) on \(socket(place))"
        case .chunk: "at \(number) chunk of \(ordinal(place.numbers[1])) answer on \(socket(place))"
        case .after: "right after \(number) \(place.text) on \(socket(place))"
        case .question: "for \(number) question" + (place.text.isEmpty ? "" : " with \(Messages.quoted(place.text))")
        case .meal: "for the meal \(Messages.quoted(place.text))"
        case .moment: "after \(Messages.text(.seconds(place.number)))"
        }
    }

    /// A short form of the place, for names.
    static func short(_ place: FaultPoint.Place) -> String {
        let connection = place.connection == 1 ? "" : "-of-\(place.connection)"
        return switch place.sort {
        case .request, .handshake: "\(place.endpoint?.name ?? "")-\(place.number)"
        case .frame, .after: "\(place.text)-\(place.number)\(connection)"
        case .chunk: "chunk-\(place.numbers[1])-\(place.number)\(connection)"
        case .question: "question-\(place.number)"
        case .meal: "meal"
        case .moment: "\(place.number)s"
        }
    }

    private static func operation(_ place: FaultPoint.Place) -> String {
        "\(place.endpoint?.method.rawValue ?? "") \(place.endpoint?.template ?? "")"
    }

    private static func socket(_ place: FaultPoint.Place) -> String {
        "\(ordinal(place.connection)) \(place.endpoint == .mealSocket ? "meal socket" : "chat socket")"
    }

    private static func ordinal(_ number: Int) -> String {
        let words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
        return "the " + (words.indices.contains(number - 1) ? words[number - 1] : "\(number)th")
    }
}
