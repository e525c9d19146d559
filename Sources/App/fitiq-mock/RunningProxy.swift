import JSON
import MockServer
import Proxy

/// The facts about a running proxy for the banner and the ready file.
struct RunningProxy {
    let url: String
    /// The URL for TLS, if it serves TLS.
    let secureURL: String?
    let upstream: String
    let output: String
    /// The CA that TLS clients have to trust; nil for the user's own certificate.
    let caPath: String?

    /// The ready file: one JSON object.
    func readyFile(processID: Int32) -> [UInt8] {
        var object: JSONObject = [
            "url": .string(url), "ws_url": .string(Self.webSocket(url)), "upstream": .string(upstream),
            "output": .string(output),
        ]
        if let secureURL {
            object["https_url"] = .string(secureURL)
            object["wss_url"] = .string(Self.webSocket(secureURL))
        }
        if let caPath { object["ca_certificate"] = .string(caPath) }
        object["pid"] = .number(JSONNumber(Int(processID)))
        return JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
    }

    /// The start message.
    func banner(program: String, keepsSecrets: Bool) -> String {
        var lines = [
            "fitiq-mock \(Version.current) records what clients and \(upstream) say to each other.", "",
            "Point the app here in place of \(upstream):", "",
            "  REST        \(url)",
            "  WebSocket   \(Self.webSocket(url))",
        ]
        if let secureURL {
            lines.append("  over TLS    \(secureURL)")
            lines.append("              \(Self.webSocket(secureURL))")
        }
        if let caPath { lines.append("  CA          \(caPath)  ('\(program) certificate' says how clients trust it)") }
        let secrets =
            keepsSecrets
            ? "with all tokens, keys, cookies and e-mail addresses in it: keep it to yourself"
            : "tokens, keys, cookies and e-mail addresses replaced by placeholders"
        lines += [
            "", "The session goes to \(output),", "\(secrets).",
            "It opens at any time: \(program) show \(output.shellQuoted)", "", "Stop with Ctrl-C.", "",
        ]
        return lines.joined(separator: "\n")
    }

    private static func webSocket(_ url: String) -> String { "ws" + url.dropFirst("http".count) }
}

extension RunningProxy {
    init(_ proxy: ProxyHost, output: String, caPath: String?) {
        url = proxy.loop.url
        secureURL = proxy.loop.secureURL
        upstream = proxy.upstream.description
        self.output = output
        self.caPath = caPath
    }
}
