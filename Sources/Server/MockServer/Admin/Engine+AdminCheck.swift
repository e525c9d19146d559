import FitIQAPI
import JSON
import Scenarios

/// The admin API's check of a scenario that somebody is writing.
extension Engine {
    /// `POST /__admin/check`: the mistakes of a scenario file in YAML or JSON, or the scenario as JSON.
    ///
    /// - Returns: The answer; nil if the request waits for a job.
    /// - Throws: 400 for a bad body.
    func check(_ exchange: Exchange) throws(APIError) -> Answer? {
        let body = try AdminBody(exchange.body, keys: ["text"])
        guard let text = try body.text("text", expected: "a scenario file, in YAML or JSON") else {
            throw .missingField("text", expected: "a scenario file, in YAML or JSON")
        }
        guard startJob != nil, exchange.body.count > Self.largestWorkOnLoop else { return .ok(Self.checked(text)) }
        guard hasRoom(forJobOf: exchange.body.count) else { throw .tooMuchToRead }
        let awaited = awaitJob(for: exchange, holding: exchange.body.count)
        beside(at: exchange.now) {
            Self.checked(text)
        } then: { engine, result, now in
            engine.conclude(awaited, with: .success(.ok(result.take())), at: now)
        }
        return nil
    }

    private static func checked(_ text: String) -> [UInt8] {
        JSONWriter.object { writer in
            do throws(ScenarioErrors) {
                let (scenario, json) = try Scenario.readWithJSON(text)
                writer.member("ok", true)
                writer.member("name", scenario.name)
                writer.member("summary", scenario.summary)
                writer.member("scenario", json)
                writer.array("mistakes") { _ in }
                writer.member("omitted", 0)
            } catch {
                writer.member("ok", false)
                writer.array("mistakes") { writer in
                    for mistake in error.mistakes {
                        writer.object { writer in
                            writer.member("line", ifPresent: mistake.line)
                            writer.member("column", ifPresent: mistake.column)
                            writer.member("path", mistake.path)
                            writer.member("message", mistake.message)
                        }
                    }
                }
                writer.member("omitted", error.omittedCount)
            }
        }
    }
}
