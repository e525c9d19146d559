import FitIQAPI
import Obligations
import Recording

/// Who judges the client of a world, fed with its journal as that grows.
struct WorldJudge {
    private var judge: Judge
    private var observedCount = 0
    private var unmatchedCount = 0
    private var hasConnected = false
    /// The number of the last entry that was judged.
    private(set) var lastNumber: Int

    /// How many entries may come before the judge looks at them: together they are smaller than a journal.
    static let batch = 128

    /// Makes a judge of what comes after an entry.
    init(mode: GuideMode, after number: Int) {
        judge = Judge(mode: mode)
        lastNumber = number
    }

    mutating func observe(_ entry: JournalEntry) {
        judge.observe(entry)
        observedCount += 1
        lastNumber = entry.number
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
    /// Has the world's client judged from here on, and by what the journal still holds.
    func beginJudging() {
        judge = WorldJudge(mode: mode, after: forgottenNumber)
        feedJudge()
    }

    /// Shows the judge, where there is one, what has happened since it last looked.
    func feedJudge() {
        guard var judge else { return }
        // Changed in place: two owners would have every part copied.
        self.judge = nil
        for entry in journal.entries(after: judge.lastNumber) { judge.observe(entry) }
        self.judge = judge
        judgesNextAt = journal.lastNumber + WorldJudge.batch
    }

    /// What the client is found to keep and to break, by the world's time; the first call begins to judge.
    func judgement(at time: Timestamp) -> Judgement {
        if judge == nil { beginJudging() } else { feedJudge() }
        guard let judge else { preconditionFailure("The world has just got a judge.") }
        return judge.judgement(at: time, of: journal.lastNumber - forgottenNumber)
    }
}
