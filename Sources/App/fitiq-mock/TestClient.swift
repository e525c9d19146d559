import ArgumentParser
import ContractSuite
import FitIQAPI
import Judging
import MockServer
import Sockets
import Text
import Traffic

struct TestClient: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-client",
        abstract: "Check a client in any language from both ends: what its user sees, and what the server sees.",
        usage: "fitiq-mock test-client [<options>] -- <adapter> ...",
        discussion: """
            The adapter is a program that drives the client: it reads commands from its standard input and answers on its \
            standard output, one JSON object a line. Fixtures/adapters/README.md specifies them.

            Exit codes: 0 every case passed, 1 a case failed or a must is broken, 2 usage or configuration, 3 the harness \
            failed, 4 the client never connected, 130 Ctrl-C.
            """)

    @Option(
        name: .customLong("case"),
        help: ArgumentHelp(
            "Only this case, or those below the address: consultation, consultation/create; may be repeated.",
            valueName: "address"))
    var cases: [String] = []

    @Flag(help: "List the cases, and run none.")
    var list = false

    @Option(help: ArgumentHelp("Only the cases in which this guide's answers are given.", valueName: "name"))
    var guide: String?

    @Flag(help: "Fail a case in which the client did not face what it is meant to.")
    var strict = false

    @Flag(help: "Show every line that the adapter is sent (>) and answers (<), on standard error.")
    var trace = false

    @OptionGroup var origins: OriginOptions

    @OptionGroup var reports: ReportOptions

    @Flag(help: "Say nothing while the cases run.")
    var quiet = false

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The adapter and its arguments.", valueName: "adapter"))
    var command: [String] = []

    func run() throws {
        let selected = try CaseSelection.cases(prefixes: cases, guide: guide)
        if list {
            print(ListScenarios.table(selected.map { ($0.address, $0.title) }))
            return
        }
        guard let program = command.first, !program.isEmpty else {
            throw Failure.configuration(Messages.noCommand("test-client", example: Messages.testClientExample))
        }
        let origins = try origins.read()
        let knownBroken = try reports.readKnownBroken(checks: ContractCase.all.map(\.address))
        let watch = try CommandWatch()
        let adapter = ProcessAdapter(command, trace: trace ? Self.show : nil)
        let run = TestClientRun(
            adapter: adapter, server: try Harness.startServer(allowing: origins), cases: selected, isStrict: strict,
            progress: quiet ? nil : TestClientProgress(count: selected.count))
        let results = try run.wait(watch)
        try reports.tell(
            Report(title: command.map(\.shellQuoted).joined(separator: " "), results: results),
            knownBroken: knownBroken)
    }

    private static let show: AdapterTrace = { direction, line in
        FitIQMock.printToStandardError(told(direction, line))
    }

    /// A complete line of the trace, with terminal control characters made harmless.
    static func told(_ direction: AdapterTraceDirection, _ line: ArraySlice<UInt8>) -> String {
        "\(direction == .sent ? ">" : "<") \(String(decoding: line, as: UTF8.self).onOneLine(limit: .max))\n"
    }
}

/// The selection of cases.
enum CaseSelection {
    /// The cases below one of the addresses, for the given guide; a word that selects nothing is a mistake.
    static func cases(prefixes: [String], guide: String?) throws(Failure) -> [ContractCase] {
        let all = ContractCase.all
        for prefix in prefixes where !all.contains(where: { $0.isSelected(by: prefix) }) {
            let near = NearestWord.find(prefix, among: all.flatMap { beginnings(of: $0.address) })
            throw .configuration(Messages.unknownCase(prefix, nearest: near))
        }
        var mode: GuideMode?
        if let guide {
            guard let known = GuideMode(rawValue: guide) else { throw .configuration(Messages.unknownGuide(guide)) }
            mode = known
        }
        let selected = all.filter { contractCase in
            (prefixes.isEmpty || prefixes.contains { contractCase.isSelected(by: $0) })
                && (mode == nil || (contractCase.guide ?? .union) == mode)
        }
        guard !selected.isEmpty else { throw .configuration(Messages.noCaseOfGuide(guide ?? "")) }
        return selected
    }

    /// What selects a case: `chat`, `chat/answer` and `chat/answer/as-scripted`.
    private static func beginnings(of address: String) -> [String] {
        let parts = address.split(separator: "/")
        return parts.indices.map { parts[...$0].joined(separator: "/") }
    }
}
