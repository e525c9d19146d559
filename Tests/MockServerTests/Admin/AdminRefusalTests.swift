import FitIQAPI
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: refusals") struct AdminRefusalTests {
    /// Each refusal with its status, code and message.
    static let table: KeyValuePairs<APIError, String> = [
        .unknownWorld("w7"):
            "404 NOT_FOUND: There is no world \"w7\": it was never made, was deleted, or was idle too long. Make one "
            + "with POST /__admin/worlds.",
        .unknownAdminKey("sed", allowed: ["scenario", "seed"]):
            "400 VALIDATION_FAILED: The key 'sed' is unknown; the allowed keys are 'scenario', 'seed'. Did you mean "
            + "'seed'?",
        .unknownAdminKey("zzzzzz", allowed: []):
            "400 VALIDATION_FAILED: The key 'zzzzzz' is unknown: send no body, or {}.",
        .tooManyWorlds(limit: 3):
            "507 STORE_FULL: 3 worlds exist, which is the limit; delete some with DELETE /__admin/worlds/{id}, or "
            + "wait until idle worlds expire.",
        .adminFromElsewhere:
            "403 FORBIDDEN: The admin API accepts requests only from this machine; to use it from another machine, "
            + "start the server with an admin token and send that token as 'X-Admin-Token'.",
        .adminThroughProxy("Via"):
            "403 FORBIDDEN: The request came through a proxy ('Via'), so the server cannot tell whether it comes from "
            + "this machine: use the server's own address, or start it with an admin token and send that token as "
            + "'X-Admin-Token'.",
        .adminForOtherSite:
            "403 FORBIDDEN: The admin API refuses requests from pages on other sites: use http://localhost or "
            + "http://127.0.0.1 without another site's 'Origin', or send an admin token.",
        .wrongAdminToken:
            "401 UNAUTHORIZED: This server's admin API requires its admin token in the field 'X-Admin-Token'.",
        .journalTakesNoQuery:
            "400 VALIDATION_FAILED: A request for the whole journal cannot have a query; use /__admin/requests or "
            + "/__admin/frames for queries.",
        .unknownFault("flakey", known: ["flaky"]):
            "404 NOT_FOUND: This world has no fault \"flakey\". Did you mean \"flaky\"? See GET /__admin/faults.",
        .invalid("No."): "400 VALIDATION_FAILED: No.",
        .unknownSocket("7"): "404 NOT_FOUND: This world has no open WebSocket \"7\"; see GET /__admin/sockets.",
        .socketCannot("send", "7", "silent"): "409 CONFLICT: WebSocket 7 is silent: it cannot send.",
        .waitTooLong:
            "400 VALIDATION_FAILED: A request may wait for at most 10 minutes; ask again, with the last answer's "
            + "'last_number' as 'since'.",
        .tooManyWaits:
            "507 STORE_FULL: 64 requests are waiting in this world, which is the limit; wait until some of the "
            + "requests are answered.",
        .nothingMatched(within: 250_000_000, details: [:]):
            "408 REQUEST_TIMEOUT: Nothing matched within 250 ms; 'near_misses' lists the nearest entries and how they "
            + "differ.",
        .tooManyMarks:
            "507 STORE_FULL: This world has 16 marks, which is the limit; delete some with DELETE "
            + "/__admin/marks/{name}.",
        .unknownMark("x", known: []):
            "404 NOT_FOUND: This world has no mark \"x\": it has no marks; set a mark with POST /__admin/marks.",
        .controllerIsThere("page-1"):
            "409 CONFLICT: The controller \"page-1\" already has an event stream; choose another name, or end that "
            + "stream.",
        .realClock:
            "409 CONFLICT: This world follows the system clock, which cannot be moved; start the server with a manual "
            + "clock, or create a world with {\"clock\": \"manual\"}.",
        .clockWithoutAdvance:
            "400 VALIDATION_FAILED: Send one of these: a duration, {\"advance\": \"26s\"}; a time, {\"advance_to\": "
            + "\"2025-01-29T10:31:00Z\"}; or an entry to wait for, {\"advance_until\": {\"kind\": \"frame\"}}.",
        .withinWithoutCondition:
            "400 VALIDATION_FAILED: 'within' limits 'advance_until', which is missing: {\"advance_until\": {\"kind\": "
            + "\"frame\"}}.",
        .invalidFieldValue("X-A"):
            "400 VALIDATION_FAILED: The value of the field 'X-A' must not contain line breaks or other control "
            + "characters, or have spaces around it (RFC 9110, section 5.5).",
        .clockBackwards("T"):
            "400 VALIDATION_FAILED: A clock can only move forward, and this clock shows T. Reset the world to start "
            + "over.",
        .clockTooFar:
            "400 VALIDATION_FAILED: A clock can move at most 366 days in one step, and not beyond the year 2199; "
            + "advance it by less.",
        .unknownAdminPath("/__admin/world"):
            "404 NOT_FOUND: There is no endpoint \"/__admin/world\" in the admin API. Did you mean "
            + "\"/__admin/worlds\"?",
        .unknownAdminPath("/__admin/qqqqqqqqqqqq"):
            "404 NOT_FOUND: There is no endpoint \"/__admin/qqqqqqqqqqqq\" in the admin API.",
    ]

    @Test("Each error message says what arrived and what to do", arguments: table.indices)
    func sentences(_ index: Int) {
        let (refusal, expected) = Self.table[index]
        #expect("\(refusal.status.code) \(refusal.code.rawValue): \(refusal.message)" == expected)
    }

    @Test("Errors have the same form in every mode", arguments: GuideMode.allCases)
    func form(_ mode: GuideMode) throws {
        let network = VirtualNetwork { $0.mode = mode }
        for response in [
            try network.admin(.get, "nothing"), try network.admin(.get, "worlds/w9"),
            try network.admin(.post, "clock", "[]"), try network.admin(.put, "health"),
        ] {
            #expect(response.json?["success"]?.bool == false, "\(response.text)")
            #expect(response.errorCode != nil)
        }
    }

    @Test("The limit on values applies to admin bodies", arguments: [0, 1])
    func values(_ more: Int) throws {
        // The object and the list count as values, too.
        let ones = repeatElement("1", count: 9998 + more).joined(separator: ",")
        let network = VirtualNetwork.manual()
        for (path, key) in [("clock", "advance"), ("tokens", "user"), ("faults", "status")] {
            let response = try network.admin(.post, path, "{\"\(key)\":[\(ones)]}")
            #expect(response.status == 400)
            #expect(response.message.contains("more than 10000 values") == (more == 1), "\(response.message)")
        }
    }
}
