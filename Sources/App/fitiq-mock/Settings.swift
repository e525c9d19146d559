import ArgumentParser
import CLibrary
import ContractSuite
import Faults
import FitIQBackend
import FitIQClient
import Judging
import MockServer
import Scenarios
import Sockets
import Text

/// A name that the command line and the environment share: `apiKey` is `--api-key` and `FITIQ_MOCK_API_KEY`.
///
/// These are the variables that commands read, or set for the commands that they start.
enum Setting: String, CaseIterable {
    case adminToken, adminUrl, allowOrigin, apiKey, certificate, clock, compression, cors, dataDir, email, exportOnExit
    case frames, freshToken, guide, host, ids, `import`, instant, jwtSecret, keepSecrets, key, logFormat, logLevel
    case match, network, node, noDefaultWorld, output, overlay, overwrite, password, port, prefix, publicUrl, readyFile
    case record, refreshToken, scenario, seed, speed, state, strictHeaders, tls, tlsPort, token, upstream, upstreamCa
    case url, watch, watchTraffic, wsUrl

    /// The name of the environment variable without its prefix.
    var name: String { words("_") { $0 & ~0x20 } }
    var variable: String { "FITIQ_MOCK_" + name }
    var option: String { "--" + words("-") { $0 | 0x20 } }

    /// Finds the setting of an option such as `--api-key`.
    init?(option: String) {
        let first = option.utf8.dropFirst(2).first
        // The first letter comes first, because each run of the program looks up several options.
        guard let setting = Self.allCases.first(where: { $0.rawValue.utf8.first == first && $0.option == option })
        else { return nil }
        self = setting
    }

    /// The words of the name, byte by byte, because it consists of ASCII letters and each run derives some fifty names.
    private func words(_ separator: Unicode.Scalar, _ change: (UInt8) -> UInt8) -> String {
        var words: [UInt8] = []
        for letter in rawValue.utf8 {
            if letter & 0x20 == 0 { words.append(UInt8(ascii: separator)) }
            words.append(change(letter))
        }
        return String(decoding: words, as: UTF8.self)
    }
}

/// Also reads options from the environment.
///
/// Each function returns the option's value, the environment's value, or nil.
enum Settings {
    static func text(_ option: String?, _ setting: Setting) -> String? { option ?? System.variable(setting.variable) }

    /// A message for each unknown variable in an environment whose name resembles a known name.
    static func strays(in environment: [String]) -> [String] {
        environment.compactMap { entry in
            let name = String(entry.prefix { $0 != "=" }.dropFirst("FITIQ_MOCK_".count))
            guard entry.hasPrefix("FITIQ_MOCK_"), !name.hasPrefix("TEST_") else { return nil }
            let known = Setting.allCases.map(\.name)
            return known.contains(name) ? nil : Messages.strayVariable(name, known: known)
        }
    }

    /// The value of an option that takes a number.
    static func number<Value: FixedWidthInteger>(
        _ option: Value?, _ setting: Setting, as kind: NumberKind<Value>
    ) throws(Failure) -> Value? {
        guard option == nil, let text = text(nil, setting) else { return option }
        guard let value = kind.value(of: text) else {
            throw .configuration(Messages.badEnvironment(setting, value: text, expected: kind.expectation))
        }
        return value
    }

    /// The value of an option that takes a non-empty string.
    static func nonEmpty(_ option: String?, _ setting: Setting) throws(Failure) -> String? {
        let value = text(option, setting)
        guard value != "" else { throw .configuration(Messages.empty(setting.option)) }
        return value
    }

    /// Describes the default of ``serverURL(_:)``.
    static let defaultServer = "(default: FITIQ_MOCK_URL, or \(Chat.defaultURL) with the port in FITIQ_MOCK_PORT)"

    /// The address of a server; the default is the server that the same environment would start, as in a container.
    static func serverURL(_ option: String?) throws(Failure) -> BaseURL {
        if let url = try nonEmpty(option, .url) { return try baseURL(url) }
        let port = try number(nil, .port, as: .port) ?? 0
        return try baseURL(port == 0 ? Chat.defaultURL : "http://127.0.0.1:\(port)")
    }

    static func baseURL(_ text: String) throws(Failure) -> BaseURL {
        try orFailure(try BaseURL(text)) { (error: ClientError) in .configuration(Messages.noPlainURL(error)) }
    }

    /// The value of an option that takes a header field's value, without control characters or surrounding spaces.
    static func fieldValue(_ option: String?, _ setting: Setting) throws(Failure) -> String? {
        guard let value = try nonEmpty(option, setting) else { return nil }
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), value.first != " ", value.last != " " else {
            throw .configuration(Messages.notAFieldValue(setting.option))
        }
        return value
    }

    /// The value of an option whose allowed words are the cases of an enumeration.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: String?, _ setting: Setting
    ) throws(Failure) -> Choice? { try choice(text(option, setting), of: setting.option) }

    /// The value of an option that has a fixed set of words and no environment variable.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String?, of label: String
    ) throws(Failure) -> Choice? {
        guard let text else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw .configuration(Messages.unknownChoice(label, text, allowed: Choice.allCases.map(\.rawValue)))
        }
        return choice
    }

    /// The value of an option that takes a real server's URL.
    static func upstream(_ option: String?) throws(Failure) -> UpstreamURL? {
        try nonEmpty(option, .upstream).map { (text) throws(Failure) in try upstreamURL(text) }
    }

    static func upstreamURL(_ text: String) throws(Failure) -> UpstreamURL {
        try orFailure(try UpstreamURL(text)) { (error: Refusal) in .configuration("\(error.description).") }
    }

    static func upstreamCredentials() throws(Failure) -> UpstreamCredentials {
        UpstreamCredentials(token: try upstreamSecret(nil, .token), apiKey: try upstreamSecret(nil, .apiKey))
    }

    /// A credential for a real server, from an option or a non-empty variable `FITIQ_UPSTREAM_` with this name.
    static func upstreamSecret(_ option: String?, _ setting: Setting) throws(Failure) -> String? {
        let variable = "FITIQ_UPSTREAM_" + setting.name
        guard let value = option ?? System.variable(variable), option != nil || !value.isEmpty else { return nil }
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .configuration(Messages.badUpstreamSecret(option == nil ? variable : setting.option))
        }
        return value
    }

    /// The value of an option that takes a network's name.
    static func network(_ option: String?) throws(Failure) -> NetworkProfile? {
        guard let name = text(option, .network) else { return nil }
        guard let profile = NetworkProfile.named(name) else {
            throw .configuration(Messages.unknownChoice("--network", name, allowed: NetworkProfile.all.map(\.name)))
        }
        return profile
    }

    /// The value of an option that takes the name of a node in a fleet.
    static func node(_ option: String?) throws(Failure) -> NodeName? {
        guard let text = text(option, .node) else { return nil }
        guard let name = NodeName(text) else { throw .configuration(Messages.notANode(text)) }
        return name
    }

    /// The value of an option that takes a reverse proxy's origin.
    static func publicOrigin(_ option: String?) throws(Failure) -> String? {
        guard let text = text(option, .publicUrl) else { return nil }
        guard let origin = WebOrigin(text.hasSuffix("/") ? String(text.dropLast()) : text), origin.isOfWeb else {
            throw .configuration(Messages.notPublicURL(text))
        }
        return origin.description
    }

    /// The names of all networks, as one string.
    static var networks: String { Words.list(NetworkProfile.all.map(\.name), last: "or") }

    /// The value of a flag: `1`, `true` or `yes`, `0`, `false` or `no`.
    static func flag(_ isSet: Bool, _ setting: Setting) throws(Failure) -> Bool {
        guard !isSet, let text = text(nil, setting) else { return isSet }
        switch text.lowercased() {
        case "1", "true", "yes": return true
        case "", "0", "false", "no": return false
        default: throw .configuration(Messages.badEnvironment(setting, value: text, expected: "1 or 0"))
        }
    }

    /// The values of an option that takes origins; in the environment, spaces or commas separate them.
    static func origins(_ options: [String], _ setting: Setting = .allowOrigin) throws(Failure) -> Set<AllowedOrigin> {
        var texts = options
        if texts.isEmpty, let text = text(nil, setting) {
            texts = text.split { $0 == " " || $0 == "," }.map(String.init)
            guard !texts.isEmpty else { throw .configuration(Messages.empty(setting.option)) }
        }
        var origins: Set<AllowedOrigin> = []
        for text in texts {
            guard let origin = AllowedOrigin(text) else {
                throw .configuration(Messages.notAnOrigin(text, of: setting.option))
            }
            origins.insert(origin)
        }
        return origins
    }
}

/// The network and compression between a client and its worlds, for `verify`, `explore` and `test-client`.
struct WireOptions: ParsableArguments {
    @Option(
        "Let web pages from this origin change data and open WebSockets, as with serve; may be repeated.", "origin",
        name: .customLong("allow-origin"))
    var allowedOrigins: [String] = []

    @Option("Like --allow-origin, and also let these pages read the answers.", "origin")
    var cors: [String] = []

    @Option("The network for worlds whose scenario sets none: \(Settings.networks). (default: none)", "name", .networks)
    var network: String?

    @Option(
        "Compression in worlds whose scenario does not set it: off, on or required. (default: off)", "mode",
        .values(of: Compression.self))
    var compression: String?

    func apply(to configuration: inout Engine.Configuration) throws(Failure) {
        configuration.allowedOrigins = try Settings.origins(allowedOrigins)
        configuration.readingOrigins = try Settings.origins(cors, .cors)
        configuration.scenario.network = try Settings.network(network)
        configuration.scenario.rules.compression = try Settings.choice(compression, .compression)
    }

    /// The options as the user gave them.
    var words: [String] {
        var words: [String] = []
        for origin in allowedOrigins { words += ["--allow-origin", origin.shellQuoted] }
        for origin in cors { words += ["--cors", origin.shellQuoted] }
        if let network { words += ["--network", network] }
        if let compression { words += ["--compression", compression] }
        return words
    }
}

/// A range of whole numbers for an option, and its description in messages.
struct NumberKind<Value: FixedWidthInteger & Sendable>: Sendable {
    let name: String
    let range: ClosedRange<Value>

    var expectation: String { "\(name) from \(range.lowerBound) to \(range.upperBound)" }

    func value(of text: String) -> Value? { Value(text).flatMap { range.contains($0) ? $0 : nil } }

    /// Parses a value, for an option's `transform`.
    func parse(_ text: String) throws -> Value {
        guard let value = value(of: text) else { throw ValidationError(Messages.badNumber(expected: expectation)) }
        return value
    }
}

extension NumberKind<UInt16> {
    static let port = NumberKind(name: "a port", range: 0...65535)
}

extension NumberKind<UInt64> {
    static let seed = NumberKind(name: "a whole number", range: 0...UInt64.max)
}

/// A CI service that displays marked lines of a program's output.
enum AnnotationService: String, CaseIterable, ExpressibleByArgument { case github }

/// The report and known-failure options of every command that judges a client.
struct ReportOptions: ParsableArguments {
    @Option("Write the report as JUnit XML to this file.", "file", .file())
    var junit: String?

    @Option("Write the report as JSON to this file.", "file", .file())
    var json: String?

    @Option("Write the report as Markdown to this file, for a CI job's summary.", "file", .file())
    var markdown: String?

    @Flag(
        help: """
            Shorten standard output and the JSON: only the broken obligations, their runs, the first piece of \
            evidence, and how to fix them.
            """)
    var summary = false

    @Option("Also print annotations for a CI service, after the report: github.", "service")
    var annotations: AnnotationService?

    @Option(
        "A file whose lines have the form 'OBLIGATION' or 'SCENARIO OBLIGATION': a listed obligation does not "
            + "fail the run if it is broken, and fails the run if it is kept.", "file", .file())
    var knownBroken: String?
    static let knownBrokenLimit = 1 << 20

    func validate() throws {
        for (name, value) in [
            ("--junit", junit), ("--json", json), ("--markdown", markdown), ("--known-broken", knownBroken),
        ] where value == "" { throw ValidationError(Messages.empty(name)) }
    }

    /// Reads the known failures and checks that reports can be written.
    ///
    /// Call it before running anything.
    ///
    /// - Parameters:
    ///   - checks: the addresses of the checks in the command's reports.
    ///   - scenarios: the names of the known scenarios, or empty if the command's runs have other names.
    ///   - others: the paths of other files that the command writes at the end.
    func begin(
        checks: [String] = [], scenarios: [String] = [], writing others: [String?] = []
    ) throws(Failure) -> KnownBroken {
        for path in ([junit, json, markdown] + others).compactMap({ $0 }) {
            try orFailure(try WholeFile.check(path), Failure.unwritten)
        }
        return try Self.knownBroken(in: knownBroken, checks: checks, scenarios: scenarios)
    }

    /// The addresses of the checks in all commands' reports, so that one list serves all commands.
    private static var allChecks: [String] {
        // A scenario of the user's may have any name.
        VerifyRun.checks + [VerifyAgainst.address("")] + Symptom.ids
            + ContractCase.all.map(\.address) + Conformance.addresses
    }

    static func knownBroken(
        in path: String?, checks: [String], scenarios: [String] = []
    ) throws(Failure) -> KnownBroken {
        guard let path else { return .none }
        let bytes = try InputFile.read(path, limit: knownBrokenLimit, orInherited: true)
        return try orFailure(
            try KnownBroken(reading: bytes, checks: checks, others: allChecks, scenarios: scenarios, file: path)
        ) { (error: Refusal) in .configuration(Messages.mistakes(in: path, error.message)) }
    }

    /// Prints the report, writes the requested files, and throws if the exit code is not zero.
    ///
    /// - Parameters:
    ///   - page: another file and its contents.
    ///   - signal: the signal that interrupted the run, which determines the exit code.
    func tell(
        _ report: Report, knownBroken: KnownBroken, page: (path: String, bytes: [UInt8])? = nil, signal: Int32? = nil
    ) throws(Failure) {
        let short = summary ? VerdictSummary(report, knownBroken: knownBroken) : nil
        let text =
            short?.text
            ?? TerminalReport(
                report, knownBroken: knownBroken, usesColor: System.usesColor,
                width: System.isTerminal(.output) ? Terminal.columns : nil
            ).text
        draw(text)
        if annotations == .github { print(GitHubAnnotations(report, knownBroken: knownBroken).text, terminator: "") }
        StandardOutput.flush()
        do throws(FileError) {
            if let junit { try WholeFile.write(JUnitReport(report, knownBroken: knownBroken).bytes, to: junit) }
            if let json {
                try WholeFile.write(short?.bytes ?? JSONReport(report, knownBroken: knownBroken).bytes, to: json)
            }
            if let markdown {
                try WholeFile.write(MarkdownReport(report, knownBroken: knownBroken).bytes, to: markdown)
            }
            if let page { try WholeFile.write(page.bytes, to: page.path) }
        } catch {
            // The verdict on the client has already been printed.
            throw .unwritten(error)
        }
        if let signal { throw .interrupted(by: signal, isReported: true) }
        let exitCode = report.outcome(knownBroken: knownBroken).exitCode
        guard exitCode == 0 else { throw .told(exitCode: exitCode) }
    }
}
