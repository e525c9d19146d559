import FitIQAPI
import HTTPTypes
import JSON
import Scenarios
import Traffic

/// The admin API's resources of the server: what it is and serves, and draining.
extension AdminCall {
    /// `GET /__admin`: the operations of the admin API.
    func index() -> Answer {
        .object { writer in
            writer.member("name", "fitiq-mock")
            writer.member("version", Version.current)
            writer.member("description", "/__admin/openapi.yaml")
            writer.objects("operations", APIDescription.adminOperations) { writer, operation in
                writer.member("method", operation.method)
                writer.member("path", "/__admin" + (operation.path == "/" ? "" : operation.path))
                writer.member("summary", operation.summary)
            }
        }
    }

    func health() -> Answer {
        .object { writer in
            writer.member("status", "ok")
            writer.member("version", Version.current)
            writer.member("guide", world.mode.rawValue)
            writer.member("seed", String(world.settings.seed))
            writer.member("scenario", world.settings.scenario.name)
            writer.member("node", ifPresent: engine.configuration.node?.text)
            writer.member("worlds", engine.worlds.count + (engine.configuration.hasDefaultWorld ? 1 : 0))
            writer.member("connections", engine.connections.count)
            writer.member("web_sockets", engine.connections.webSocketCount)
            world.writeCounts(to: &writer)
        }
    }

    func description() -> Answer {
        Answer(body: APIDescription.adminOpenAPIBytes, contentType: APIDescription.openAPI.mediaType)
    }

    /// `GET /__admin/ui`: the page, which contains no data.
    func page() -> Answer {
        let page = APIDescription.adminPageBytes
        // `frame-ancestors` works only in a header field, not in a `meta` element (CSP Level 3, §6.4.2).
        let fields: HTTPFields = [
            .contentSecurityPolicy: Self.policy(of: page) + "; frame-ancestors 'none'",
            .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer", .cacheControl: "no-store",
        ]
        return Answer(body: page, fields: fields, contentType: APIDescription.documentation.mediaType)
    }

    /// The policy from the page's `meta` element, which contains the hashes of its script and style.
    static func policy(of page: [UInt8]) -> String {
        let parts = page.prefix(4096).split(separator: UInt8(ascii: "\""))
        let name = parts.firstIndex { $0.elementsEqual("Content-Security-Policy".utf8) }
        guard let name, name + 2 < parts.count else { preconditionFailure("The page must have a policy.") }
        return String(decoding: parts[name + 2], as: UTF8.self)
    }

    /// `GET /__admin/echo`: opens a WebSocket that echoes messages.
    func openEcho() throws(APIError) -> Answer? {
        let fields = try engine.acceptHandshake(exchange, in: world)
        _ = engine.switchProtocols(head, fields, on: connection, use: .echo)
        engine.receiveTrailingBytes(of: connection, at: now)
        return nil
    }

    // MARK: Scenarios

    func listScenarios() -> Answer {
        .object { writer in
            writer.objects("scenarios", Scenario.builtInSummaries) { writer, scenario in
                writer.member("name", scenario.name)
                writer.member("summary", scenario.summary)
            }
        }
    }

    func showScenario() throws(APIError) -> Answer {
        let name = parameter.text
        guard let text = Scenario.builtInText(named: name) else { throw .missing(Scenario.unknownBuiltIn(name)) }
        return .object { writer in
            writer.member("name", name)
            writer.member("text", text)
        }
    }

    /// `POST /__admin/check`: returns the mistakes in a YAML or JSON scenario file, or the scenario as JSON.
    func check() throws(APIError) -> Answer? {
        let expected = "a scenario file, in YAML or JSON"
        let text = try body(keys: ["text"]).text("text", expected: expected).required("text", expected: expected)
        return try answer(inJob: bytes.count > Engine.largestWorkOnLoop, holding: bytes.count) {
            Self.checked(text)
        } then: { _, result, _ in
            .ok(result)
        }
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
            writer.objects("mistakes", errors?.mistakes ?? []) { writer, mistake in
                writer.member("line", ifPresent: mistake.line)
                writer.member("column", ifPresent: mistake.column)
                writer.member("path", mistake.path)
                writer.member("message", mistake.message)
            }
            writer.member("omitted", errors?.omittedCount ?? 0)
        }
    }

    // MARK: Draining

    /// `POST /__admin/drain`: starts draining; `/ready` then returns 503, and worlds that have been idle for `idle` are
    /// deleted.
    func drain() throws(APIError) -> Answer {
        engine.lives.drain(idle: try body(keys: ["idle"]).duration("idle"), at: now)
        return writeDrain(.accepted)
    }

    /// `GET /__admin/drain`: returns whether the server is draining, and the remaining worlds and WebSockets.
    func showDrain() -> Answer { writeDrain(.ok) }

    private func writeDrain(_ status: HTTPResponse.Status) -> Answer {
        .object(status) { writer in
            writer.member("draining", engine.drainIdle != nil)
            writer.member("worlds", engine.worlds.count)
            writer.member("web_sockets", engine.connections.webSocketCount)
        }
    }
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!  // A constant token.
}
