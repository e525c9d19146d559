import ArgumentParser
import FitIQAPI
import Recording
import Reports

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

struct JudgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract: "Judge a client by a saved journal: which obligations it kept, broke or was never made to face.",
        discussion: """
            The journal is what GET /__admin/journal gave. Where it holds several worlds, each is judged on its own. A \
            last line that was cut off is left out.

            Exit codes: 0 every must that was faced is kept, 1 one is broken, or what is known to be broken is kept, 2 usage, \
            or the journal is none, 3 a report cannot be written, 4 no client ever connected.
            """)

    @Argument(help: ArgumentHelp("The journal, in NDJSON; - for standard input.", valueName: "journal"))
    var journal: String

    @Option(
        help: ArgumentHelp(
            "Judge by what one guide asks, such as consultation-websocket. (default: union, which is all)",
            valueName: "name"))
    var guide: String?

    @Option(help: ArgumentHelp("Judge only the world with this id.", valueName: "id"))
    var world: String?

    @OptionGroup var reports: ReportOptions

    func run() throws {
        let mode = try guideMode()
        let knownBroken = try reports.readKnownBroken()
        let name = journal == "-" ? Messages.standardInput : journal
        var saved = SavedJournal(name: name, mode: mode, world: world)
        try read(name) { (bytes) throws(Failure) in try saved.receive(bytes) }
        if let note = try saved.finish() { FitIQMock.printError(Messages.inFile(name, note)) }
        try reports.tell(try saved.report(), knownBroken: knownBroken)
    }

    private func guideMode() throws(Failure) -> GuideMode {
        guard let guide else { return .union }
        guard let mode = GuideMode(rawValue: guide) else { throw .configuration(Messages.unknownGuide(guide)) }
        return mode
    }

    /// Hands over the bytes of the journal as they come, so that its size does not matter.
    private func read(_ name: String, _ body: (ArraySlice<UInt8>) throws(Failure) -> Void) throws(Failure) {
        func unreadable() -> Failure {
            .configuration(Messages.unreadable(name, reason: String(cString: strerror(errno))))
        }
        let descriptor = journal == "-" ? STDIN_FILENO : open(journal, O_RDONLY)
        guard descriptor >= 0 else { throw unreadable() }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var chunk = [UInt8](repeating: 0, count: 256 * 1024)
        while true {
            let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable() }
            guard count > 0 else { return }
            try body(chunk[..<count])
        }
    }
}

/// read(2): the method of that name hides it.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
