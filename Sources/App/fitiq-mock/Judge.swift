import ArgumentParser
import FitIQAPI
import JSON
import Judging
import Sockets
import Text
import Traffic

struct JudgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract:
            "Report which obligations a client kept, broke or never exercised, from a saved journal or a recorded "
            + "session.",
        discussion: """
            The journal is the answer to GET /__admin/journal. The session is a HAR, recorded by 'fitiq-mock record' \
            or 'serve --record', or saved by Chrome, Firefox, mitmproxy or Playwright; the file's content determines \
            which it is. If there are several worlds, the command judges each separately. It ignores a truncated last \
            line.

            A client is never blamed for anything that a session does not show. Other programs do not record control \
            frames or how WebSockets end, so these obligations are not exercised: keeping alive, closing, \
            reconnecting, one socket at a time, no polling while connected. If a recording has no credentials, the \
            command does not judge the obligations concerning credentials. A token that contains a user's id \
            identifies that user, and any other token counts as a user; tokens accepted for the same consultation, \
            goal or meal log belong to one user. A session does not show faults, so the command takes a server's \
            silence at face value when it judges the client's reaction.

            Exit codes: 0 the client kept every must that it exercised, 1 a must is broken, or an obligation that \
            --known-broken lists is kept, 2 usage error, or the file is neither a journal nor a HAR, 3 a report could \
            not be written, 4 no client ever connected.
            """)

    @Argument(
        help: .init("The journal (NDJSON) or the session (HAR); - for standard input.", valueName: "file"),
        completion: .file())
    var journal: String

    @Option("Judge against one guide, such as consultation-websocket. (default: union, all guides)", "name", .guides)
    var guide: String?

    @Option("Judge only the world with this id.", "id", .judgedWorlds)
    var world: String?

    @Option("The prefix of the API paths in a session, such as /prod.", "path")
    var prefix: String?

    @OptionGroup var reports: ReportOptions

    @OptionGroup var page: PageOption

    func run() throws {
        let mode: GuideMode = try Settings.choice(guide, of: "--guide") ?? .union
        let knownBroken = try reports.begin(writing: [page.html])
        let name = journal == "-" ? "standard input" : journal
        let shown = page.journal
        let prefix = try SessionFile.prefix(prefix)
        var file = JudgedFile(name: name, mode: mode, world: world, prefix: prefix, journal: shown)
        try Self.read(journal, name) { (bytes) throws(Failure) in try file.receive(bytes) }
        let notes = try file.finish { [journal] in journal == "-" ? nil : SessionFile.attachment($0, of: journal) }
        for note in notes { FitIQMock.printError(Messages.inFile(name, note)) }
        let report = try file.report()
        try reports.tell(report, knownBroken: knownBroken, page: page.file(report, shown, knownBroken))
    }

    /// The worlds in a file, which are not judged; standard input is not read.
    static func worlds(in path: String) throws(Failure) -> [String] {
        guard path != "-" else { return [] }
        // No world has an empty ID, so this only collects the worlds' names.
        var file = JudgedFile(name: path, mode: .union, world: "")
        try read(path, path) { (bytes) throws(Failure) in try file.receive(bytes) }
        _ = try file.finish { _ in nil }
        return file.otherWorlds
    }

    /// Reads the journal in pieces, so that its size does not matter.
    private static func read(
        _ journal: String, _ name: String, _ body: (ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let reader =
            journal == "-"
            ? FileReader(standardInputNamed: name)
            : try orFailure(try FileReader(journal, orInherited: true), Failure.file)
        while true {
            let bytes = try orFailure(try reader.read(atMost: 256 * 1024), Failure.file)
            guard !bytes.isEmpty else { return }
            try body(bytes[...])
        }
    }
}

/// The input of 'judge': a journal, judged while it is read, or a recorded session, judged when it is complete.
///
/// Each world is judged separately. A session counts as one world. A longer journal needs no more memory per world.
struct JudgedFile {
    static let worldLimit = 1000
    /// The file's name in messages, which also serves as an unnamed world's name.
    private let name: String
    private let mode: GuideMode
    /// The world to judge, or nil for all.
    private let world: ExactString?
    /// The prefix of the API's paths in a session.
    private let prefix: PathPrefix?
    /// Collects the judged entries for a page, if there is one.
    private let journal: ReportJournal?
    private var sniffer = SessionSniffer()
    /// The bytes read before the file's kind was known, or all bytes of a session.
    private var held: [UInt8] = []
    /// What evidence the entries contain besides requests, answers and messages.
    private var evidence = Evidence.all
    private var reader = JournalReader()
    /// The worlds in the order of their first entries, and the index of each one.
    private var worlds: [World] = []
    private var places: [ExactString: Int] = [:]
    /// The index of the last entry's world; consecutive lines usually belong to the same world.
    private var lastPlace = 0
    /// The worlds that are not judged, for a message that lists them.
    private var others: Set<ExactString> = []
    var otherWorlds: [String] { others.sorted().map(\.text) }

    private struct World {
        let name: ExactString
        var judge: Judge
        let startedAt: Timestamp
        var hasConnected = false
    }

    init(
        name: String, mode: GuideMode, world: String? = nil, prefix: PathPrefix? = nil, journal: ReportJournal? = nil
    ) {
        (self.name, self.mode, self.prefix, self.journal) = (name, mode, prefix, journal)
        self.world = world.map(ExactString.init(_:))
    }

    mutating func receive(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        if sniffer.kind != .journal {
            sniffer.look(at: bytes)
            held += bytes
            let limit = HARLimits().bytes
            if sniffer.kind == .session, held.count > limit {
                throw .configuration(Messages.tooLarge(name, limit: limit))
            }
            // The journal reader reports a line of this length.
            let isOpen = sniffer.kind == nil && held.count <= JournalReader.lineLimit
            if sniffer.kind == .session || isOpen { return }
        }
        reader.receive(held.isEmpty ? bytes : held[...])
        held = []
        _ = try judgeLines()
    }

    /// Judges the rest of the file; returns notes on what is missing from the file.
    mutating func finish(attachment: @escaping (String) -> [UInt8]?) throws(Failure) -> [String] {
        guard sniffer.kind == .session else {
            guard prefix == nil else { throw .configuration(Messages.inFile(name, Messages.prefixOfJournal)) }
            reader.receive(held[...])
            // The last line may lack a line end.
            reader.finish()
            return try judgeLines().map { [$0.description] } ?? []
        }
        let file = try orFailure(try HARFile(reading: held, attachment: attachment)) { (error: Refusal) in
            .configuration(Messages.inFile(name, Messages.sentence(error.description)))
        }
        held = []
        let session = SessionJournal(file, prefix: prefix)
        evidence = session.evidence
        for line in session.lines { try judge(line.entry, of: line.world) { $0 } }
        let notes = file.notes.map { Messages.sentence($0.description) }
        return session.stranger.map { notes + [Messages.noCall(among: file.session.entries.count, $0)] } ?? notes
    }

    /// Judges the complete lines; returns the mistake in a truncated last line, if any.
    private mutating func judgeLines() throws(Failure) -> Refusal? {
        while true {
            let next: JournalReader.Line?
            do throws(Refusal) {
                next = try reader.next()
            } catch {
                guard reader.isUnfinished else { throw .configuration(Messages.inFile(name, error.description)) }
                return error
            }
            guard let line = next else { return nil }
            try judge(line.entry, of: line.world) { "line \(line.number): \($0)" }
        }
    }

    /// The report; an empty journal is treated as if no client had connected.
    func report() throws(Failure) -> Report {
        if let world, worlds.isEmpty, !others.isEmpty {
            throw .configuration(Messages.inFile(name, Messages.noSuchWorld(world.text, others: otherWorlds)))
        }
        var report = Report(title: Messages.judgement(of: name))
        report.runs = worlds.map { world in
            Report.Run(
                scenario: world.name.text, mode: mode, startedAt: world.startedAt, hasConnected: world.hasConnected,
                verdicts: world.judge.verdicts(), exposures: world.judge.exposures,
                coverage: world.judge.coverage, missedCount: world.judge.missedCount)
        }
        if worlds.isEmpty {
            let judge = Judge(mode: mode, evidence: evidence)
            report.runs = [
                Report.Run(
                    scenario: world?.text ?? name, mode: mode, hasConnected: false, verdicts: judge.verdicts(),
                    exposures: judge.exposures)
            ]
        }
        return report
    }

    /// Judges an entry.
    ///
    /// - Parameter placed: adds the entry's position to a problem with it.
    private mutating func judge(
        _ entry: JournalEntry, of world: ExactString?, placed: (String) -> String
    ) throws(Failure) {
        let id = world ?? ExactString(name)
        if let chosen = self.world, chosen != id {
            if others.count < Self.worldLimit { others.insert(id) }
            return
        }
        if lastPlace >= worlds.count || worlds[lastPlace].name != id {
            if let place = places[id] {
                lastPlace = place
            } else {
                guard worlds.count < Self.worldLimit else {
                    throw .configuration(Messages.inFile(name, placed(Messages.tooManyWorlds(limit: Self.worldLimit))))
                }
                lastPlace = worlds.count
                places[id] = lastPlace
                worlds.append(World(name: id, judge: Judge(mode: mode, evidence: evidence), startedAt: entry.time))
            }
        }
        let last = worlds[lastPlace].judge.lastNumber
        guard entry.number > last else {
            let problem = Messages.disorderedEntry(entry.number, after: last, world: id.text)
            throw .configuration(Messages.inFile(name, placed(problem)))
        }
        if [.exchange, .opened, .frame].contains(entry.event.kind) { worlds[lastPlace].hasConnected = true }
        worlds[lastPlace].judge.observe(entry)
        journal?.append(entry, of: id.text)
    }
}
