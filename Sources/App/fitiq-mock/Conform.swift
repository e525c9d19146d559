import ArgumentParser
import CLibrary
import ContractSuite
import FitIQAPI
import FitIQClient
import Hosting
import Judging
import MockServer
import Proxy
import Scenarios
import Sockets
import TLS
import Text
import Traffic

struct ConformCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conform", abstract: "Compare a real server's answers with the fake's answers.",
        discussion: """
            Compares each answer by status, media type, members, kinds of values and vocabulary; ignores free text \
            and numbers.

            The answers come from a recorded session, a HAR from 'fitiq-mock record', Chrome, mitmproxy, Playwright \
            or Proxyman; the command then sends nothing. Without a session, FitIQClient runs contract cases against \
            the server. They create consultations, goals and meals in the token's account. They delete nothing, and \
            they write only to consultations that they created.

            The URL, tokens and key can also be set in the environment, as FITIQ_UPSTREAM_URL, FITIQ_UPSTREAM_TOKEN, \
            FITIQ_UPSTREAM_FRESH_TOKEN and FITIQ_UPSTREAM_API_KEY.

            Exit codes: 0 the fake could have given every answer, 1 an answer deviates, the comparison is incomplete, \
            or an endpoint that --known-broken lists has no deviation, 2 usage or configuration error, 3 the harness \
            failed, 4 the server did not answer, 130 Ctrl-C.
            """)

    @Argument(
        help: .init("A recorded session (HAR) to compare, instead of a server.", valueName: "session"),
        completion: .sessions)
    var session: String?

    @Option("The server, such as https://api.example.com; scheme, host and port.", "url")
    var upstream: String?

    @Option("Also trust the CAs in this PEM file, for a server with a certificate from your own CA.", "path", .file())
    var upstreamCa: String?

    @Option("The bearer token of a test account.", "jwt")
    var token: String?

    @Option("The token that replaces --token after a 401.", "jwt")
    var freshToken: String?

    @Option("The X-API-Key. (default: \(DevelopmentCredentials.apiKey))", "key")
    var apiKey: String?

    @Option("The guide that the server's answers follow. (default: union)", "name", .guides)
    var guide: String?

    @Option(
        "Run only this case, or the cases below this address: chat, chat/answer; may be repeated.", "address",
        .conformCases, name: .customLong("case"))
    var cases: [String] = []

    @Flag(help: "List the cases without playing them.")
    var list = false

    @Option(
        "How long to wait between requests, up to 5s. (default: 100ms, or 0s if the server is on this machine)",
        "duration", parsing: .unconditional)
    var pause: String?

    @Flag(help: "Do not ask for confirmation if the server is on another machine.")
    var yes = false

    @Option("Save the traffic to this file, as HAR; tokens and keys become placeholders.", "path", .file())
    var output: String?

    @Option("Write the deviations to this file, as rows of a Markdown table.", "file", .file())
    var deviations: String?

    @Option("Write the deviations to this file, as an overlay for 'serve --overlay'.", "file", .scenarioFiles)
    var accept: String?

    @Option("Apply the changes in this file to the fake's answers before the comparison.", "file", .scenarioFiles)
    var overlay: String?

    @Option("The prefix of the API paths in a session, such as /prod.", "path")
    var prefix: String?

    @OptionGroup var reports: ReportOptions

    @Flag(help: "Print no progress while the cases run.")
    var quiet = false

    func validate() throws {
        for (name, value) in [
            ("--output", output), ("--deviations", deviations), ("--accept", accept), ("--overlay", overlay),
        ] where value == "" { throw ValidationError(Messages.empty(name)) }
    }

    func run() throws {
        if let session { return try compare(session) }
        if prefix != nil { throw Failure.configuration(Messages.prefixOfServer) }
        let selected = try CaseSelection.cases(of: ConformPlay.cases, prefixes: cases)
        if list {
            print(ListScenarios.table(selected.map { ($0.address, $0.title) }))
            return
        }
        guard let url = upstream ?? System.variable("FITIQ_UPSTREAM_URL"), !url.isEmpty else {
            throw Failure.configuration(Messages.noConformUpstream)
        }
        let server = try Settings.upstreamURL(url)
        let mode: GuideMode = try Settings.choice(guide, of: "--guide") ?? .union
        let isLocal = Self.isLocal(server)
        let knownBroken = try reports.begin(checks: Conformance.addresses, writing: [deviations, accept])
        let permitted = try overlay.map { (path) throws(Failure) in try OverlayFile.read(path, isTyped: true) }
        let run = ConformRun(
            server: server, trust: try RecordCommand.trust(server, upstreamCa), pause: try pause(isLocal: isLocal),
            credentials: try credentials(isLocal: isLocal),
            freshToken: try Settings.upstreamSecret(freshToken, .freshToken), cases: selected, output: output,
            progress: quiet ? nil : JobProgress(noun: "case", count: selected.count, isTerminal: false))
        if !isLocal, !yes { try ask(server) }
        let stop = try orFailure(try Gate(), Failure.running)
        let (done, signal) = try Blocking.waitOnMain(
            for: {
                try await run.done(Conformance(mode: mode, overlay: permitted ?? Overlay())) {
                    stop.wait(until: .now())
                }
            }, stop: stop)
        try tell(done.conformance, done.report, about: done.session, knownBroken: knownBroken, signal: signal)
    }

    /// Compares a recorded session.
    private func compare(_ path: String) throws {
        let live: [(String, Any?)] = [
            ("--upstream", upstream), ("--upstream-ca", upstreamCa), ("--token", token), ("--fresh-token", freshToken),
            ("--api-key", apiKey), ("--case", cases.first), ("--list", list ? list : nil), ("--pause", pause),
            ("--yes", yes ? yes : nil), ("--output", output),
        ]
        if let option = live.first(where: { $0.1 != nil })?.0 { throw Failure.configuration(Messages.onlyLive(option)) }
        let mode: GuideMode = try Settings.choice(guide, of: "--guide") ?? .union
        let prefix = try SessionFile.prefix(prefix)
        let knownBroken = try reports.begin(checks: Conformance.addresses, writing: [deviations, accept])
        let permitted = try overlay.map { (path) throws(Failure) in try OverlayFile.read(path, isTyped: true) }
        let file = try SessionFile.read(path)
        SessionFile.tellNotes(of: file, named: path)
        if let stranger = SessionJournal(file, prefix: prefix).stranger {
            let message = Messages.noCall(among: file.session.entries.count, stranger)
            throw Failure.configuration(Messages.inFile(path, message))
        }
        let session = file.session.without(prefix)
        let stop = try orFailure(try Gate(), Failure.running)
        let (compared, signal) = try Blocking.waitOnMain(
            for: {
                var conformance = try await Conformance(mode: mode, overlay: permitted ?? Overlay())
                conformance.compare(session, playedIn: nil)
                return conformance
            }, stop: stop)
        let report = compared.report(title: Messages.comparison(with: path), cases: nil)
        try tell(compared, report, about: session, knownBroken: knownBroken, signal: signal)
    }

    /// Writes the overlay and then the report.
    private func tell(
        _ conformance: Conformance, _ report: Report, about session: Session, knownBroken: KnownBroken, signal: Int32?
    ) throws {
        var report = report
        if let accept {
            let acceptance = conformance.accepting(session)
            let text = try OverlayFile.text(acceptance.overlay, about: report.title)
            try orFailure(try WholeFile.write(text, to: accept), Failure.unwritten)
            report.runs[0].notes.append(Messages.accepted(acceptance, in: accept))
            if !acceptance.rest.isEmpty { report.runs[0].notes.append(Messages.notExpressed(acceptance.rest)) }
        }
        let rows = deviations.map { ($0, Array(conformance.rows.utf8)) }
        try reports.tell(report, knownBroken: knownBroken, page: rows, signal: signal)
    }

    func pause(isLocal: Bool) throws(Failure) -> Duration {
        guard let pause else { return isLocal ? ConformPlay.localPause : ConformPlay.remotePause }
        let wanted = Durations.nanoseconds(pause, atMost: ConformPlay.pauses.upperBound.nanoseconds)
        guard let wanted, isLocal || wanted >= ConformPlay.remotePause.nanoseconds else {
            throw .configuration(Messages.badPause)
        }
        return .nanoseconds(wanted)
    }

    /// The credentials for the server; only a server on this machine gets a fake's default credentials.
    private func credentials(isLocal: Bool) throws(Failure) -> Credentials {
        let development = isLocal ? DevelopmentCredentials.token(secret: DevelopmentCredentials.jwtSecret) : nil
        guard let token = try Settings.upstreamSecret(token, .token) ?? development else {
            throw .configuration(Messages.noUpstreamToken)
        }
        return Credentials(
            token: token, apiKey: try Settings.upstreamSecret(apiKey, .apiKey) ?? DevelopmentCredentials.apiKey)
    }

    /// Whether the host name resolves only to this machine.
    private static func isLocal(_ server: UpstreamURL) -> Bool {
        let addresses = try? HostLookup.addresses(
            ofHost: server.host, port: server.port, within: RelayLimits().connectTime)
        return addresses.map { !$0.isEmpty && $0.allSatisfy(\.isLoopback) } ?? false
    }

    private func ask(_ server: UpstreamURL) throws(Failure) {
        guard System.isTerminal(.input), System.isTerminal(.error) else {
            throw .configuration(Messages.whatConformDoes(server.description) + " Add --yes to continue.")
        }
        FitIQMock.printToStandardError(Messages.whatConformDoes(server.description) + " Continue? [y/N] ")
        guard ["y", "yes"].contains(readLine()?.lowercased() ?? "") else { throw .told(exitCode: 2) }
    }
}

/// Compares a server by playing cases through a recording proxy.
struct ConformRun: Sendable {
    let server: UpstreamURL
    let trust: TLSTrust
    /// The pause between connections, each of which carries one request.
    let pause: Duration
    let credentials: Credentials
    let freshToken: String?
    let cases: [ContractCase]
    let output: String?
    let progress: JobProgress?

    /// - Throws: a ``Failure`` or a harness error.
    func done(
        _ fake: Conformance, isStopped: @escaping @Sendable () -> Bool = { false }
    ) async throws -> (conformance: Conformance, report: Report, session: Session) {
        let path = output ?? "\(System.temporaryFolder)/fitiq-mock-conform-\(CurrentProcess.identifier).har"
        defer { if output == nil { unlink(path) } }
        let played = try await play(fake.mode, recordingTo: path, isStopped)
        var conformance = fake
        let session = try SessionFile.read(path).session
        conformance.compare(session, playedIn: played)
        var report = conformance.report(title: Messages.comparison(with: server.description), cases: played)
        if played.count < cases.count {
            let reason = isStopped() ? Messages.interruptedRun : Messages.tooManyConformRequests
            report.incomplete = Messages.incomplete(reason, played: played.count, of: cases.count, "case")
        }
        return (conformance, report, session)
    }

    /// Plays the cases; by the time this function returns, the recording is complete.
    private func play(
        _ mode: GuideMode, recordingTo path: String, _ isStopped: @escaping @Sendable () -> Bool
    ) async throws -> [ConformPlay.Outcome] {
        let ended = try Gate()
        let (url, mailbox) = try startProxy(recordingTo: path, ended)
        defer {
            mailbox.requestStop()
            ended.wait()
        }
        let play = ConformPlay(recording: { try SessionFile.read(path).session }, isStopped: isStopped) {
            [credentials, freshToken, pause] in
            try FitIQClient(url: url, credentials: credentials) {
                ($0.freshToken, $0.guide) = (freshToken, mode)
                // A server that needs no pause between requests needs none between sockets either.
                if pause == .zero { $0.patience.afterOwnClose = .zero }
            }
        }
        var outcomes: [ConformPlay.Outcome] = []
        for (index, each) in cases.enumerated() {
            guard let outcome = try await play.play(each) else { break }
            outcomes.append(outcome)
            progress?.say(index, outcome.address, outcome.trouble ?? "played")
        }
        return outcomes
    }

    /// Starts a proxy on its own thread.
    ///
    /// - Parameter ended: opened when the proxy has stopped and its recording is complete.
    private func startProxy(recordingTo path: String, _ ended: Gate) throws -> (url: String, mailbox: Mailbox) {
        do {
            var configuration = Engine.Configuration()
            configuration.relayed = server
            let proxy = try Host(
                listeningOn: SocketAddress(host: "127.0.0.1", port: 0), upstreamTrust: trust,
                configuration: configuration)
            proxy.loop.acceptPause = pause
            let tap = try SessionTap(
                SessionRecorder.Settings(creatorVersion: Version.current), to: path, existing: .replace,
                program: "comparison")
            proxy.upstreamTap = tap
            let address = (proxy.loop.url, proxy.mailbox)
            tap.write()
            try Self.serve(proxy, ended)
            return address
        } catch let error as StartError {
            throw Failure.configuration(Messages.notStarted(error))
        } catch let error as FileError {
            throw Failure.file(error)
        }
    }

    private static func serve(_ proxy: sending Host, _ ended: Gate) throws {
        try SystemThread.start {
            _ = try? proxy.run()
            _ = (proxy.upstreamTap as? SessionTap)?.finish(at: proxy.loop.time(.now()))
            ended.open()
        }
    }
}
