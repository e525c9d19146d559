import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Judging
import Traffic

/// The admin API's journal: a world's events as lists, NDJSON and HAR.
extension Engine {
    /// `GET /__admin/requests` and similar paths: the newest entries that match the query; throws 400 for an invalid
    /// query.
    func entryList(_ call: AdminCall) throws(APIError) -> Answer {
        let world = call.world
        let isUnmatched = call.template == "requests/unmatched"
        let kinds: Set<JournalEvent.Kind> =
            switch call.template {
            case "entries": Set(JournalEvent.Kind.allCases)
            case "frames": [.opened, .frame, .fault, .closed]
            default: isUnmatched ? [.exchange] : [.exchange, .opened]
            }
        var query = try JournalQuery(query: call.head.target.queryItems())
        query.kinds = query.kinds.isEmpty ? kinds : query.kinds.intersection(kinds)
        if isUnmatched { query.isUnmatched = true }
        // A query for kinds that this path does not list matches no entry.
        let entries = query.kinds.isEmpty ? world.journal.noEntries : world.journal.entries()
        let encoder = world.journalEncoder
        let (lastNumber, droppedCount) = (world.journal.lastNumber, world.journal.droppedCount)
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
    ///
    /// - Throws: 404 if the journal does not contain the entry.
    func showEntry(_ call: AdminCall) throws(APIError) -> Answer {
        let world = call.world
        let number = Int(call.parameter.text) ?? 0
        guard let entry = world.journal.entries(after: number - 1).first, entry.number == number else {
            throw .unknownEntry(call.parameter.text, from: world.journal.firstNumber, to: world.journal.lastNumber)
        }
        let time = world.clock.now(call.now)
        advance(world, to: time, at: call.now)
        return Answer(
            PartSource(json: { [unowned self] writer in
                if let cost = world.judgeNextWaiting() { return cost }
                writer.object { writer in
                    writer.member("entry", raw: world.journalEncoder.encode(entry))
                    writer.objects("faults", world.faults.rules.filter { entry.names(fault: $0.rule.name) }) {
                        writeFault($1, in: world, into: &$0)
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

    /// `GET /__admin/journal`: all entries, oldest first, one per line, for saving and judging later; throws 400 if
    /// there is a query.
    func journalLines(_ call: AdminCall) throws(APIError) -> Answer {
        guard call.head.target.query == nil else { throw .journalTakesNoQuery }
        let encoder = call.world.journalEncoder
        var entries = call.world.journal.entries().makeIterator()
        let source = PartSource(keeping: KeptJournal(of: call.world)) { slice in
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
    func harAnswer(_ call: AdminCall) throws(APIError) -> Answer {
        guard call.head.target.query == nil else { throw .journalTakesNoQuery }
        let world = call.world
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
    func clearJournal(_ call: AdminCall) -> Answer {
        let world = call.world
        if world.journal.weight > Engine.largestWorkOnLoop { discard(world.journal) }
        world.clearJournal()
        worlds.accountEverything(of: world)
        return .noContent
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

/// The admin API's events: a stream of new journal entries.
extension Engine {
    /// `GET /__admin/events`: an endless stream of new entries, or of all entries after the last one that the client
    /// saw.
    ///
    /// - Throws: 400 for a bad query, 409 if another stream has the controller's name.
    func follow(_ call: AdminCall) throws(APIError) -> Answer? {
        let (world, connection, now) = (call.world, call.connection, call.now)
        let items = call.head.target.queryItems()
        let keys = ["verdicts", "controller"]
        for item in items where !keys.contains(item.name) { throw .unknownAdminKey(item.name, allowed: keys) }
        let query = QueryReader(items)
        let watchesVerdicts = try query.flag("verdicts") ?? false
        let controller = query["controller"].map(ExactString.init(_:))
        if let name = controller?.text {
            guard (1...FaultLimits.controllerName).contains(name.utf8.count) else { throw .wrongControllerName }
            guard !hasController(ExactString(name), of: world) else { throw .controllerIsThere(name) }
        }
        if watchesVerdicts, world.judge == nil { world.beginJudging() }
        var fields = ServerSentEvent.responseFields
        fields[.date] = world.date(of: world.clock.now(now)).httpDateText
        connection.http.startResponse(status: .ok, fields: fields, into: &connection.output.bytes)
        var follower = Follower(
            world: world, lastNumber: ServerSentEvent.lastID(in: call.head.fields) ?? world.journal.lastNumber)
        follower.controller = controller
        if watchesVerdicts { follower.verdicts = WatchedVerdicts() }
        connection.sendBody(ServerSentEvent.retry(milliseconds: 1000))
        follower.tellWorld(to: connection, instance: instance, at: now)
        connection.follower = follower
        if isShuttingDown {
            endEvents(on: connection, at: now)
        } else {
            followers.append(connection.id)
            arm(connection, .keepAlive, after: Follower.keepAliveInterval, at: now)
        }
        return nil
    }
}
