import FitIQAPI
import Recording
import Reports
import Sessions

/// What 'judge' reads: a journal, which is judged as it comes, or a recorded session, which has to be read whole before.
struct JudgedFile {
    private let name: String
    private var saved: SavedJournal
    private var sniffer = SessionSniffer()
    /// What came before it was certain what it is, and all of a session.
    private var held: [UInt8] = []

    /// Judges nothing yet.
    init(name: String, mode: GuideMode, world: String? = nil) {
        self.name = name
        saved = SavedJournal(name: name, mode: mode, world: world)
    }

    /// Takes more bytes.
    mutating func receive(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        if sniffer.kind == .journal { return try saved.receive(bytes) }
        sniffer.look(at: bytes)
        held += bytes
        switch sniffer.kind {
        case .session:
            let limit = HARLimits().bytes
            guard held.count <= limit else { throw .configuration(Messages.tooLarge(name, limit: limit)) }
        // No line of a journal is so long: its reader says so.
        case nil where held.count <= JournalReader.lineLimit: break
        case .journal, nil:
            let first = held
            held = []
            try saved.receive(first[...])
        }
    }

    /// Judges what is left; gives notes on what the file lacks.
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

    /// What came of it.
    func report() throws(Failure) -> Report { try saved.report() }
}
