import Faults
import FitIQAPI
import HTTPTypes
import JSON
import Judging
import Traffic

/// The admin API's journal: a world's events as lists, NDJSON, HAR and a stream.
extension AdminCall {
    /// `GET /__admin/requests` and similar paths: the newest entries of some kinds that match the query.
    ///
    /// - Parameter kinds: The kinds that the path lists; none for all of them.
    static func list(_ kinds: JournalEvent.Kind..., isUnmatched: Bool = false) -> AdminResource.Handler {
        { call in
            { () throws(APIError) in
                try call.listEntries(kinds.isEmpty ? Set(JournalEvent.Kind.allCases) : Set(kinds), isUnmatched)
            }
        }
    }

    private func listEntries(_ kinds: Set<JournalEvent.Kind>, _ isUnmatched: Bool) throws(APIError) -> Answer {
        var query = try JournalQuery(query: head.target.queryItems())
        query.kinds = query.kinds.isEmpty ? kinds : query.kinds.intersection(kinds)
        if isUnmatched { query.isUnmatched = true }
        let (journal, encoder) = (world.journal, world.journalEncoder)
        // A query for kinds that this path does not list matches no entry.
        let entries = query.kinds.isEmpty ? journal.noEntries : journal.entries()
        let (lastNumber, droppedCount) = (journal.lastNumber, journal.droppedCount)
        let search = PartSource(
            "entries", of: JournalSearch(query, in: entries), keeping: KeptJournal(of: world),
            after: { writer in
                writer.member("last_number", lastNumber)
                writer.member("dropped", droppedCount)
            }
        ) { step, writer in
            switch step {
            case .passed(let cost): return cost
            case .found(let entry):
                encoder.write(entry, to: &writer)
                return entry.extraCost
            }
        }
        return Answer(search)
    }

    /// `GET /__admin/entries/{number}`: an entry, the fault rules that took effect on it, and the broken obligations
    /// for which it is evidence.
    func showEntry() throws(APIError) -> Answer {
        let number = Int(parameter.text) ?? 0
        guard let entry = world.journal.entries(after: number - 1).first, entry.number == number else {
            throw .unknownEntry(parameter.text, from: world.journal.firstNumber, to: world.journal.lastNumber)
        }
        runDue()
        return Answer(
            PartSource(json: { [unowned engine = engine, world, time = world.clock.now(now)] writer in
                if let cost = world.judgeNextWaiting() { return cost }
                writer.object { writer in
                    writer.member("entry", raw: world.journalEncoder.encode(entry))
                    writer.objects("faults", world.faults.rules.filter { entry.names(fault: $0.rule.name) }) {
                        $1.write(in: world, of: engine, to: &$0)
                    }
                    let verdicts = world.judgement(at: world.date(of: time)).verdicts
                    writer.objects("broken", verdicts.compactMap { $0.shown(by: number) }) { writer, shown in
                        writer.member("id", shown.id)
                        writer.member("message", shown.message)
                        writer.member("advice", shown.advice)
                    }
                }
                return nil
            }))
    }

    /// `GET /__admin/journal`: all entries, oldest first, one per line, for saving and judging later.
    func journalLines() throws(APIError) -> Answer {
        guard head.target.query == nil else { throw .journalTakesNoQuery }
        let encoder = world.journalEncoder
        var entries = world.journal.entries().makeIterator()
        let source = PartSource(keeping: KeptJournal(of: world)) { slice in
            guard let entry = entries.next() else { return .end }
            encoder.appendLine(entry, to: &slice.bytes)
            slice.spend(entry.extraCost)
            return .more
        }
        return Answer(source, contentType: "application/x-ndjson; charset=utf-8")
    }

    /// The cost of converting an entry for a session, as the number of bytes that the server could write in the same
    /// time.
    private static var costOfDrafting: Int { 1024 }

    /// `GET /__admin/har`: the journal's traffic as a HAR file, as if it had been recorded on the client's side.
    func harFile() throws(APIError) -> Answer {
        guard head.target.query == nil else { throw .journalTakesNoQuery }
        // Request targets in the journal include the world's prefix.
        let prefix = world.id.map { "/w/\($0)" } ?? ""
        let origin = String(world.settings.origin.dropLast(prefix.utf8.count))
        var (journal, draft) = (world.journal.entries().makeIterator(), SessionDraft(origin: origin))
        var entries: IndexingIterator<[SessionExchange]>?
        var before = HAREncoder.header(creatorVersion: Version.current)
        let source = PartSource(keeping: KeptJournal(of: world)) { slice in
            if entries == nil, let entry = journal.next() {
                draft.add(entry)
                slice.spend(Self.costOfDrafting)
                return .more
            }
            if entries == nil { entries = draft.session.entries.makeIterator() }
            guard let entry = entries?.next() else {
                slice.bytes += (before == HAREncoder.separator ? [] : before) + HAREncoder.footer
                return .end
            }
            slice.bytes += before + HAREncoder.line(entry)
            before = HAREncoder.separator
            return .more
        }
        return Answer(source)
    }

    /// `DELETE /__admin/journal`: drops all entries; later entries continue the numbering.
    func clearJournal() -> Answer {
        if world.journal.weight > Engine.largestWorkOnLoop { engine.discard(world.journal) }
        world.clearJournal()
        engine.worlds.accountEverything(of: world)
        return .noContent
    }

    /// `GET /__admin/events`: an endless stream of new entries, or of all entries after the last one that the client
    /// saw.
    ///
    /// - Throws: 400 for a bad query, 409 if another stream has the controller's name.
    func follow() throws(APIError) -> Answer? {
        let query = try query(keys: ["verdicts", "controller"])
        let watchesVerdicts = try query.flag("verdicts") ?? false
        let controller = query["controller"].map(ExactString.init(_:))
        if let controller {
            let name = controller.text
            guard (1...FaultLimits.controllerName).contains(name.utf8.count) else { throw .wrongControllerName }
            guard !engine.hasController(controller, of: world) else { throw .controllerIsThere(name) }
        }
        if watchesVerdicts, world.judge == nil { world.beginJudging() }
        var follower = Follower(
            world: world, lastNumber: ServerSentEvent.lastID(in: head.fields) ?? world.journal.lastNumber)
        follower.controller = controller
        if watchesVerdicts { follower.verdicts = WatchedVerdicts() }
        engine.begin(follower, on: connection, at: now)
        return nil
    }

    /// `GET /__admin/replay`: reports the served entries, and the differences from the recording; throws 404 if the
    /// world does not replay a session.
    func showReplay() throws(APIError) -> Answer {
        // Overdue frames must count as sent.
        runDue()
        guard let report = world.replay?.player.report else { throw .noReplay }
        return .ok(report.json.encoded())
    }
}

extension JournalEntry {
    /// Whether the entry is about a fault rule, or records that the rule took effect.
    fileprivate func names(fault name: ExactString) -> Bool {
        let names: [String] =
            switch event {
            case .exchange(let exchange): exchange.faults
            case .opened(let opening): opening.faults
            case .frame(let frame): frame.faults
            case .closed(let closing): closing.faults
            case .fault(let fault): [fault.name]
            case .held(let hold): [hold.breakpoint]
            case .released(let release): [release.breakpoint]
            case .clock, .note: []
            }
        return names.contains { ExactString($0) == name }
    }
}

extension Verdict {
    /// The first finding for which an entry is evidence.
    fileprivate func shown(by number: Int) -> (id: String, message: String, advice: String)? {
        findings.first { $0.evidence.contains { $0.number == number } }.map { (obligation.id, $0.message, advice) }
    }
}
