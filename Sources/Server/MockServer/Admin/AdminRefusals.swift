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

    static func unknownWorld(_ id: String) -> APIError {
        .missing(
            "There is no world \"\(id)\": it was never made, was deleted, or was idle too long. Make one "
                + "with POST /__admin/worlds.")
    }

    static let noDefaultWorld = missing(
        "This server has no default world: create a world with POST /__admin/worlds, and use the answer's "
            + "'url' and 'token'.")

    /// Refuses a request for a world on another node of the fleet.
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

    /// Refuses to create a world while the server is draining.
    static let draining = APIError(
        .serviceUnavailable, .conflict,
        "This server is draining: it creates no more worlds, and stops when its last world is gone. Use "
            + "another server.")

    /// Advice on getting a token for a world other than the default world.
    static func tokenAdvice(ofWorld id: String) -> String {
        "POST /__admin/worlds/\(id)/tokens creates a token for this world."
    }

    static func unknownAdminKey(_ key: String, allowed: [String]) -> APIError {
        let near = NearestWord.hint(key, among: allowed)
        guard !allowed.isEmpty else { return .invalid("The key '\(key)' is unknown: send no body, or {}.") }
        let list = allowed.map { "'\($0)'" }.joined(separator: ", ")
        return .invalid("The key '\(key)' is unknown; the allowed keys are \(list).\(near)")
    }

    static func tooManyWorlds(limit: Int) -> APIError {
        .full(
            "\(limit) worlds exist, which is the limit; delete some with DELETE "
                + "/__admin/worlds/{id}, or wait until idle worlds expire.")
    }

    /// Refuses a body that, together with other large bodies, would exceed the limit.
    static let tooMuchToRead = full(
        "The server is reading other large bodies and has no memory left for this one; send it again once those "
            + "requests have been answered."
    )

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

    static let journalTakesNoQuery = invalid(
        "A request for the whole journal cannot have a query; use /__admin/requests or /__admin/frames for queries.")

    /// - Parameter kind: `fault` or `breakpoint`.
    static func unknownFault(_ name: String, kind: String = "fault", known: [String]) -> APIError {
        let near = NearestWord.hint(name, among: known, quote: "\"")
        return .missing("This world has no \(kind) \"\(name)\".\(near) See GET /__admin/\(kind)s.")
    }

    static func unknownEntry(_ number: String, from first: Int, to last: Int) -> APIError {
        let entries = first > last ? "it is empty" : "it has \(first) to \(last)"
        return .missing("The journal has no entry \(number.quoted()): \(entries).")
    }

    /// Refuses a scenario whose data is inconsistent.
    init(_ error: PlantError) { self = error.isForWantOfRoom ? .full(error.description) : .invalid(error.description) }

    /// Refuses to advance a clock that follows the system's clock.
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

    /// Refuses to advance a clock by more than 366 days, or beyond the year 2199.
    static let clockTooFar = invalid(
        "A clock can move at most 366 days in one step, and not beyond the year 2199; advance it by less.")

    /// Refuses a scenario that names a session file, because requests cannot make the server read files.
    static func sessionNotRead(_ path: String) -> APIError {
        .invalid(
            "The session \"\(path)\" is a file, but this server does not read files by name: send the HAR "
                + "itself, {\"replay\": {\"session\": {\"log\": …}}}, or start the server with 'fitiq-mock replay'.")
    }

    /// Refuses a scenario that names an overlay file, because requests cannot make the server read files.
    static func overlayNotRead(_ path: String) -> APIError {
        .invalid(
            "The overlay \"\(path)\" is a file, but this server does not read files by name: send its list of "
                + "changes, {\"overlay\": […]}, or start the server with the file.")
    }

    /// Refuses a request that the replayed session does not contain.
    static func notRecorded(_ miss: ReplayMiss) -> APIError {
        APIError(.notFound, .notFound, miss.message, details: miss.details)
    }

    static let noReplay = missing(
        "This world does not replay a session; create one that does with {\"scenario\": {\"name\": …, "
            + "\"replay\": {\"session\": {\"log\": …}}}}, or start the server with 'fitiq-mock replay'.")

    /// Refuses an export that would be too large to import.
    static func stateTooLarge(_ bytes: Int, limit: Int) -> APIError {
        .full(
            "This world's state may take up \(bytes) bytes, but PUT /__admin/state accepts at most \(limit); a server "
                + "that exports on exit writes the state to a file, and can import a file twice that size.")
    }

    /// Refuses to export or import the state of a world that replays a session.
    static let stateOfReplay = conflict(
        "This world replays a session, so it has no state to export or to replace. See GET /__admin/replay; POST "
            + "/__admin/reset with a scenario ends the replay.")

    static func unknownAdminPath(_ path: String) -> APIError {
        let near = NearestWord.hint(path, among: AdminRoute.templates, quote: "\"")
        return .missing("There is no endpoint \"\(path)\" in the admin API.\(near)")
    }
}

/// The refusals for breakpoints, and for event streams that own breakpoints.
extension APIError {
    static func breakpointWithoutHold(_ on: JSONValue?) -> APIError {
        let got = on.map { "; 'on' is \($0.excerpt())" } ?? ""
        return .invalid(
            "A breakpoint needs 'hold', which is missing\(got). Set what it holds: {\"on\": \"GET "
                + "/api/v1/goals\", \"hold\": \"request\"}, or {\"on\": \"socket\", \"hold\": \"server_to_client\"}.")
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

    /// Refuses the number of an item that is not held.
    ///
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

    /// Refuses a changed request that would leave its world's API.
    static let changedAway = invalid(
        "A changed request must go to the same world's API, and must not be a WebSocket handshake.")

    static func invalidFieldValue(_ name: String) -> APIError {
        .invalid(
            "The value of the field '\(name.onOneLine(limit: 60))' must not contain line breaks or other "
                + "control characters, or have spaces around it (RFC 9110, section 5.5).")
    }
}
