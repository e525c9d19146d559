import ContractSuite
import FitIQAPI
import MockServer
import Replay
import Sockets
import TLS
import Text
import Traffic

extension Messages {
    static func width(_ text: Int, allowed: ClosedRange<Int>) -> String {
        "--width must be from \(allowed.lowerBound) to \(allowed.upperBound), not \(text)."
    }

    /// Turns another module's message into a sentence.
    static func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }

    // MARK: The messages of 'record'

    static let noUpstream =
        "record requires a server: --upstream https://api.example.com. See 'fitiq-mock record --help'."
    static let upstreamWithoutURL =
        "the scenario's upstream has no URL: set 'url', or start the server with --upstream."
    static let noOutput =
        "record requires a file for the session: --output session.har. See 'fitiq-mock record --help'."
    static func outputExists(_ path: String) -> String {
        "'\(path)' already exists and may be the only copy of a session: choose another file, or add --overwrite."
    }
    static func authorityWithoutTLS(_ upstream: String) -> String {
        "--upstream-ca has no effect with \(upstream), which has no certificate; use https:// or leave it out."
    }
    static func recorded(requests: Int, sockets: Int, in path: String) -> String {
        "\(Words.counted(requests, "request")) and \(Words.counted(sockets, "WebSocket")) in \(path)"
    }
    static func recordingIncomplete(_ path: String, _ program: String) -> String {
        "the recording stopped before the \(program) did, for the reason logged above; '\(path)' contains the "
            + "traffic up to that point."
    }
    static func recordingDisplaced(_ path: String, _ other: String) -> String {
        "'\(path)' was moved, removed or replaced by another file during the recording; the recording is in '\(other)'."
    }
    static func recordingGone(_ path: String) -> String {
        "'\(path)' was moved or removed during the recording, so the recording is lost."
    }

    // MARK: The messages about replayed sessions

    static func badPrefix(_ text: String) -> String {
        "--prefix must be the part that precedes the API paths, such as /prod in /prod/api/v1/goals; got '\(text)'."
    }

    static func unknownChoice(_ option: String, _ value: String, allowed: [String]) -> String {
        let near = NearestWord.hint(value, among: allowed)
        return "\(option) must be one of \(allowed.joined(separator: ", ")); got '\(value)'.\(near)"
    }
    static let twoSpeeds = "--speed cannot be combined with --instant, which means '--speed instant'."
    static func notWithSession(_ option: String) -> String {
        "\(option) cannot be combined with a replayed session, which has no data of its own."
    }
    static let twoStates =
        "--state and --import both set the initial state: leave out --import to continue where --state left off. To "
        + "import a file while the server runs, send it with PUT /__admin/state."
    static let scenarioBesideSession =
        "a scenario for a replayed session may set faults, guide, seed and clock, but not users, answers, meals, "
        + "stubs, ids, token lifetime or another session."

    /// The final message: a line, followed by the differences from the recording.
    static func replayed(_ outcome: Engine.ReplayOutcome) -> String {
        ([outcome.report.summary] + outcome.failures.map { "  " + $0 }).joined(separator: "\n")
    }
    static func replaySummary(_ plan: ReplayPlan) -> String {
        var (exchanges, sockets) = (0, 0)
        for entry in plan.session.entries { if entry.isSocket { sockets += 1 } else { exchanges += 1 } }
        return "a recorded session with \(Words.counted(exchanges, "request")) and "
            + Words.counted(sockets, "WebSocket")
    }
    static let strictReplay =
        "The client sends each recorded request once, in the recorded order, and nothing else (match: strict)."

    // MARK: The messages of 'serve --record'

    static func recordingExists(_ path: String) -> String {
        "'\(path)' already exists and may be the only copy of a session: choose another file, or remove it."
    }

    // MARK: The messages of 'judge'

    static let prefixOfJournal =
        "--prefix applies only to sessions. This file is a journal; leave --prefix out."
    static func noCall(among count: Int, _ stranger: SessionJournal.Stranger) -> String {
        let first = stranger.request.isEmpty ? "" : ": the first is \(stranger.request)"
        let what =
            stranger.prefix == nil ? "If the API's paths have a prefix" : "If \(stranger.prefix ?? "") is a prefix"
        return "It has \(Words.counted(count, "request")), but none to the API\(first). \(what), pass it: --prefix "
            + "\(stranger.prefix ?? "/prod")."
    }
    static func judgement(of journal: String) -> String { "The client in \(journal)" }
    static func noSuchWorld(_ id: String, others: [String]) -> String {
        let near = NearestWord.hint(id, among: others)
        let shown = others.prefix(5).joined(separator: ", ") + (others.count > 5 ? ", …" : "")
        return "no entry belongs to the world '\(id)'; the worlds with entries are \(shown).\(near)"
    }
    static func tooManyWorlds(limit: Int) -> String {
        "the journal has more than \(limit) worlds, but at most \(limit) can be judged at once; select one "
            + "with --world."
    }
    static func disorderedEntry(_ number: Int, after last: Int, world: String) -> String {
        "entry \(number) of \(world) comes after entry \(last), but a journal must be in order. Does the file contain "
            + "two journals, or is the newest entry first?"
    }

    // MARK: The messages of 'serve --tls' and 'certificate'

    static func requires(_ needed: String, _ option: String) -> String { "\(option) requires \(needed)." }
    static func howToTrust(_ program: String) -> String { "'\(program) certificate' explains how." }
    static let certificateAndKey = "--certificate and --key must be used together: a certificate needs its private key."
    static func certificateOfLocalhost(not host: String) -> String {
        "the certificate is for localhost, 127.0.0.1 and ::1, so clients refuse https://\(host); "
            + "provide a certificate for this host with --certificate and --key"
    }
    static func certificateExpired(_ time: String) -> String {
        "the certificate expired at \(time): clients will refuse it"
    }
    static let certificateNotYetValid = "the certificate is not valid yet: clients will refuse it until it is"
    static func openAuthorityKey(_ path: String) -> String {
        "other users have access to '\(path)' and can use it to issue certificates that your clients trust: run "
            + "chmod 600 \(path.shellQuoted)"
    }
    static func newAuthority(after expiry: String) -> String {
        "created a new CA, because the old one is valid only until \(date(expiry)); clients must trust the new CA"
    }
    static func damagedAuthority(_ certificate: String, _ key: String, _ reason: String) -> String {
        "the CA that your clients trust is damaged: \(sentence(reason)) Restore '\(certificate)' and '\(key)', or "
            + "remove both; the next start then creates a new CA, which clients must trust."
    }
    static let eitherPathOrPEM = "--ca prints a path, and --pem prints a certificate; use only one of these options."

    /// Prefixes a sentence about a certificate or key with its file's name.
    static func inMaterial(_ path: String, _ error: TLSError) -> String { "cannot use '\(path)': \(error.description)" }
    static func certificates(
        ca: (path: String, facts: CertificateFacts), server: (path: String, facts: CertificateFacts)
    ) -> String {
        let path = ca.path.shellQuoted
        return """
            'fitiq-mock serve --tls' uses a certificate from a CA that exists only on this machine.

              CA            \(ca.path)
                            valid until \(date(ca.facts.expiry))
                            SHA-256 \(ca.facts.fingerprint)
              Certificate   \(server.path)
                            for localhost, 127.0.0.1 and ::1
                            valid until \(date(server.facts.expiry)), and renewed in time by 'serve --tls'

            Make each client trust the CA once:

              curl            curl --cacert \(path) https://localhost:8443/health
              Python ssl      ssl.create_default_context(cafile="\(ca.path)"), also for websockets
              requests        requests.get(url, verify="\(ca.path)")
              aiohttp         TCPConnector(ssl=ssl.create_default_context(cafile="\(ca.path)"))
              Node            NODE_EXTRA_CA_CERTS=\(path) node app.js
              iOS simulator   xcrun simctl keychain booted add-root-cert \(path)
              macOS           security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db \(path)
              Android         cp \(path) app/src/debug/res/raw/fitiq_mock_ca.pem
                              app/src/debug/res/xml/network_security_config.xml:
                                <network-security-config>
                                  <debug-overrides><trust-anchors>
                                    <certificates src="@raw/fitiq_mock_ca" />
                                  </trust-anchors></debug-overrides>
                                </network-security-config>
                              <application android:networkSecurityConfig="@xml/network_security_config" …>
                              adb reverse tcp:8443 tcp:8443; the app then reaches the server at https://localhost:8443

            The CA's key never leaves \(folder(of: ca.path)). It signs certificates only for this machine's own \
            names. Even so, trust it only on development machines. To start over, delete that folder.

            """
    }
    private static func date(_ time: String) -> String { String(time.prefix("YYYY-MM-DD".count)) }
    private static func folder(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}

/// Messages of `conform`.
extension Messages {
    static let noConformUpstream =
        "conform requires a recorded session, such as session.har, or a server: --upstream https://api.example.com."
    static func onlyLive(_ option: String) -> String {
        "\(option) applies only to a server; leave out either \(option) or the recorded session."
    }
    static let prefixOfServer =
        "--prefix applies only to a recorded session; conform's own requests have no prefix."
    static func overlayComment(_ title: String) -> String {
        "\(title): the deviations, for 'fitiq-mock serve --overlay'. Strings, numbers and times are made up."
    }
    static func accepted(_ acceptance: Conformance.Acceptance, in path: String) -> String {
        let all = acceptance.overlay.changes.count
        let new = acceptance.newCount == all ? "" : ", \(acceptance.newCount) of them new"
        return
            "\(path) has \(Words.counted(all, "change"))\(new): 'fitiq-mock serve --overlay \(path.shellQuoted)' applies "
            + "them, and 'fitiq-mock conform --overlay \(path.shellQuoted)' expects them."
    }
    static func notExpressed(_ places: [String]) -> String {
        let more = places.count > 5 ? ", and \(places.count - 5) more" : ""
        return "No overlay can express \(Words.counted(places.count, "deviation")): "
            + places.prefix(5).joined(separator: "; ") + more + "."
    }
    static let noUpstreamToken =
        "the server is not on this machine, so conform needs a token for it: --token, or FITIQ_UPSTREAM_TOKEN."
    static let badPause =
        "--pause must be a duration such as 500ms, at most 5s, and at least 100ms if the server is on another machine."
    static func badUpstreamSecret(_ label: String) -> String { "\(label) must consist of visible ASCII characters." }
    static func whatConformDoes(_ server: String) -> String {
        "\(server) is not on this machine. The cases create consultations, goals and meals in the token's "
            + "account, and delete nothing."
    }
    static let tooManyConformRequests = "The limit of \(ConformPlay.requestLimit) requests was reached"
    static func comparison(with server: String) -> String { "\(server) compared with the fake" }
}
