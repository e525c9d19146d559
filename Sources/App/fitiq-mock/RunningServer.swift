import FitIQAPI
import JSON
import MockServer

/// The facts about a running server for the banner and the ready file.
struct RunningServer {
    let url: String
    /// The URL for TLS, if it serves TLS.
    let secureURL: String?
    /// The file of the CA that issued its certificate; nil without TLS, and for the user's own certificate.
    let caPath: String?
    /// Where the session is recorded, if it is.
    let recordingPath: String?
    let mode: GuideMode
    let apiKey: String
    let token: String
    /// The scenario's name and its own summary.
    let scenario: (name: String, summary: String)
    /// The time of a manual clock; nil for the system's clock.
    let manualTime: Timestamp?
    /// Whether it replays a recorded session.
    let replays: Bool
    /// The token that the admin API requires.
    let adminToken: String?
    /// The options that `chat` needs for this server.
    let chatOptions: [String]

    /// - Parameter caPath: the file of the CA that issued the server's certificate, if it is ours.
    init(_ engine: Engine, caPath: String? = nil, recordingPath: String? = nil) {
        url = engine.configuration.origin
        secureURL = engine.configuration.secureOrigin
        self.caPath = caPath
        self.recordingPath = recordingPath
        mode = engine.configuration.mode
        apiKey = engine.configuration.apiKey
        token = engine.token
        scenario = (engine.scenario.name, engine.scenario.summary)
        manualTime = engine.manualTime
        replays = engine.replayOutcome(ofWorld: "default") != nil
        adminToken = engine.configuration.adminToken
        var options: [String] = []
        if url != Chat.defaultURL { options.append("--url \(url.shellQuoted)") }
        if apiKey != DevelopmentCredentials.apiKey { options.append("--api-key \(apiKey.shellQuoted)") }
        if token != DevelopmentCredentials.token() { options.append("--token \(token)") }
        if mode == .enhancedConsultations { options.append("--protocol user_message") }
        chatOptions = options
    }

    var webSocketURL: String { "ws" + url.dropFirst("http".count) }
    var secureWebSocketURL: String? { secureURL.map { "ws" + $0.dropFirst("http".count) } }

    /// The ready file: one JSON object.
    func readyFile(processID: Int32) -> [UInt8] {
        var object: JSONObject = [
            "url": .string(url), "ws_url": .string(webSocketURL), "api_key": .string(apiKey), "token": .string(token),
            "guide": .string(mode.rawValue), "scenario": .string(scenario.name),
            "pid": .number(JSONNumber(Int(processID))),
        ]
        // Only with TLS, so that readers can tell.
        if let secureURL { object["https_url"] = .string(secureURL) }
        if let secureWebSocketURL { object["wss_url"] = .string(secureWebSocketURL) }
        if let caPath { object["ca_certificate"] = .string(caPath) }
        return JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
    }
}
