import Proxy
import Sockets

/// What 'record' says.
extension Messages {
    static let noUpstream =
        "record needs the server to stand in front of: --upstream https://api.example.com. See 'fitiq-mock record --help'."

    static let noOutput = "record needs a file for the session: --output session.har. See 'fitiq-mock record --help'."

    static func notStarted(_ error: ProxyHost.StartError) -> String {
        switch error {
        case .socket(let error): notListening(error)
        case .listeningForTLS(let error): notListening(error, port: "--tls-port")
        case .ownUpstream: "\(error) (--port, --upstream)"
        case .tls: error.description
        }
    }

    static func outputExists(_ path: String) -> String {
        "'\(path)' exists already, and may be all that is left of a session: name another file, or add --overwrite."
    }

    static func authorityWithoutTLS(_ upstream: String) -> String {
        "--upstream-ca is of no use with \(upstream), which shows no certificate; write https:// or leave it out."
    }

    /// The line at the end.
    static func recorded(requests: Int, sockets: Int, in path: String) -> String {
        "\(requests) \(requests == 1 ? "request" : "requests") and \(sockets) \(sockets == 1 ? "WebSocket" : "WebSockets") "
            + "in \(path)"
    }

    static func recordingIncomplete(_ path: String, _ program: String) -> String {
        "the recording stopped before the \(program) did, for the reason logged above; what came before is in '\(path)'."
    }

    static func recordingDisplaced(_ path: String, _ other: String) -> String {
        "'\(path)' was moved, removed or replaced by another file while it was recorded to; the recording is in '\(other)'."
    }

    static func recordingGone(_ path: String) -> String {
        "'\(path)' was moved or removed while it was recorded to, and the recording with it: nothing is left there."
    }
}
