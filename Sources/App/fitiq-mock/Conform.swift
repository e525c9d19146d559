import ArgumentParser
import CLibrary
import ContractSuite
import FitIQAPI
import FitIQClient
import Hosting
import MockServer
import Proxy
import Sockets
import TLS
import Text
import Traffic

struct ConformCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conform",
        abstract: "Compare what a real server answers with what the fake can say.",
        discussion: """
            FitIQClient plays cases of the contract with the server, and each answer is compared by status, media type, \
            members, kinds of values and vocabulary; free texts and numbers do not count. The cases create \
            consultations, goals and meals in the account of the token. They delete nothing, and they speak only in \
            consultations that they created.

            URL, tokens and key can also be set in the environment, as FITIQ_UPSTREAM_URL, FITIQ_UPSTREAM_TOKEN, \
            FITIQ_UPSTREAM_FRESH_TOKEN and FITIQ_UPSTREAM_API_KEY.

            Exit codes: 0 every answer could be the fake's, 1 some could not, or the comparison is incomplete, 2 usage \
            or configuration, 3 the harness failed, 4 there was no answer, 130 Ctrl-C.
            """)

    @Option(help: .init("The server, such as https://api.example.com; scheme, host and port.", valueName: "url"))
    var upstream: String?

    @Option(
        help: .init(
            "Also trust the CAs in this PEM file, for a server whose certificate your own CA issued.",
            valueName: "path"))
    var upstreamCa: String?

    @Option(help: .init("The bearer token of an account for tests.", valueName: "jwt"))
    var token: String?

    @Option(help: .init("The token that replaces the first one after a 401.", valueName: "jwt"))
    var freshToken: String?

    @Option(help: .init("The X-API-Key. (default: \(DevelopmentCredentials.apiKey))", valueName: "key"))
    var apiKey: String?

    @Option(help: .init("The guide whose form the server's answers have. (default: union)", valueName: "name"))
    var guide: String?

    @Option(
        name: .customLong("case"),
        help: .init(
            "Only this case, or those below the address: chat, chat/answer; may be repeated.", valueName: "address"))
    var cases: [String] = []

    @Flag(help: "List the cases, and play none.")
    var list = false

    @Option(
        parsing: .unconditional,
        help: .init(
            "How long to wait before each instruction, up to 1m. (default: 100ms, on this machine 0s)",
            valueName: "duration"))
    var pause: String?

    @Flag(help: "Do not ask before a server that is not on this machine.")
    var yes = false

    @Option(
        help: .init("Keep what was said in this file, as HAR; tokens and keys become placeholders.", valueName: "path"))
    var output: String?

    @Option(help: .init("Write the report as Markdown to this file.", valueName: "file"))
    var markdown: String?

    @Option(help: .init("Write the report as JSON to this file.", valueName: "file"))
    var json: String?

    @Flag(help: "Say nothing while the cases are played.")
    var quiet = false

    func validate() throws {
        for (name, value) in [("--output", output), ("--markdown", markdown), ("--json", json)] where value == "" {
            throw ValidationError(Messages.empty(name))
        }
    }

    func run() throws {
        let selected = try Self.selected(cases)
        if list {
            print(ListScenarios.table(selected.map { ($0.address, $0.title) }))
            return
        }
        guard let url = upstream ?? System.variable("FITIQ_UPSTREAM_URL"), !url.isEmpty else {
            throw Failure.configuration(Messages.noConformUpstream)
        }
        let server = try orFailure(try UpstreamURL(url)) { (error: UpstreamURL.Refusal) in
            .configuration("\(error.description).")
        }
        let isLocal = Self.isLocal(server)
        let pause = try pause(isLocal: isLocal)
        let mode: GuideMode = try Settings.choice(guide, of: "--guide") ?? .union
        let credentials = try credentials(isLocal: isLocal)
        let trust = try RecordCommand.trust(server, upstreamCa)
        if !isLocal, !yes { try ask(server) }
        let conform = ConformRun(
            server: server, trust: trust, credentials: credentials, freshToken: try secret(freshToken, "FRESH_TOKEN"),
            mode: mode, cases: selected, pause: pause, output: output,
            progress: quiet ? nil : JobProgress(noun: "case", count: selected.count, isTerminal: false))
        let (report, signal) = try conform.run(MainWait())
        print(report.text, terminator: "")
        StandardOutput.flush()
        do throws(FileError) {
            if let markdown { try WholeFile.write(Array(report.markdown.utf8), to: markdown) }
            if let json { try WholeFile.write(report.json, to: json) }
        } catch {
            throw Failure.running(error.description + ".")
        }
        if let signal { throw Failure.interrupted(by: signal, isReported: true) }
        guard report.exitCode == 0 else { throw Failure.told(exitCode: report.exitCode) }
    }

    /// The cases below one of the addresses; a word that selects nothing is a mistake.
    static func selected(_ prefixes: [String]) throws(Failure) -> [ContractCase] {
        let all = ConformPlay.cases
        for prefix in prefixes where !all.contains(where: { $0.isSelected(by: prefix) }) {
            throw .configuration(Messages.noConformCase(prefix))
        }
        return prefixes.isEmpty ? all : all.filter { each in prefixes.contains { each.isSelected(by: $0) } }
    }

    func pause(isLocal: Bool) throws(Failure) -> Duration {
        guard let pause else { return isLocal ? ConformPlay.localPause : ConformPlay.remotePause }
        let wanted = Durations.nanoseconds(pause, atMost: ConformPlay.pauses.upperBound.nanoseconds)
        guard let wanted, isLocal || wanted >= ConformPlay.remotePause.nanoseconds else {
            throw .configuration(Messages.badPause)
        }
        return .nanoseconds(wanted)
    }

    private func secret(_ option: String?, _ name: String) throws(Failure) -> String? {
        let value = option ?? System.variable("FITIQ_UPSTREAM_" + name)
        guard let value else { return nil }
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .configuration(Messages.badUpstreamSecret(name))
        }
        return value
    }

    /// The credentials for the server; only a server on this machine gets those that every fake takes.
    private func credentials(isLocal: Bool) throws(Failure) -> Credentials {
        let development = isLocal ? DevelopmentCredentials.token(secret: DevelopmentCredentials.jwtSecret) : nil
        guard let token = try secret(token, "TOKEN") ?? development else {
            throw .configuration(Messages.noUpstreamToken)
        }
        return Credentials(token: token, apiKey: try secret(apiKey, "API_KEY") ?? DevelopmentCredentials.apiKey)
    }

    /// Whether the name leads to this machine and nowhere else.
    private static func isLocal(_ server: UpstreamURL) -> Bool {
        let addresses = try? SocketAddress.resolve(host: server.host, port: server.port)
        return addresses.map { !$0.isEmpty && $0.allSatisfy(\.isLoopback) } ?? false
    }

    private func ask(_ server: UpstreamURL) throws(Failure) {
        guard System.isTerminal(.input), System.isTerminal(.error) else {
            throw .configuration(Messages.mayNotAsk(server.description))
        }
        FitIQMock.printToStandardError(Messages.askBeforeConforming(server.description))
        guard ["y", "yes"].contains(readLine()?.lowercased() ?? "") else { throw .told(exitCode: 2) }
    }
}

/// A comparison under way: a proxy that records, and cases that are played through it.
struct ConformRun {
    let server: UpstreamURL
    let trust: TLSTrust
    let credentials: Credentials
    let freshToken: String?
    let mode: GuideMode
    let cases: [ContractCase]
    let pause: Duration
    let output: String?
    let progress: JobProgress?

    func run(_ wait: MainWait) throws(Failure) -> (report: ConformReport, signal: Int32?) {
        let path =
            output ?? "\(System.variable("TMPDIR") ?? "/tmp")/fitiq-mock-conform-\(CurrentProcess.identifier).har"
        let proxy = try RecordingProxy(server, trust, to: path)
        defer { if output == nil { unlink(path) } }
        let jobs = Jobs<ConformPlay.Outcome>(count: cases.count, wait.mailbox)
        let play = ConformPlay(pause: pause, recording: { try SessionFile.read(path).session }) {
            [url = proxy.url, credentials, freshToken, mode] in
            try FitIQClient(url: url, credentials: credentials) {
                $0.freshToken = freshToken
                $0.guide = mode
            }
        }
        let (cases, progress) = (cases, progress)
        do {
            try jobs.start(1) { Self.play(cases, play, jobs, progress) }
            let done = try jobs.finished(wait) {}
            proxy.stop()
            let session = try SessionFile.read(path).session
            let mode = mode
            var conformance = try Blocking.wait { try await Conformance(mode: mode) }
            let outcomes = done.outputs
            conformance.compare(session) { index in
                outcomes.last { $0.firstEntry <= index }?.address ?? ""
            }
            let report = ConformReport(
                upstream: server.description, conformance: conformance, cases: outcomes, incomplete: done.reason)
            return (report, done.signal)
        } catch let failure as Failure {
            proxy.stop()
            throw failure
        } catch {
            proxy.stop()
            throw .running("\(error)")
        }
    }

    private static func play(
        _ cases: [ContractCase], _ play: ConformPlay, _ jobs: Jobs<ConformPlay.Outcome>, _ progress: JobProgress?
    ) {
        while let index = jobs.take() {
            do {
                let contractCase = cases[index]
                guard let outcome = try Blocking.wait(for: { try await play.play(contractCase) }) else {
                    return jobs.end(.success(Messages.tooManyConformRequests))
                }
                jobs.finish(index, outcome)
                progress?.say(index, outcome.address, outcome.trouble ?? Messages.playedToItsEnd)
            } catch let failure as Failure {
                jobs.end(.failure(failure))
            } catch {
                jobs.end(.failure(.running("\(error)")))
            }
        }
    }
}

/// A proxy on a thread of its own that records into a file.
private final class RecordingProxy: Sendable {
    let url: String
    private let mailbox: Mailbox
    private let ended: Gate

    init(_ server: UpstreamURL, _ trust: TLSTrust, to path: String) throws(Failure) {
        do {
            let proxy = try ProxyHost(
                listeningOn: try SocketAddress(host: "127.0.0.1", port: 0), upstream: server, trust: trust)
            let tap = try SessionTap(
                SessionRecorder.Settings(creatorVersion: Version.current), to: path, existing: .replace,
                program: "comparison")
            proxy.tap = tap
            (url, mailbox, ended) = (proxy.loop.url, proxy.mailbox, try Gate())
            tap.write()
            try Self.serve(proxy, ended)
        } catch let error as StartError {
            throw .configuration(Messages.notStarted(error))
        } catch let error as FileError {
            throw .file(error)
        } catch {
            throw .running("\(error)")
        }
    }

    private static func serve(_ proxy: sending ProxyHost, _ ended: Gate) throws {
        try SystemThread.start {
            _ = try? proxy.run()
            _ = (proxy.tap as? SessionTap)?.finish(at: FitIQMock.now)
            ended.open()
        }
    }

    /// Ends the recording; the file is complete when it returns.
    func stop() {
        mailbox.requestStop()
        ended.wait()
    }
}
