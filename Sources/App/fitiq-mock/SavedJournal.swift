import FitIQAPI
import JSON
import Judging
import Traffic

/// A journal that is judged while it is read, each world separately; a recorded session counts as one world.
///
/// The memory per world does not grow with the journal.
struct SavedJournal {
    /// The most worlds judged at once.
    static let worldLimit = 1000

    /// The journal's name, for messages; it also stands for a world without a name.
    let name: String
    let mode: GuideMode
    /// The world to judge; nil for all.
    let world: ExactString?

    /// What the entries contain beyond requests, answers and messages.
    private var evidence = Evidence.all
    private var reader = JournalReader()
    /// The worlds in the order of their first entries, and the index of each.
    private var worlds: [World] = []
    private var places: [ExactString: Int] = [:]
    /// The index of the last entry's world: lines of one world mostly follow each other.
    private var lastPlace = 0
    /// The worlds that are not judged, as far as a message needs them.
    private var otherWorlds: Set<ExactString> = []
    /// The last line, if it was cut off.
    private var unfinished: JournalError?

    private struct World {
        let name: ExactString
        var judge: Judge
        let startedAt: Timestamp
        var hasConnected = false
    }

    init(name: String, mode: GuideMode, world: String? = nil) {
        self.name = name
        self.mode = mode
        self.world = world.map(ExactString.init(_:))
    }

    /// Judges the complete lines of more bytes.
    mutating func receive(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        reader.receive(bytes)
        while let line = try next() { try judge(line) }
    }

    /// Judges the last line, if it has no line end; returns a note if it was cut off.
    mutating func finish() throws(Failure) -> String? {
        reader.finish()
        while let line = try next() { try judge(line) }
        return unfinished?.description
    }

    /// Judges a session, whose entries are in order.
    mutating func judge(_ session: SessionJournal) throws(Failure) {
        if !session.tellsSocketEnds { evidence.subtract([.controlFrames, .socketEnds]) }
        if !session.tellsCredentials { evidence.remove(.credentials) }
        for line in session.lines {
            if let problem = problem(judging: line.entry, of: line.world) {
                throw .configuration(Messages.inFile(name, problem))
            }
        }
    }

    private mutating func next() throws(Failure) -> JournalReader.Line? {
        do throws(JournalError) {
            return try reader.next()
        } catch {
            guard error.isUnfinished else { throw .configuration(Messages.inFile(name, error.description)) }
            unfinished = error
            return nil
        }
    }

    /// The report; a journal without entries counts as one to which no client connected.
    func report() throws(Failure) -> Report {
        if let world, worlds.isEmpty, !otherWorlds.isEmpty {
            throw .configuration(
                Messages.inFile(name, Messages.noSuchWorld(world.text, others: otherWorlds.sorted().map(\.text))))
        }
        var report = Report(title: Messages.judgement(of: name))
        report.runs = worlds.map { world in
            Report.Run(
                scenario: world.name.text, mode: mode, startedAt: world.startedAt, hasConnected: world.hasConnected,
                verdicts: world.judge.verdicts(), exposures: world.judge.exposures,
                missedCount: world.judge.missedCount)
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

    private mutating func judge(_ line: JournalReader.Line) throws(Failure) {
        guard let problem = problem(judging: line.entry, of: line.world) else { return }
        throw .configuration(Messages.inFile(name, Messages.inLine(line.number, problem)))
    }

    /// Judges an entry; returns the problem with it, if any.
    private mutating func problem(judging entry: JournalEntry, of world: ExactString?) -> String? {
        let id = world ?? ExactString(name)
        if let chosen = self.world, chosen != id {
            if otherWorlds.count < Self.worldLimit { otherWorlds.insert(id) }
            return nil
        }
        if lastPlace >= worlds.count || worlds[lastPlace].name != id {
            if let place = places[id] {
                lastPlace = place
            } else {
                guard worlds.count < Self.worldLimit else { return Messages.tooManyWorlds(limit: Self.worldLimit) }
                lastPlace = worlds.count
                places[id] = lastPlace
                worlds.append(World(name: id, judge: Judge(mode: mode, evidence: evidence), startedAt: entry.time))
            }
        }
        let last = worlds[lastPlace].judge.lastNumber
        guard entry.number > last else {
            return Messages.disorderedEntry(entry.number, after: last, world: id.text)
        }
        switch entry.event.kind {
        case .exchange, .opened, .frame: worlds[lastPlace].hasConnected = true
        case .closed, .fault, .clock, .note: break
        }
        worlds[lastPlace].judge.observe(entry)
        return nil
    }
}
