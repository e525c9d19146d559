import FitIQAPI
import Judging
import Traffic

/// The judge of a world's client, fed with its journal as that grows.
struct WorldJudge: Sendable {
    private var judge: Judge
    private var observedCount = 0
    private var unmatchedCount = 0
    private var hasConnected = false
    /// The number of the last entry that was judged or waits.
    private(set) var lastNumber: Int
    /// Entries to judge before any other, whether or not the journal still has them.
    ///
    /// They are those that existed at the first request for a judgement, too many to judge at once.
    private var waiting: [JournalEntry] = []
    private var judgedCount = 0

    /// How many entries may come before the judge looks at them.
    ///
    /// Together they are smaller than a journal, and judged in milliseconds, however large each is.
    static let batch = 16

    /// What it costs to judge an entry, in addition to its bytes.
    static let costOfEntry = 1024

    var isBehind: Bool { judgedCount < waiting.count }

    /// Creates a judge of the entries after a number.
    init(mode: GuideMode, after number: Int) {
        judge = Judge(mode: mode)
        lastNumber = number
    }

    mutating func take(_ entries: Journal.Entries) {
        guard let last = entries.last else { return }
        waiting += entries
        lastNumber = last.number
    }

    /// Judges the entry that has waited longest.
    ///
    /// - Returns: Its bytes; nil if none waits.
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

    /// The findings so far.
    ///
    /// - Parameters:
    ///   - time: The end of the judged time, by the world's clock.
    ///   - count: How many entries there were, judged or lost.
    func judgement(at time: Timestamp, of count: Int) -> Judgement {
        Judgement(
            verdicts: judge.verdicts(at: time), exposures: judge.exposures, hasConnected: hasConnected,
            missedCount: count - observedCount, unmatchedCount: unmatchedCount)
    }
}

extension World {
    /// Starts judging the world's client, including the entries that the journal still holds.
    func beginJudging() {
        judge = WorldJudge(mode: mode, after: forgottenNumber)
        judge?.take(journal.entries(after: forgottenNumber))
        judgesNextAt = journal.lastNumber + WorldJudge.batch
    }

    /// Passes everything since its last look to the judge, if there is one.
    func feedJudge() {
        changeJudge { judge in
            while judge.judgeNext() != nil {}
            for entry in journal.entries(after: judge.lastNumber) { judge.observe(entry) }
        }
    }

    /// Passes new entries to the judge before they fall out of the journal, and judges only a few that wait.
    func keepJudging() {
        changeJudge { judge in
            guard judge.isBehind else {
                for entry in journal.entries(after: judge.lastNumber) { judge.observe(entry) }
                return
            }
            judge.take(journal.entries(after: judge.lastNumber))
            // Twice as many as arrived, so that the queue empties eventually.
            for _ in 0..<2 * WorldJudge.batch where judge.isBehind { _ = judge.judgeNext() }
        }
    }

    /// Judges one of the entries that wait.
    ///
    /// - Returns: What it cost; nil if none waits.
    func judgeNextWaiting() -> Int? {
        if judge == nil { beginJudging() }
        var byteCount: Int?
        changeJudge { byteCount = $0.judgeNext() }
        return byteCount.map { WorldJudge.costOfEntry + $0 }
    }

    private func changeJudge(_ change: (inout WorldJudge) -> Void) {
        guard var judge else { return }
        // Changed in place: two owners would copy every part.
        self.judge = nil
        change(&judge)
        self.judge = judge
        judgesNextAt = journal.lastNumber + WorldJudge.batch
    }

    /// The obligations that the client kept and broke, by the world's time; the first call starts judging.
    func judgement(at time: Timestamp) -> Judgement {
        if judge == nil { beginJudging() }
        feedJudge()
        guard let judge else { preconditionFailure("The world has just got a judge.") }
        return judge.judgement(at: time, of: journal.lastNumber - forgottenNumber)
    }
}

/// The judgement of a world's client: the obligations it kept and broke, and the faults it had to face.
public struct Judgement: Sendable {
    /// The obligations of the world's guide, in their documented order.
    public let verdicts: [Verdict]
    /// Faults that were not the client's doing.
    public let exposures: [Exposure]
    /// Whether a client sent any request at all.
    public let hasConnected: Bool
    /// Entries that the journal had lost before the first request for a judgement.
    public let missedCount: Int
    /// Requests that belong to no operation.
    public let unmatchedCount: Int
}

extension Finding {
    /// The entries that prove it, each on a line as in a journal, cut if it is long.
    public var evidenceLines: [String] {
        let encoder = JournalEncoder()
        return evidence.map { entry in
            let line = String(decoding: encoder.encode(entry), as: UTF8.self)
            return line.count > 400 ? line.prefix(400) + "…" : line
        }
    }
}
