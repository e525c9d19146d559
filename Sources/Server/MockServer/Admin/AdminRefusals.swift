import Faults
import FitIQAPI
import FitIQBackend
import HTTPTypes
import JSON
import Replay
import Text

/// The admin API's refusals.
extension APIError {
    static func missing(_ message: String) -> APIError { APIError(.notFound, .notFound, message) }
    static func full(_ message: String) -> APIError { APIError(.insufficientStorage, .storeFull, message) }
    static func conflict(_ message: String) -> APIError { APIError(.conflict, .conflict, message) }
    private static func forbidden(_ message: String) -> APIError { APIError(.forbidden, .forbidden, message) }

    // MARK: Access, and what the API has

    static let adminFromElsewhere = forbidden(
        "The admin API accepts requests only from this machine; to use it from another machine, start the server with "
            + "an admin token and send that token as 'X-Admin-Token'.")

    /// Refuses a request through a proxy on this machine, because the proxy's client can be anywhere.
    static func adminThroughProxy(_ field: String) -> APIError {
        forbidden(
            "The request came through a proxy ('\(field)'), so the server cannot tell whether it comes from "
                + "this machine: use the server's own address, or start it with an admin token and send that token "
                + "as 'X-Admin-Token'.")
    }

    /// Refuses requests from other sites' pages, and requests whose `Host` is a foreign name that DNS resolves to this
    /// machine.
    static let adminForOtherSite = forbidden(
        "The admin API refuses requests from pages on other sites: use http://localhost or http://127.0.0.1 without "
            + "another site's 'Origin', or send an admin token.")

    static let wrongAdminToken = APIError(
        .unauthorized, .unauthorized,
        "This server's admin API requires its admin token in the field 'X-Admin-Token'.")

    static func unknownAdminPath(_ path: String) -> APIError {
        let near = NearestWord.hint(path, among: AdminRoute.templates, quote: "\"")
        return .missing("There is no endpoint \"\(path)\" in the admin API.\(near)")
    }

    // MARK: Bodies

    static func unknownAdminKey(_ key: String, allowed: [String]) -> APIError {
        let near = NearestWord.hint(key, among: allowed)
        guard !allowed.isEmpty else { return .invalid("The key '\(key)' is unknown: send no body, or {}.") }
        let list = allowed.map { "'\($0)'" }.joined(separator: ", ")
        return .invalid("The key '\(key)' is unknown; the allowed keys are \(list).\(near)")
    }

    static func eitherKey(_ one: String, _ other: String) -> APIError {
        .invalid("Set either '\(one)' or '\(other)'.")
    }

    static func severalPayloads(_ keys: [String]) -> APIError {
        .invalid("Send the payload in only one form; \(Words.list(keys.map { "'\($0)'" })) arrived.")
    }

    static let tooMuchToRead = full(
        "The server is reading other large bodies and has no memory left for this one; send it again once those "
            + "requests have been answered."
    )

    // MARK: Worlds

    static func unknownWorld(_ id: String) -> APIError {
        .missing(
            "There is no world \"\(id)\": it was never made, was deleted, or was idle too long. Make one "
                + "with POST /__admin/worlds.")
    }

    static let noDefaultWorld = missing(
        "This server has no default world: create a world with POST /__admin/worlds, and use the answer's "
            + "'url' and 'token'.")

    static func foreignWorld(_ id: String, owner: String, node: String) -> APIError {
        APIError(
            .misdirectedRequest, .notFound,
            "The world \"\(id)\" belongs to the node \"\(owner)\", but this node is \"\(node)\": the proxy must route "
                + "a world's requests to the node named at the start of the world's id.",
            details: ["node": .string(owner)])
    }

    static func worldExists(_ id: String) -> APIError {
        .conflict("There is already a world \"\(id)\"; delete it first, or omit the id.")
    }

    static let draining = APIError(
        .serviceUnavailable, .conflict,
        "This server is draining: it creates no more worlds, and stops when its last world is gone. Use "
            + "another server.")

    /// Advice on getting a token for a world other than the default world.
    static func tokenAdvice(ofWorld id: String) -> String {
        "POST /__admin/worlds/\(id)/tokens creates a token for this world."
    }

    static func tooManyWorlds(limit: Int) -> APIError {
        .full(
            "\(limit) worlds exist, which is the limit; delete some with DELETE "
                + "/__admin/worlds/{id}, or wait until idle worlds expire.")
    }

    init(_ error: PlantError) { self = error.isForWantOfRoom ? .full(error.description) : .invalid(error.description) }

    static func sessionNotRead(_ path: String) -> APIError {
        .invalid(
            "The session \"\(path)\" is a file, but this server does not read files by name: send the HAR "
                + "itself, {\"replay\": {\"session\": {\"log\": …}}}, or start the server with 'fitiq-mock replay'.")
    }

    static func overlayNotRead(_ path: String) -> APIError {
        .invalid(
            "The overlay \"\(path)\" is a file, but this server does not read files by name: send its list of "
                + "changes, {\"overlay\": […]}, or start the server with the file.")
    }

    static func stateTooLarge(_ bytes: Int, limit: Int) -> APIError {
        .full(
            "This world's state may take up \(bytes) bytes, but PUT /__admin/state accepts at most \(limit); a server "
                + "that exports on exit writes the state to a file, and can import a file twice that size.")
    }

    static let stateOfReplay = conflict(
        "This world replays a session, so it has no state to export or to replace. See GET /__admin/replay; POST "
            + "/__admin/reset with a scenario ends the replay.")

    static func notRecorded(_ miss: ReplayMiss) -> APIError {
        APIError(.notFound, .notFound, miss.message, details: miss.details)
    }

    static let noReplay = missing(
        "This world does not replay a session; create one that does with {\"scenario\": {\"name\": …, "
            + "\"replay\": {\"session\": {\"log\": …}}}}, or start the server with 'fitiq-mock replay'.")

    // MARK: Marks

    static let tooManyMarks = full(
        "This world has \(Mark.most) marks, which is the limit; delete some with DELETE /__admin/marks/{name}.")

    static func markExists(_ name: String) -> APIError {
        .invalid("This world already has a mark \(name.quoted(limit: 60)); delete it, or choose a different name.")
    }

    static func unknownMark(_ name: String, known: [Mark]) -> APIError {
        let list = known.map { "\($0.name.text.quoted(limit: 60)) (entry \($0.number))" }
        let marks = known.isEmpty ? "it has no marks; set a mark with POST /__admin/marks" : Words.list(list)
        return .missing("This world has no mark \(name.quoted(limit: 60)): \(marks).")
    }

    // MARK: Clocks and waits

    static let realClock = conflict(
        "This world follows the system clock, which cannot be moved; start the server with a manual clock, "
            + "or create a world with {\"clock\": \"manual\"}.")

    static let clockWithoutAdvance = invalid(
        "Send one of these: a duration, {\"advance\": \"26s\"}; a time, {\"advance_to\": "
            + "\"2025-01-29T10:31:00Z\"}; or an entry to wait for, {\"advance_until\": {\"kind\": \"frame\"}}."
    )

    static let withinWithoutCondition = invalid(
        "'within' limits 'advance_until', which is missing: {\"advance_until\": {\"kind\": \"frame\"}}.")

    static func clockBackwards(_ now: String) -> APIError {
        .invalid("A clock can only move forward, and this clock shows \(now). Reset the world to start over.")
    }

    static let clockTooFar = invalid(
        "A clock can move at most 366 days in one step, and not beyond the year 2199; advance it by less.")

    static func badMember(_ key: String, _ path: String) -> APIError {
        .invalid(
            "'\(key)' has the member \(path.quoted(limit: 60)): write a path such as \"data.items[0].name\", and its "
                + "value: a string, a number, true, false or null.")
    }

    static func waitForWhat(_ key: String, _ keys: [String]) -> APIError {
        .invalid(
            "Set what to wait for: {\"\(key)\": {\"kind\": \"frame\", \"type\": \"stream_complete\"}}, with "
                + "one or more of \(Words.list(keys.map { "'\($0)'" })).")
    }

    static let waitTooLong = invalid(
        "A request may wait for at most 10 minutes; ask again, with the last answer's 'last_number' as 'since'.")

    static let tooManyWaits = full(
        "\(AdminLimits.waits) requests are waiting in this world, which is the limit; wait until some of the requests "
            + "are answered.")

    static let resetWhileWaiting = conflict(
        "The world was reset or rewound while this request was waiting for an entry in it.")

    static func nothingMatched(within: Int64, details: JSONObject) -> APIError {
        APIError(
            .requestTimeout, .requestTimeout,
            "Nothing matched within \(Durations.exact(within)); 'near_misses' lists the nearest entries and how they "
                + "differ.",
            details: details)
    }

    // MARK: The journal

    static let journalTakesNoQuery = invalid(
        "A request for the whole journal cannot have a query; use /__admin/requests or /__admin/frames for queries.")

    static func unknownEntry(_ number: String, from first: Int, to last: Int) -> APIError {
        let entries = first > last ? "it is empty" : "it has \(first) to \(last)"
        return .missing("The journal has no entry \(number.quoted()): \(entries).")
    }

    // MARK: Faults and breakpoints

    static let severalFaults = invalid(
        "Send several faults as a list, with no other members: {\"faults\": [{\"on\": \"GET /api/v1/goals\", "
            + "\"status\": 503}, …]}.")

    /// - Parameter kind: `fault` or `breakpoint`.
    static func unknownFault(_ name: String, kind: String = "fault", known: [String]) -> APIError {
        let near = NearestWord.hint(name, among: known, quote: "\"")
        return .missing("This world has no \(kind) \"\(name)\".\(near) See GET /__admin/\(kind)s.")
    }

    static func breakpointWithoutHold(_ on: JSONValue?) -> APIError {
        let got = on.map { "; 'on' is \($0.excerpt())" } ?? ""
        return .invalid(
            "A breakpoint needs 'hold', which is missing\(got). Set what it holds: {\"on\": \"GET "
                + "/api/v1/goals\", \"hold\": \"request\"}, or {\"on\": \"socket\", \"hold\": \"server_to_client\"}.")
    }

    static let connectionOfNoSocket = invalid(
        "'connection' names an open WebSocket, so it requires {\"on\": \"socket\"}.")

    static func noOpenSocket(_ number: UInt64) -> APIError {
        .invalid("There is no open WebSocket \(number) in this world.")
    }

    static let endpointOfNoRequest = invalid(
        "'match.endpoint' is a REST endpoint; use a different 'on' to hold a handshake or a frame.")

    static func wrongDirection(_ direction: String, of place: String) -> APIError {
        let hint =
            " To hold the answer to the handshake, hold the frame \"connected\": "
            + #"{"on": "frame", "match": {"type": "connected"}}."#
        return .invalid(
            "The direction \"\(direction)\" does not apply to a \(place); omit 'direction'."
                + (place == "handshake" ? hint : ""))
    }

    static let wrongControllerName = invalid(
        "The parameter 'controller' must be the name of the event stream's controller, with 1 to "
            + "\(FaultLimits.controllerName) bytes."
    )

    static func controllerIsThere(_ name: String) -> APIError {
        .conflict(
            "The controller \(name.quoted(limit: 60)) already has an event stream; choose another name, or end that "
                + "stream.")
    }

    static func noController(_ name: String) -> APIError {
        .conflict(
            "The controller \"\(name)\" has no open event stream, so it could not release held items: first open "
                + "GET /__admin/events?controller=NAME.")
    }

    // MARK: Held items

    /// - Parameter action: How the item was released, if the journal still contains the release.
    static func nothingHeld(_ number: String, _ action: String?) -> APIError {
        let end = action.map { " It was released: \($0)." } ?? " See GET /__admin/held."
        return .missing("Nothing is held under \"\(number)\".\(end)")
    }

    static func wrongPlace(_ action: String, _ place: String) -> APIError {
        let hint =
            action == "answer"
            ? "only a request or a handshake can be answered; change the held frame or response instead."
            : "a handshake can be continued, dropped or answered."
        return .conflict("The action \"\(action)\" cannot be used on a \(place): \(hint)")
    }

    static let wrongHoldTime = invalid("'for' must be from 1ms to 1h: the time to wait from now.")

    static func nothingToChange(_ keys: [String]) -> APIError {
        .invalid("Set what to change: \(Words.list(keys, last: "or")).")
    }

    static let changedAway = invalid(
        "A changed request must go to the same world's API, and must not be a WebSocket handshake.")

    static let textNotUTF8 = invalid("A client's text message must be UTF-8.")

    static let invalidRequestLine = invalid("A method and a target must be visible characters without spaces.")

    static func invalidFieldValue(_ name: String) -> APIError {
        .invalid(
            "The value of the field '\(name.onOneLine(limit: 60))' must not contain line breaks or other "
                + "control characters, or have spaces around it (RFC 9110, section 5.5).")
    }

    // MARK: Sockets

    static func unknownSocket(_ number: String) -> APIError {
        .missing("This world has no open WebSocket \(number.quoted(limit: 40)); see GET /__admin/sockets.")
    }

    static func socketCannot(_ action: String, _ number: String, _ state: String) -> APIError {
        .conflict("WebSocket \(number) is \(state): it cannot \(action).")
    }

    static let nothingToSend = invalid(
        "Send the payload as {\"text\": \"…\"}, {\"json\": …} or {\"base64\": \"…\"}, or send a socket {\"template\": "
            + "\"stream_chunk\", \"members\": {…}}.")

    static let fieldsAndMembers = invalid("'fields' is the deprecated name of 'members'.")

    static let membersWithoutTemplate = invalid("Send 'members' only with a 'template'.")
}
