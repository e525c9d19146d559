import ArgumentParser
import FitIQAPI
import Judging
import Sockets
import Traffic

struct JudgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract:
            "Judge a client by a saved journal or a recorded session: which obligations it kept, broke or was never made "
            + "to face.",
        discussion: """
            The journal is what GET /__admin/journal gave. The session is a HAR, recorded by 'fitiq-mock record' or \
            'serve --record', or saved by Chrome, Firefox, mitmproxy or Playwright; which of both a file is, its content \
            tells. Where there are several worlds, each is judged on its own. What was cut off at the end is left out.

            What a session does not tell, nobody is blamed for. Other programs record no control frames and no ends of \
            WebSockets, so what needs those is not exercised: keeping alive, closing, reconnecting, one socket at a \
            time, no polling while connected. Nor are credentials judged in a recording that has none. A user is who \
            the token names, else whoever has the token; tokens that were let at the same consultation, goal or meal log \
            are one user's. A session shows no faults: a client that gave up a silent server is judged by what it did.

            Exit codes: 0 every must that was faced is kept, 1 one is broken, or what is known to be broken is kept, 2 usage, \
            or the file is neither, 3 a report cannot be written, 4 no client ever connected.
            """)

    @Argument(
        help: ArgumentHelp("The journal, in NDJSON, or the session, a HAR; - for standard input.", valueName: "file"))
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
        var file = JudgedFile(name: name, mode: mode, world: world)
        try read(name) { (bytes) throws(Failure) in try file.receive(bytes) }
        let notes = try file.finish { [journal] in journal == "-" ? nil : SessionFile.attachment($0, of: journal) }
        for note in notes { FitIQMock.printError(Messages.inFile(name, note)) }
        try reports.tell(try file.report(), knownBroken: knownBroken)
    }

    private func guideMode() throws(Failure) -> GuideMode {
        guard let guide else { return .union }
        guard let mode = GuideMode(rawValue: guide) else { throw .configuration(Messages.unknownGuide(guide)) }
        return mode
    }

    /// Reads the journal piece by piece, so that its size does not matter.
    private func read(_ name: String, _ body: (ArraySlice<UInt8>) throws(Failure) -> Void) throws(Failure) {
        do {
            let reader =
                journal == "-" ? FileReader(standardInputNamed: name) : try FileReader(journal, orInherited: true)
            while true {
                let bytes = try reader.read(atMost: 256 * 1024)
                guard !bytes.isEmpty else { return }
                try body(bytes[...])
            }
        } catch let error as FileError {
            throw .configuration(error.description + ".")
        } catch let failure as Failure {
            throw failure
        } catch {
            preconditionFailure("Neither reading nor judging throws anything else: \(error)")
        }
    }
}

/// The input of 'judge': a journal, judged while it is read, or a recorded session, judged once it is complete.
struct JudgedFile {
    private let name: String
    private var saved: SavedJournal
    private var sniffer = SessionSniffer()
    /// The bytes read before the kind was certain, and all of a session.
    private var held: [UInt8] = []

    init(name: String, mode: GuideMode, world: String? = nil) {
        self.name = name
        saved = SavedJournal(name: name, mode: mode, world: world)
    }

    mutating func receive(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        if sniffer.kind == .journal { return try saved.receive(bytes) }
        sniffer.look(at: bytes)
        held += bytes
        switch sniffer.kind {
        case .session:
            let limit = HARLimits().bytes
            guard held.count <= limit else { throw .configuration(Messages.tooLarge(name, limit: limit)) }
        // No line of a journal is that long: its reader reports it.
        case nil where held.count <= JournalReader.lineLimit: break
        case .journal, nil:
            let first = held
            held = []
            try saved.receive(first[...])
        }
    }

    /// Judges the rest; returns notes on what the file lacks.
    mutating func finish(attachment: @escaping (String) -> [UInt8]?) throws(Failure) -> [String] {
        guard sniffer.kind == .session else {
            if !held.isEmpty { try saved.receive(held[...]) }
            return try saved.finish().map { [$0] } ?? []
        }
        let file: HARFile
        do throws(HARError) {
            file = try HARFile(reading: held, attachment: attachment)
        } catch {
            throw .configuration(Messages.inFile(name, Messages.sentence(error.description)))
        }
        held = []
        try saved.judge(SessionJournal(file))
        return file.notes.map { Messages.sentence($0.description) }
    }

    func report() throws(Failure) -> Report { try saved.report() }
}
