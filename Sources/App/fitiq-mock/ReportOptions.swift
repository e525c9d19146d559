import ArgumentParser
import Judging
import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The report's destination and the known failures: options of every command that judges a client.
struct ReportOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write the report as JUnit XML to this file.", valueName: "file"))
    var junit: String?

    @Option(help: ArgumentHelp("Write the report as JSON to this file.", valueName: "file"))
    var json: String?

    @Option(
        help: ArgumentHelp("Write the report as Markdown to this file, for a CI job's summary.", valueName: "file"))
    var markdown: String?

    @Option(
        help: ArgumentHelp(
            """
            A file of lines 'OBLIGATION' or 'SCENARIO OBLIGATION': what is listed and broken does not fail the run, what \
            is listed and kept does.
            """, valueName: "file"))
    var knownBroken: String?

    /// The most bytes of a list of known failures.
    static let knownBrokenLimit = 1 << 20

    func validate() throws {
        for (name, value) in [
            ("--junit", junit), ("--json", json), ("--markdown", markdown), ("--known-broken", knownBroken),
        ] where value == "" {
            throw ValidationError(Messages.empty(name))
        }
    }

    /// Reads the known failures; call it before running anything, since a mistake in the list is a usage error.
    ///
    /// - Parameter checks: the addresses of all contract cases.
    func readKnownBroken(checks: [String] = []) throws(Failure) -> KnownBroken {
        guard let knownBroken else { return .none }
        let bytes = try InputFile.read(knownBroken, limit: Self.knownBrokenLimit, orInherited: true)
        do throws(KnownBrokenErrors) {
            return try KnownBroken(reading: bytes, checks: checks)
        } catch {
            throw .configuration(Messages.mistakes(in: knownBroken, error.description(file: knownBroken)))
        }
    }

    /// Prints the report, writes the requested files, and throws a nonzero exit code.
    func tell(_ report: Report, knownBroken: KnownBroken) throws(Failure) {
        let usesColor = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
        print(TerminalReport(report, knownBroken: knownBroken, usesColor: usesColor).text, terminator: "")
        StandardOutput.flush()
        do throws(FileError) {
            if let junit { try WholeFile.write(JUnitReport(report, knownBroken: knownBroken).bytes, to: junit) }
            if let json { try WholeFile.write(JSONReport(report, knownBroken: knownBroken).bytes, to: json) }
            if let markdown {
                try WholeFile.write(MarkdownReport(report, knownBroken: knownBroken).bytes, to: markdown)
            }
        } catch {
            // The client was judged already.
            throw .running(error.description + ".")
        }
        let exitCode = report.outcome(knownBroken: knownBroken).exitCode
        guard exitCode == 0 else { throw .told(exitCode: exitCode) }
    }
}

extension Failure {
    /// The failure is described in a report.
    static func told(exitCode: Int) -> Failure { Failure(message: "", exitCode: Int32(exitCode)) }
}
