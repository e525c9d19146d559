import FitIQAPI
import HTTP1
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
        self.verdicts = verdicts
        self.exposures = exposures
        self.coverage = coverage
        self.hasConnected = hasConnected
        self.missedCount = missedCount
        self.unmatchedCount = unmatchedCount
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

    /// Writes the judgement in the format that `GET /__admin/verdicts` returns.
    public func write(to writer: inout JSONWriter, _ encoder: JournalEncoder) {
        for part in parts(VerdictQuery(), encoder, since: nil) { part(&writer) }
    }
}

/// The admin API's verdicts on the obligations of a world's client.
extension Engine {
    /// `GET /__admin/verdicts`; the first request starts judging, from the oldest entry in the journal.
    ///
    /// The server first judges the waiting entries, and then writes the findings one at a time. With `summary=true`,
    /// the answer is a ``VerdictSummary``. Otherwise, the other worlds in the world's run follow, each judged
    /// separately.
    ///
    /// - Throws: A 400 for an invalid query.
    func verdictAnswer(_ call: AdminCall) throws(APIError) -> Answer {
        let (world, query) = (call.world, try VerdictQuery(call.head))
        let time = world.clock.now(call.now)
        // First run the steps that are due, because the loop may be late and overdue steps affect the judgement.
        advance(world, to: time, at: call.now)
        var parts: IndexingIterator<[Judgement.Part]>?
        var made = query.isShort ? nil : world.run.map(WorldRun.Sum.init(of:))
        return Answer(
            PartSource(json: { writer throws(APIError) in
                if parts == nil {
                    if let id = world.id, world.isGone { throw .unknownWorld(id) }
                    if let cost = world.judgeNextWaiting() { return cost }
                    if made?.addNext(at: { $0.date(of: $0.clock.now(call.now)) }) ?? false {
                        return WorldJudge.costOfEntry * WorldJudge.batch
                    }
                    let judgement = world.judgement(at: world.date(of: time))
                    let short = query.isShort ? judgement.summary(of: world) : nil
                    parts =
                        (short.map { [$0.write] }
                        ?? judgement.parts(query, world.journalEncoder, since: world.start, made?.judgements ?? []))
                        .makeIterator()
                }
                guard let part = parts?.next() else { return nil }
                part(&writer)
                return 0
            }))
    }
}

/// The query of `GET /__admin/verdicts`.
private struct VerdictQuery {
    /// The verdict to list; nil lists all verdicts and adds the table of situations.
    var verdict: Verdict.Outcome?
    var level: Obligation.Level?
    var evidence = Evidence.entries
    var isShort = false

    /// The form of evidence in findings.
    enum Evidence: String, CaseIterable {
        /// The entries as they appear in the journal.
        case entries
        case numbers
        /// One line for each entry, as in the reports of `verify`.
        case lines
    }

    init() {}

    init(_ head: RequestHead) throws(APIError) {
        let (items, keys) = (head.target.queryItems(), ["verdict", "level", "evidence", "summary"])
        for (name, _) in items where !keys.contains(name) { throw .unknownAdminKey(name, allowed: keys) }
        let query = QueryReader(items)
        verdict = try query.choice("verdict")
        level = try query.choice("level")
        evidence = try query.choice("evidence") ?? evidence
        isShort = try query.flag("summary") ?? false
    }

    func takes(_ one: Verdict) -> Bool {
        verdict.map { $0 == one.outcome } ?? true && level.map { $0 == one.obligation.level } ?? true
    }
}

/// The verdicts that an event stream has sent.
struct WatchedVerdicts {
    /// The sent outcome and counts of exercises and findings, by the obligation's id.
    private var told: [ExactString: [Int]] = [:]
    /// The last judged entry's number, and the manual clock's time at the judgement; nil before the first judgement.
    private var judged: (number: Int, time: Timestamp?)?
    /// Whether time has passed since the last judgement.
    var isDue = false

    func isBehind(in world: World) -> Bool {
        guard !isDue, let judged else { return true }
        return judged.number < world.journal.lastNumber || judged.time != world.clock.manualTime
    }

    /// Clears the sent verdicts because the world and its judge have restarted.
    mutating func forget() { (told, judged) = ([:], nil) }

    /// The verdicts that have changed since the last call, or all verdicts in the first call; nil if none have changed.
    mutating func change(in world: World, at now: Timestamp) -> [UInt8]? {
        let verdicts = world.judgement(at: world.date(of: world.clock.now(now))).verdicts
        (judged, isDue) = ((world.journal.lastNumber, world.clock.manualTime), false)
        let changed = verdicts.filter { verdict in
            let state = [
                Verdict.Outcome.allCases.firstIndex(of: verdict.outcome) ?? 0, verdict.exercisedCount,
                verdict.findingCount,
            ]
            return told.updateValue(state, forKey: ExactString(verdict.obligation.id)) != state
        }
        guard !changed.isEmpty else { return nil }
        return JSONWriter.object { writer in
            writer.array("verdicts") { writer in
                for verdict in changed {
                    verdict.begin(&writer)
                    for finding in verdict.findings { finding.write(to: &writer) { $0.writeNumbers(of: finding) } }
                    verdict.end(&writer)
                }
            }
        }
    }
}

extension Judgement {
    /// A summary with this world as the only run.
    fileprivate func summary(of world: World) -> VerdictSummary {
        let run = Report.Run(
            scenario: world.settings.scenario.name, mode: world.mode, hasConnected: hasConnected, verdicts: verdicts,
            exposures: exposures, coverage: coverage, missedCount: missedCount)
        return VerdictSummary(Report(title: world.name, runs: [run]))
    }

    fileprivate typealias Part = (inout JSONWriter) -> Void

    /// Writers for the judgement's members, in parts that are quick to write, because a finding may contain entries of
    /// half a megabyte.
    ///
    /// - Parameters:
    ///   - made: The worlds of its run.
    ///   - own: The worlds that it judges, if it is one of them.
    fileprivate func parts(
        _ query: VerdictQuery, _ encoder: JournalEncoder, since start: Timestamp?, _ made: [RunJudgement] = [],
        of own: RunJudgement? = nil
    ) -> [Part] {
        var parts: [Part] = [
            { writer in
                writer.beginObject()
                if let own {
                    writer.member("scenario", own.scenario)
                    writer.member("guide", own.mode.rawValue)
                    writer.member("started_at", own.startedAt.nanosecondText)
                    writer.member("world_count", own.worldCount)
                }
                writer.key("verdicts")
                writer.beginArray()
            }
        ]
        for verdict in verdicts where query.takes(verdict) {
            parts.append(verdict.begin)
            for finding in verdict.findings {
                parts.append { writer in
                    finding.write(to: &writer) { writer in
                        switch query.evidence {
                        case .numbers: writer.writeNumbers(of: finding)
                        case .lines:
                            writer.strings("evidence", finding.evidence.map { EntryLine($0, since: start).text })
                        case .entries:
                            writer.array("evidence") { writer in
                                for entry in finding.evidence { encoder.write(entry, to: &writer) }
                            }
                        }
                    }
                }
            }
            parts.append(verdict.end)
        }
        parts.append { writer in
            writer.endArray()
            writer.array("exposures") { writer in
                for exposure in exposures {
                    writer.object { writer in
                        writer.member("path", exposure.path.rawValue)
                        writer.member("count", exposure.count)
                    }
                }
            }
            if query.verdict == nil, query.level == nil { CoverageSummary(coverage).writeTable(to: &writer) }
            writer.member("missed", missedCount)
            writer.member("has_connected", hasConnected)
            writer.member("unmatched", unmatchedCount)
            guard !made.isEmpty else { return }
            writer.key("worlds")
            writer.beginArray()
        }
        for one in made { parts += one.judgement.parts(query, encoder, since: one.startedAt, of: one) }
        parts.append { writer in
            if !made.isEmpty { writer.endArray() }
            writer.endObject()
        }
        return parts
    }
}

extension Verdict {
    fileprivate func begin(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", obligation.id)
        writer.member("level", obligation.level.rawValue)
        writer.member("origin", obligation.originText)
        writer.member("clause", obligation.clause)
        writer.member("tolerance", orNull: obligation.tolerance)
        writer.member("verdict", outcome.rawValue)
        if isLeftToServer { writer.member("not_judged", true) }
        writer.member("exercised", exercisedCount)
        writer.key("findings")
        writer.beginArray()
    }

    fileprivate func end(_ writer: inout JSONWriter) {
        writer.endArray()
        writer.member("finding_count", findingCount)
        writer.array("more_entries") { writer in for number in moreEntries { writer.value(number) } }
        writer.member("advice", advice)
        writer.array("scenarios") { writer in for scenario in obligation.scenarios { writer.value(scenario) } }
        writer.endObject()
    }
}

extension Finding {
    fileprivate func write(to writer: inout JSONWriter, writingEvidence write: (inout JSONWriter) -> Void) {
        writer.object { writer in
            writer.member("level", level.rawValue)
            writer.member("message", message)
            write(&writer)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func writeNumbers(of finding: Finding) {
        array("entries") { writer in for entry in finding.evidence { writer.value(entry.number) } }
    }
}

extension Obligation {
    /// The obligation's guide and section, such as `consultation-websocket, best practice 1`.
    fileprivate var originText: String {
        let names =
            switch origin {
            case .all: "all guides"
            case .ours: "fitiq-mock"
            case .guides(let guides): guides.map(\.rawValue).joined(separator: ", ")
            }
        return place.isEmpty ? names : "\(names), \(place)"
    }
}
