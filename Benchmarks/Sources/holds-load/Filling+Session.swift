import FitIQAPI
import MockServer
import Scenarios

/// A long recording that is replayed, and reloaded by `--watch`.
extension Filling {
    /// The maximum number of entries of a session, in 94 MB.
    private static func recording(_ title: String) -> [UInt8] {
        let padding = String(repeating: "x", count: 139)
        let type = #""application/json; charset=utf-8""#
        var text = #"{"log":{"version":"1.2","creator":{"name":"holds-load","version":"1"},"entries":["#
        text.reserveCapacity(100_000_000)
        for number in 0..<sessionEntries {
            let data = #"{\"id\":\"g\#(number)\",\"title\":\"\#(title)\",\"text\":\"\#(padding)\"}"#
            let body = #"{\"success\":true,\"data\":\#(data)}"#
            if number > 0 { text += ",\n" }
            text += #"{"startedDateTime":"2026-11-21T21:38:19.893Z","time":1.5,"request":{"method":"GET","#
            text += #""url":"http://127.0.0.1:39321/api/v1/goals/g\#(number)","httpVersion":"HTTP/1.1","#
            text += #""cookies":[],"headers":[{"name":"Host","value":"127.0.0.1:39321"},"#
            text += #"{"name":"Accept","value":"application/json"},"#
            text += #"{"name":"Authorization","value":"Bearer redacted-token-1"}],"queryString":[],"#
            text += #""headersSize":-1,"bodySize":0},"response":{"status":200,"statusText":"OK","#
            text += #""httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"Content-Type","value":\#(type)}],"#
            text += #""content":{"size":250,"mimeType":\#(type),"text":"\#(body)"},"redirectURL":"","#
            text += #""headersSize":-1,"bodySize":250},"cache":{},"timings":{"send":0,"wait":1.5,"receive":0}}"#
        }
        text += "]}}"
        return Array(text.utf8)
    }

    private static let sessionEntries = 100_000

    /// The work of `--watch` after the file has changed: a job reads it, and the loop adopts it.
    static func watch(_ name: String, _ scenario: @escaping @Sendable () throws -> Scenario = { Scenario() }) -> Row {
        .act(name) { turns in
            {
                turns.act { engine, now in
                    let preparation = engine.reloadPreparation
                    engine.runJob(at: now) { () -> Engine.PreparedScenario in
                        do {
                            return try preparation.prepare(try scenario(), at: now)
                        } catch {
                            preconditionFailure("The scenario is in order: \(error)")
                        }
                    } then: { engine, prepared, now in
                        _ = engine.adopt(prepared.take(), at: now)
                    }
                }
            }
        }
    }

    private static func watch(_ name: String, _ title: String) -> Row {
        watch(name) {
            var scenario = Scenario()
            scenario.replay = SessionReplay(.plan(try SessionReplay.Recording(readingHAR: recording(title)).plan))
            return scenario
        }
    }

    static let session = Filling(
        name: "a session of 100,000 entries, 94 MB",
        rows: [
            watch("`--watch` takes it", "Run"), watch("`--watch` takes another in its place", "Walk"),
            .post("reset", "{}"), .get("replay"),
            .act("10,000 requests that were not recorded") { turns in
                { try turns.fill(10_000, Call("GET", "/api/v1/goals/nowhere"), expecting: 404) }
            },
            .get("replay"), .get("verdicts"), .call(Call("GET", Row.admin + "state"), status: 409),
            watch("`--watch` takes another while it is played", "Swim"), .post("worlds", "{}"),
            .get("worlds/w1/replay"), .delete("worlds/w1"), .post("reset", "{}"),
            watch("`--watch` takes a scenario without one"), .post("reset", "{}"),
        ])
}
