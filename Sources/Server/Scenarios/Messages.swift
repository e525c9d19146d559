import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Text

/// The messages about a scenario file; most describe the value at a path: "goals[0].title must be …".
enum Messages {
    // MARK: Texts that are not documents

    static let emptyFile = "The file is empty; a scenario needs at least 'name: …'."
    static let tooDeep =
        "Lists and mappings are nested deeper than \(ScenarioLimits.depth) levels, which no scenario needs."
    static let tooManyNodes =
        "The document has more than \(ScenarioLimits.nodes) values, counting each alias; use 'made_up_messages' "
        + "for long histories."
    static let tooMuchRepeated =
        "Aliases repeat more than \(ScenarioLimits.repeatedBytes) bytes of text; use 'made_up_messages' for "
        + "long histories."
    static let tooManyDirectives =
        "The file has more than \(ScenarioLimits.directives) '%TAG' lines, which is the limit; scenarios need no tags."
    static let severalDocuments = "Another document begins here ('---'); a file can contain only one scenario."
    static let keyIsNotText = "A key must be a word or a string; this key is a list or a mapping."
    static let repeatedKey = "occurs twice; each key may occur only once."
    static func oldWord(_ word: String, now: String) -> String {
        "is \"\(word)\", which is deprecated but still accepted; write \"\(now)\"."
    }
    static func fileTooLarge(_ count: Int) -> String {
        "The file has \(count) bytes; at most \(ScenarioLimits.fileBytes) are read. Use 'made_up_messages' for "
            + "long histories."
    }
    static func notUTF8(byte: Int) -> String { "The file is not UTF-8: byte \(byte), counted from 0, is invalid." }
    static let noMemoryForYAML = "The file is not valid YAML: libyaml needs more memory than is available."

    /// The usual cause of a YAML error.
    enum YAMLHint: String {
        case specialCharacter =
            " Indent with spaces, and put strings that begin with a special character in quotation marks."
        case colon =
            " A string that contains ': ' needs quotation marks; all keys of a mapping must start in the same column."
        case columns = " All members of a list or mapping must start in the same column."
    }

    /// An error that includes libyaml's message.
    static func notYAML(
        _ problem: String, context: String? = nil, contextLine: Int = 1, hint: YAMLHint? = nil
    ) -> String {
        let place = context.map { " (\($0), which begins on line \(contextLine))" } ?? ""
        return "The file is not valid YAML: \(problem)\(place).\(hint?.rawValue ?? "")"
    }
    static func undefinedAlias(_ name: String) -> String {
        "The alias '*\(shortened(name))' has no anchor '&\(shortened(name))' before it. "
            + "A string that begins with '*' needs quotation marks."
    }
    static func duplicateKeys(_ keys: [String]) -> String {
        let list = keys.prefix(5).map(shortened).joined(separator: ", ")
        return "This mapping has a key twice: \(list). Each key may occur only once."
    }
    static func unknownTag(_ tag: String) -> String { "The tag \(quoted(tag)) is unknown; scenarios need no tags." }
    static let email = "an address such as \"ada@example.com\""
    static let passwordHash = "a hash from an export: pbkdf2-sha256$COST$SALT$KEY"
    static func tooMuchPasswordWork(_ work: Int, limit: Int) -> String {
        "has passwords that take \(work) PBKDF2 iterations in total; at most \(limit) are allowed: lower password_cost "
            + "in 'accounts'."
    }
    static func unknownScenario(_ name: String, known: [String]) -> String {
        "There is no built-in scenario \(quoted(name)).\(NearestWord.hint(nearest(name, known))) The built-in "
            + "scenarios are \(known.joined(separator: ", "))."
    }

    // MARK: Keys

    static func mapping(_ kind: ObjectKind) -> String { "\(kind.description), a mapping with \(list(kind.keys))" }
    static func contradicts(_ other: String) -> String { "cannot be combined with '\(other)': use one of them." }
    static func needs(_ what: String) -> String { "requires \(what)." }

    // MARK: Values

    static func wrongType(expected: String, got: String) -> String { "must be \(expected); got \(got)." }
    static func unknownChoice(allowed: [String], got: String, nearest: String?) -> String {
        "must be \(oneOf(allowed)); got \(got).\(NearestWord.hint(nearest))"
    }
    static func oneOf(_ names: [String]) -> String { names.isEmpty ? "nothing" : Words.list(names, last: "or") }
    static func text(of characters: ClosedRange<Int>) -> String {
        "a string of \(characters.lowerBound) to \(characters.upperBound) characters"
    }
    static let blankText = "is blank; it must contain text."
    static func wrongLength(expected: String, got count: Int) -> String { "must be \(expected); it has \(count)." }
    static func tooMany(_ what: String, limit: Int, got count: Int) -> String {
        "must have at most \(limit) \(what); it has \(count)."
    }
    static func emptyList(of what: String) -> String {
        "is an empty list; it must have at least one element (\(what))."
    }
    static func integer(in range: ClosedRange<Int>) -> String {
        range.upperBound == Int.max
            ? "a whole number of at least \(range.lowerBound)"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
    static let resourceID = "an id: a lower-case UUID, such as 6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab"
    static let unlessFree = ", unless the scenario has 'ids: free'"
    static let freeID = "an id: a lower-case UUID, or 1 to 22 of a-z, 0-9, '-' and '_', such as backend-123"
    static let token = "a token: 1 to 200 of A-Z, a-z, 0-9 and -._~+/=, such as test-token"
    static let duration = "a duration: a number with ns, us, ms, s, m, h or d, such as 250ms or 1.5s, up to 366d"
    static func durationOutOfRange(_ range: ClosedRange<Int64>, got: String) -> String {
        "must last from \(Durations.whole(range.lowerBound)) to \(Durations.whole(range.upperBound)); got \(got)."
    }
    static let seconds = "whole seconds from 0 to \(FaultLimits.retryAfter), or a duration such as 2s"
    static let timestamp = "a date-time such as 2025-01-29T10:30:00Z, in the years 1970 to 2199"
    static let document = "a document: a mapping with any keys"
    static let dataTime =
        "a date-time such as 2025-01-29T10:30:00Z (in the years 1970 to 2199), or how long ago it was, such as 3d ago"
    static let range = "a number, or a range such as 2..4 or 3.. (counted from 1)"
    static let selection =
        "a number, a range such as 1..3 or 3.. (counted from 1), or a mapping with from, to, every, per_mille"
    static func badPattern(_ message: String, at position: Int) -> String {
        "is not a supported regular expression: \(message) (at character \(position + 1) after the slash)."
    }
    static let patternFlags =
        "Flags are not supported, because matching already ignores case; end the expression with the slash."

    // MARK: The meaning of values

    static func notUnique(_ what: String) -> String { "is already in use; each \(what) must be unique." }
    static func tooManyActive(_ limit: Int) -> String {
        "is one active consultation too many: a user may have at most \(limit). Set 'status: archived'."
    }
    static let sameTopic =
        "has the same persona and context as another active consultation; only one is allowed. Set 'status: "
        + "archived' for one of them."
    static func unknownGoal(_ name: String, known: [String], nearest: String?) -> String {
        let list = known.isEmpty ? "the user has no named goals" : "the user's goals are \(oneOf(known))"
        return "does not name a goal: \(quoted(name)); \(list).\(NearestWord.hint(nearest))"
    }
    static func unknownGoalID(_ id: String) -> String { "matches none of this user's goals: no goal has the id \(id)." }
    static let itemIDs =
        "must have 'id' and 'food_id', because another food in the meal has both: set both for all foods or for none."
    static let emptyOverlay = "The file is empty; an overlay needs 'overlay:' and a list of changes."
    static let changes = "a list of changes to the fake's answers"
    static let changedEndpoint = "one endpoint, such as GET /api/v1/goals or socket /ws/meal-logs"
    static let memberPath = "a member path such as data.goals[].created_at, where [] means all elements"
    static let mediaType = "a media type such as application/problem+json"
    static func tooLongValues(_ bytes: Int) -> String {
        "has values that take \(bytes) bytes as JSON; at most \(ScenarioLimits.changeBytes) are allowed in total."
    }
    static let stubPath = "a path such as /v2/status or /v2/items/{id}, which must not be one of the server's own"
    static let stubOverProduct = "is already served by the fake; 'override: true' lets a stub replace its answers."
    static let stubFields = "header fields by name, except fields that HTTP itself needs, such as Content-Length"
    static func unknownField(_ text: String) -> String {
        let known = TextTemplate.fields
        return
            "has the field \(quoted("{{\(text)}}")); the known fields are "
            + "\(Words.list(known.map { "{{\($0)}}" }, last: "and"))."
            + NearestWord.hint(nearest(text, known).map { "{{\($0)}}" })
    }
    static func tooManyFields(_ count: Int) -> String {
        "has \(count) fields such as {{content}}, but at most \(ScenarioLimits.fields) can be filled in."
    }
    static func unknownPause(_ name: String, known: [String], nearest: String?) -> String {
        let list =
            known.isEmpty
            ? "no pauses are defined under 'pauses:'" : "known pauses: \(Words.list(known, last: "and"))"
        return "must be a duration such as 2s, or the name of a pause; \(list); got \(quoted(name))."
            + NearestWord.hint(nearest)
    }
    static let step =
        "a step: built_in, another_answer, silence, or a mapping with text, chunk, burst, pause, template_created "
        + "or error"
    static func tooManyMatchingSteps(_ count: Int) -> String {
        "has rules that take up to \(count) steps per character of text; at most \(ScenarioLimits.matchingSteps) are "
            + "allowed. An expression takes one step for each of its characters, and more for a class; a counted "
            + "repetition takes its part's steps once per repetition; words take 1 step. Repeat less, or match words."
    }
    static func tooManySteps(_ count: Int) -> String {
        "has \(count) steps; an answer may have at most \(ScenarioLimits.steps), counting each chunk."
    }
    static func answerTooLong(_ count: Int) -> String {
        "has \(count) bytes of text in total; an answer may have at most \(ScenarioLimits.answerBytes)."
    }

    // MARK: Sessions

    static let session = "the path of a session (a HAR file), or the HAR itself, an object with log"

    // MARK: A real server

    static let upstreamURL = "the URL of a server, such as https://api.example.com, or a mapping with url"
    static let answerer = "who answers: fake, real or real-else-fake"
    static let endpoints = "a method and a path such as GET /api/v1/goals, or several"

    // MARK: Faults

    static let target =
        "any (every REST request), handshake, socket, or a method and a path such as POST /api/v1/consultations"
    static func unknownTarget(_ text: String, nearest: String?) -> String {
        "must be \(target); got \(text).\(NearestWord.hint(nearest))"
    }
    static func webSocketTarget(_ endpoint: Endpoint) -> String {
        "is a WebSocket path: use 'handshake \(endpoint.template)' for faults while a socket opens, and 'socket "
            + "\(endpoint.template)' for later faults; 'handshake' and 'socket' alone mean every WebSocket."
    }
    static let mixedTargets =
        "must name only REST endpoints if it is a list; write separate rules for 'any', handshake and socket."
    static func noAction(_ place: FaultPlace) -> String {
        "has no action; with \(place.description) the action can be \(oneOf(FaultAction.keys(at: place)))."
    }
    static func twoActions(_ first: FaultAction) -> String {
        "cannot be combined with '\(first.key)': a rule can have only one action; write a separate rule."
    }
    static func madeUpNameIsTaken(_ name: String) -> String {
        "would be named '\(name)' after its place, but another rule already has that name; set a different name."
    }
    static func wrongPlace(_ action: FaultAction, at place: FaultPlace) -> String {
        let places = action.places.map(\.description)
        return
            "cannot be used with \(place.description), only with \(oneOf(places)). With \(place.description), the "
            + "action can be \(oneOf(FaultAction.keys(at: place)))."
    }
    static let onlyFromServer =
        "is a point in the server's output: for breakpoints on a client's frames, use 'frame' or 'type'."
    static func notForPlace(instead: String?, at place: FaultPlace) -> String {
        let hint = instead.map { ": use '\($0)'" } ?? ""
        return "cannot be used with \(place.description)\(hint)."
    }
    static let zeroLength =
        "must be the difference from the real length: a whole number other than 0, such as 10 or -10."
    static let ascending = "must be byte positions in ascending order, without duplicates."
    static let closeReason =
        "must have at most \(FaultLimits.closeReason) bytes of UTF-8, because a close frame cannot hold more (RFC 6455 "
        + "§5.5)."

    // MARK: Parts

    static func number(_ value: Double) -> String { JSONNumber(value).text }

    /// The nearest of the first 200 names; a scenario may have a thousand, and every mistake would search them all.
    static func nearest(_ text: String, _ candidates: [String]) -> String? {
        NearestWord.find(text, among: Array(candidates.prefix(200)))
    }

    /// A string in quotation marks, truncated and free of control characters.
    static func quoted(_ text: String) -> String { text.quoted() }

    /// A word as written, truncated if it is long.
    static func shortened(_ text: String) -> String {
        let isWord = text.utf8.count <= 60 && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
        return isWord ? text : quoted(text)
    }

    private static func list(_ keys: [String]) -> String {
        keys.count > 6 ? keys.prefix(6).joined(separator: ", ") + " and others" : keys.joined(separator: ", ")
    }
}
