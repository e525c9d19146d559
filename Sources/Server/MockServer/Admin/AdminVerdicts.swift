import FitIQAPI
import JSON
import Judging
import Traffic

/// The admin API's verdicts on the obligations of a world's client.
extension AdminCall {
    /// `GET /__admin/verdicts`; the first request starts judging, from the oldest entry in the journal.
    ///
    /// The server first judges the waiting entries, and then writes the findings one at a time. With `summary=true`,
    /// the answer is a ``VerdictSummary``. Otherwise, the other worlds in the world's run follow, each judged
    /// separately.
    func showVerdicts() throws(APIError) -> Answer {
        let query = try VerdictQuery(self)
        // Overdue steps affect the judgement.
        runDue()
        var parts: IndexingIterator<[Judgement.Part]>?
        var made = query.isShort ? nil : world.run.map(WorldRun.Sum.init(of:))
        return Answer(
            PartSource(json: { [world, now, time = world.clock.now(now)] writer throws(APIError) in
                if parts == nil {
                    try world.checkIsThere()
                    if let cost = world.judgeNextWaiting() { return cost }
                    if made?.addNext(at: { $0.date(of: $0.clock.now(now)) }) ?? false {
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

    init(_ call: AdminCall) throws(APIError) {
        let query = try call.query(keys: ["verdict", "level", "evidence", "summary"])
        verdict = try query.choice("verdict")
        level = try query.choice("level")
        evidence = try query.choice("evidence") ?? evidence
        isShort = try query.flag("summary") ?? false
    }

    func takes(_ one: Verdict) -> Bool {
        verdict.map { $0 == one.outcome } ?? true && level.map { $0 == one.obligation.level } ?? true
    }
}

extension Judgement {
    /// Writes the judgement in the format that `GET /__admin/verdicts` returns.
    public func write(to writer: inout JSONWriter, _ encoder: JournalEncoder) {
        for part in parts(VerdictQuery(), encoder, since: nil) { part(&writer) }
    }

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
            writer.objects("exposures", exposures) { writer, exposure in
                writer.member("path", exposure.path.rawValue)
                writer.member("count", exposure.count)
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
    /// Writes the verdict in the format that `GET /__admin/verdicts?evidence=numbers` returns.
    func write(to writer: inout JSONWriter) {
        begin(&writer)
        for finding in findings { finding.write(to: &writer) { $0.writeNumbers(of: finding) } }
        end(&writer)
    }

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
        writer.strings("scenarios", obligation.scenarios)
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
