import FitIQAPI
import JSON
import Judging
import Traffic

/// The judge of a world's client, which reads the world's journal as it grows.
struct WorldJudge: Sendable {
    private var judge: Judge
    private var observedCount = 0, unmatchedCount = 0
    private var hasConnected = false
    /// The number of the last entry that was judged or queued.
    private(set) var lastNumber: Int
    /// Queued entries, such as entries from before the first judgement; there may be too many to judge in one turn.
    private var waiting: [JournalEntry] = []
    private var judgedCount = 0

    /// The number of entries that may arrive before the judge reads them.
    ///
    /// A journal can always hold this many entries, and the judge reads them in milliseconds, regardless of their size.
    static let batch = 16
    /// The cost of judging an entry, in addition to its bytes.
    static let costOfEntry = 1024

    var isBehind: Bool { judgedCount < waiting.count }

    init(mode: GuideMode, after number: Int) {
        judge = Judge(mode: mode)
        lastNumber = number
    }

    mutating func take(_ entries: Journal.Entries) {
        guard let last = entries.last else { return }
        waiting += entries
        lastNumber = last.number
    }

    /// Judges the oldest queued entry and returns its size in bytes; nil if the queue is empty.
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
        case .frame, .closed, .fault, .clock, .note, .held, .released: break
        }
    }

    /// The judgement at a time on the world's clock; `count` is the number of judged and lost entries.
    func judgement(at time: Timestamp, of count: Int) -> Judgement {
        Judgement(
            verdicts: judge.verdicts(at: time), exposures: judge.exposures, coverage: judge.coverage,
            hasConnected: hasConnected, missedCount: count - observedCount, unmatchedCount: unmatchedCount)
    }
}

extension World {
    /// Starts judging the world's client, from the oldest entry in the journal.
    func beginJudging() {
        judge = WorldJudge(mode: mode, after: forgottenNumber)
        judge?.take(journal.entries(after: forgottenNumber))
        judgesNextAt = journal.lastNumber + WorldJudge.batch
    }

    /// Judges all new and queued entries, if the world has a judge.
    func feedJudge() {
        changeJudge { judge in
            while judge.judgeNext() != nil {}
            for entry in journal.entries(after: judge.lastNumber) { judge.observe(entry) }
        }
    }

    /// Queues new entries for the judge before the journal drops them, and judges only a few queued entries.
    func keepJudging() {
        guard judge?.isBehind ?? false else { return feedJudge() }
        changeJudge { judge in
            judge.take(journal.entries(after: judge.lastNumber))
            // Judge twice as many entries as arrived, so that the queue eventually becomes empty.
            for _ in 0..<2 * WorldJudge.batch where judge.isBehind { _ = judge.judgeNext() }
        }
    }

    /// Judges one queued entry and returns the cost; nil if the queue is empty.
    func judgeNextWaiting() -> Int? {
        if judge == nil { beginJudging() }
        var byteCount: Int?
        changeJudge { byteCount = $0.judgeNext() }
        return byteCount.map { WorldJudge.costOfEntry + $0 }
    }

    private func changeJudge(_ change: (inout WorldJudge) -> Void) {
        guard var judge else { return }
        // Move the judge out, because each change would copy it if it had a second owner.
        self.judge = nil
        change(&judge)
        self.judge = judge
        judgesNextAt = journal.lastNumber + WorldJudge.batch
    }

    /// The judgement on the world's client at the given date; the first call starts judging.
    func judgement(at time: Timestamp) -> Judgement {
        if judge == nil { beginJudging() }
        feedJudge()
        guard let judge else { preconditionFailure("The world must have a judge.") }
        return judge.judgement(at: time, of: journal.lastNumber - forgottenNumber)
    }
}

/// The judgement on a world's client: the obligations that it kept and broke, and the faults that it encountered.
public struct Judgement: Sendable {
    /// The verdicts on the obligations in the world's guide, in the order of the documentation.
    public private(set) var verdicts: [Verdict]
    /// How often the client encountered failure paths.
    public private(set) var exposures: [Exposure]
    /// The client's situations.
    public private(set) var coverage: Coverage
    public private(set) var hasConnected: Bool
    /// The number of entries that the journal dropped before a judgement was first requested.
    public private(set) var missedCount: Int
    /// The number of requests that match no operation.
    public private(set) var unmatchedCount: Int

    public init(
        verdicts: [Verdict], exposures: [Exposure], coverage: Coverage, hasConnected: Bool, missedCount: Int,
        unmatchedCount: Int
    ) {
        (self.verdicts, self.exposures, self.coverage) = (verdicts, exposures, coverage)
        (self.hasConnected, self.missedCount, self.unmatchedCount) = (hasConnected, missedCount, unmatchedCount)
    }

    /// Adds another world's judgement for the same guide.
    ///
    /// - Parameter span: The nanoseconds to add to the times in the other judgement's evidence.
    mutating func add(_ other: Judgement, movedBy span: Int64) {
        for (index, verdict) in zip(verdicts.indices, other.verdicts) { verdicts[index].add(verdict, movedBy: span) }
        exposures = zip(exposures, other.exposures).map { Exposure(path: $0.path, count: $0.count + $1.count) }
        coverage.formUnion(other.coverage)
        hasConnected = hasConnected || other.hasConnected
        missedCount += other.missedCount
        unmatchedCount += other.unmatchedCount
    }

    /// Adds the world's label to each finding's message.
    mutating func nameEvidence(of label: String) {
        for index in verdicts.indices {
            for place in verdicts[index].findings.indices {
                verdicts[index].findings[place].message += " (\(label.onOneLine(limit: 80)))"
            }
        }
    }
}
