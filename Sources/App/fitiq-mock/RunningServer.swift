import FitIQAPI
import JSON
import MockServer

/// What others need to know of a server that runs: the banner and the ready file are made of it.
struct RunningServer {
    let url: String
    /// Where it is reached over TLS; nil where it is not.
    let secureURL: String?
    /// The file of the CA that vouches for it; nil without TLS, and with a certificate of the user's.
    let caPath: String?
    /// Where the session is recorded; nil where it is not.
    let recordingPath: String?
    let mode: GuideMode
    let apiKey: String
    let token: String
    /// What the scenario is called, and what it says of itself.
    let scenario: (name: String, summary: String)
    /// Where the clock stands that is moved by hand; nil where it is the system's.
    let manualTime: Timestamp?
    /// Whether a recorded session answers.
    let replays: Bool
    /// What the admin API asks for.
    let adminToken: String?
    /// Options that `chat` needs to find this server.
    let chatOptions: [String]

    /// - Parameter caPath: the file of the CA that vouches for the server, if it is ours.
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
        // Only where there is TLS: who waits for them can tell.
        if let secureURL { object["https_url"] = .string(secureURL) }
        if let secureWebSocketURL { object["wss_url"] = .string(secureWebSocketURL) }
        if let caPath { object["ca_certificate"] = .string(caPath) }
        return JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
    }
}
