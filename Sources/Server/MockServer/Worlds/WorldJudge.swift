import FitIQAPI
import Obligations
import Recording

/// Who judges the client of a world, fed with its journal as that grows.
struct WorldJudge: Sendable {
    private var judge: Judge
    private var observedCount = 0
    private var unmatchedCount = 0
    private var hasConnected = false
    /// The number of the last entry that was judged, or is waiting for it.
    private(set) var lastNumber: Int
    /// Entries that are to be judged before any other, whether or not the journal still has them: what there was when somebody
    /// asked for the first time, which is too much for one go.
    private var waiting: [JournalEntry] = []
    private var judgedCount = 0

    /// How many entries may come before the judge looks at them: together they are smaller than a journal, and judged in
    /// milliseconds, however large each is.
    static let batch = 16

    /// What it costs to judge an entry, beside its bytes.
    static let costOfEntry = 1024

    /// Whether entries are waiting.
    var isBehind: Bool { judgedCount < waiting.count }

    /// Makes a judge of what comes after an entry.
    init(mode: GuideMode, after number: Int) {
        judge = Judge(mode: mode)
        lastNumber = number
    }

    /// Has entries wait.
    mutating func take(_ entries: Journal.Entries) {
        guard let last = entries.last else { return }
        waiting += entries
        lastNumber = last.number
    }

    /// Judges the entry that waits longest.
    ///
    /// - Returns: its bytes; nil where none waits.
    mutating func judgeNext() -> Int? {
        guard isBehind else { return nil }
        let entry = waiting[judgedCount]
        judgedCount += 1
        if !isBehind { (waiting, judgedCount) = ([], 0) }
        look(at: entry)
        return entry.byteCount
    }

    mutating func observe(_ entry: JournalEntry) {
        lastNumber = entry.number
        look(at: entry)
    }

    private mutating func look(at entry: JournalEntry) {
        judge.observe(entry)
        observedCount += 1
        switch entry.event {
        case .exchange(let exchange):
            hasConnected = true
            if exchange.unmatched != nil { unmatchedCount += 1 }
        case .opened: hasConnected = true
        case .frame, .closed, .fault, .clock, .note: break
        }
    }

    /// What is found so far.
    ///
    /// - Parameters:
    ///   - time: the end of the time that is judged, by the world's clock.
    ///   - count: how many entries there were, judged or lost.
    func judgement(at time: Timestamp, of count: Int) -> Judgement {
        Judgement(
            verdicts: judge.verdicts(at: time), exposures: judge.exposures, hasConnected: hasConnected,
            missedCount: count - observedCount, unmatchedCount: unmatchedCount)
    }
}

extension World {
    /// Has the world's client judged from here on, and by what the journal still holds, as soon as somebody judges it.
    func beginJudging() {
        judge = WorldJudge(mode: mode, after: forgottenNumber)
        judge?.take(journal.entries(after: forgottenNumber))
        judgesNextAt = journal.lastNumber + WorldJudge.batch
    }

    /// Shows the judge, where there is one, what has happened since it last looked.
    func feedJudge() {
        changeJudge { judge in
            while judge.judgeNext() != nil {}
            for entry in journal.entries(after: judge.lastNumber) { judge.observe(entry) }
        }
    }

    /// Shows the judge some of what has happened, before it falls out of the journal: a few entries, however many wait.
    func keepJudging() {
        changeJudge { judge in
            guard judge.isBehind else {
                for entry in journal.entries(after: judge.lastNumber) { judge.observe(entry) }
                return
            }
            judge.take(journal.entries(after: judge.lastNumber))
            // Twice as many as came, so that there is an end to it.
            for _ in 0..<2 * WorldJudge.batch where judge.isBehind { _ = judge.judgeNext() }
        }
    }

    /// Judges as much of what waits as fits into a slice.
    ///
    /// - Returns: whether something still waits.
    func judge(in slice: inout BodySlice) -> Bool {
        if judge == nil { beginJudging() }
        changeJudge { judge in
            while !slice.isFull, let byteCount = judge.judgeNext() { slice.spend(WorldJudge.costOfEntry + byteCount) }
        }
        return judge?.isBehind ?? false
    }

    private func changeJudge(_ change: (inout WorldJudge) -> Void) {
        guard var judge else { return }
        // Changed in place: two owners would have every part copied.
        self.judge = nil
        change(&judge)
        self.judge = judge
        judgesNextAt = journal.lastNumber + WorldJudge.batch
    }

    /// What the client is found to keep and to break, by the world's time; the first call begins to judge.
    func judgement(at time: Timestamp) -> Judgement {
        if judge == nil { beginJudging() }
        feedJudge()
        guard let judge else { preconditionFailure("The world has just got a judge.") }
        return judge.judgement(at: time, of: journal.lastNumber - forgottenNumber)
    }
}

/// What is found of a world's client: which obligations it kept and broke, and what it was made to face.
public struct Judgement: Sendable {
    /// The obligations of the world's guide, in the order of the contract.
    public let verdicts: [Verdict]
    /// What went wrong without being the client's doing.
    public let exposures: [Exposure]
    /// Whether a client asked for anything at all.
    public let hasConnected: Bool
    /// Entries that the journal had lost before anybody asked for a judgement.
    public let missedCount: Int
    /// Requests that belong to no operation.
    public let unmatchedCount: Int
}

extension Finding {
    /// The entries that show it, each on a line as in a journal, cut where it is long.
    public var evidenceLines: [String] {
        let encoder = JournalEncoder()
        return evidence.map { entry in
            let line = String(decoding: encoder.encode(entry), as: UTF8.self)
            return line.count > 400 ? line.prefix(400) + "…" : line
        }
    }
}
