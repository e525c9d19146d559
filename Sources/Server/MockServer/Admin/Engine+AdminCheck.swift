import FitIQAPI
import JSON
import Scenarios
import Traffic

/// The admin API's scenario file check.
extension Engine {
    /// `POST /__admin/check`: returns the mistakes in a YAML or JSON scenario file, or the scenario as JSON.
    ///
    /// - Returns: Nil if the request waits for a job.
    /// - Throws: 400 for a bad body.
    func check(_ call: AdminCall) throws(APIError) -> Answer? {
        let expected = "a scenario file, in YAML or JSON"
        let text = try call.body(keys: ["text"]).text("text", expected: expected).required("text", expected: expected)
        let size = call.bytes.count
        guard startJob != nil, size > Self.largestWorkOnLoop else { return .ok(Self.checked(text)) }
        guard hasRoom(forJobOf: size) else { throw .tooMuchToRead }
        let awaited = awaitJob(for: call.exchange, holding: size)
        runJob(at: call.now) {
            Self.checked(text)
        } then: { engine, result, now in
            engine.conclude(awaited, with: .success(.ok(result.take())), at: now)
        }
        return nil
    }

    private static func checked(_ text: String) -> [UInt8] {
        JSONWriter.object { writer in
            var errors: ScenarioErrors?
            do throws(ScenarioErrors) {
                let (scenario, json) = try Scenario.readWithJSON(text)
                writer.member("ok", true)
                writer.member("name", scenario.name)
                writer.member("summary", scenario.summary)
                writer.member("scenario", json)
                if !scenario.oldWords.isEmpty { writer.strings("deprecated", scenario.oldWords.map(\.message)) }
            } catch {
                writer.member("ok", false)
                errors = error
            }
            writer.array("mistakes") { writer in
                for mistake in errors?.mistakes ?? [] {
                    writer.object { writer in
                        writer.member("line", ifPresent: mistake.line)
                        writer.member("column", ifPresent: mistake.column)
                        writer.member("path", mistake.path)
                        writer.member("message", mistake.message)
                    }
                }
            }
            writer.member("omitted", errors?.omittedCount ?? 0)
        }
    }
}
