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

extension World {
    /// Encodes the world's entries; entries in the default world do not name a world.
    var journalEncoder: JournalEncoder { JournalEncoder(world: id, mode: mode) }

    /// The entries after the one with the given number, one object per line.
    func journalLines(after number: Int) -> [UInt8] {
        let encoder = journalEncoder
        var lines: [UInt8] = []
        for entry in journal.entries(after: number) { encoder.appendLine(entry, to: &lines) }
        return lines
    }

    /// Drops all entries and the judgement on them; later entries continue the numbering.
    func clearJournal() {
        journal.removeAll()
        forgetEarlier()
    }

    /// Restarts the judge, if there is one, with the next entry.
    func forgetEarlier() {
        forgottenNumber = journal.lastNumber
        if judge != nil { beginJudging() }
    }
}

/// A reader's snapshot of a world's journal: its entries at the time of the request.
///
/// A slow reader also gets entries that the journal drops in the meantime. Entries that the journal still has do not
/// count.
struct KeptJournal {
    private let world: World
    private let weight, droppedWeight: Int

    init(of world: World) {
        self.world = world
        (weight, droppedWeight) = (world.journal.weight, world.journal.droppedWeight)
    }

    /// The bytes of entries that only the reader still holds.
    var byteCount: Int { world.isGone ? weight : min(weight, world.journal.droppedWeight - droppedWeight) }
}

extension JournalEntry {
    /// The cost of writing the entry, in addition to its bytes: near misses require comparing all endpoints.
    var extraCost: Int {
        guard case .exchange(let exchange) = event, exchange.unmatched != nil else { return 0 }
        return 32 * 1024
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

    /// Whether an event stream of a world has this controller's name.
    func hasController(_ name: ExactString, of world: World) -> Bool {
        followers.contains { id in
            guard let follower = self[id]?.follower else { return false }
            return follower.controller == name && follower.world === world
        }
    }

    /// Queues the followers that have unsent entries and room for them, and wakes the waits for which there are new
    /// entries.
    func queueFollowers() {
        guard !followers.isEmpty else { return }
        followers.removeAll { self[$0].map { !$0.isFollower && $0.waiter == nil } ?? true }
        for id in followers {
            if let connection = self[id], connection.waiter?.hasNews == true { wakeStream(of: connection) }
            guard let connection = self[id], connection.ending == .none, !isReadingPaused(connection),
                let follower = connection.follower, !follower.isBehind, follower.hasNews
            else { continue }
            connection.follower?.isBehind = true
            streams.waiting.append(id)
        }
    }

    /// Sends a follower a slice of its unsent entries and returns the cost; later turns send the rest.
    func feedFollower(_ connection: Connection, at now: Timestamp) -> Int {
        guard var follower = connection.follower else { return 0 }
        follower.isBehind = false
        lendOutput(to: connection)
        let cost = follower.appendNews(
            to: connection, limit: limits.unsentBytesBeforeReadingPauses, slice: streams.sliceSize, instance: instance,
            at: now)
        if follower.hasNews, !isReadingPaused(connection) {
            follower.isBehind = true
            streams.waiting.append(connection.id)
        }
        connection.follower = follower
        touch(connection)
        account(connection)
        return cost
    }

    /// Sends a follower a comment to keep the stream alive; resets a follower that has read nothing for the whole idle
    /// time.
    func keepAlive(_ connection: Connection, at now: Timestamp) {
        guard let follower = connection.follower else { preconditionFailure("Only followers may be kept alive.") }
        guard follower.unreadTime < patience.idle else { return end(connection, .reset) }
        // An obligation can be broken just because time passes.
        connection.follower?.verdicts?.isDue = true
        if connection.output.isEmpty {
            lendOutput(to: connection)
            connection.sendBody(ServerSentEvent.keepAlive)
            touch(connection)
        } else {
            connection.follower?.unreadTime += Follower.keepAliveInterval
        }
        arm(connection, .keepAlive, after: Follower.keepAliveInterval, at: now)
    }

    /// Ends an event stream cleanly because its world is gone or the server is stopping.
    func endEvents(on connection: Connection, at now: Timestamp) {
        // Sends the latest entries if the reader has room.
        if connection.follower?.hasNews == true, !isReadingPaused(connection) { _ = feedFollower(connection, at: now) }
        let follower = connection.follower
        connection.follower = nil
        if let world = follower?.world { breakpoints.disableAbandoned(of: world, at: now) }
        connection.http.endBody(into: &connection.output.bytes)
        linger(connection, at: now)
    }
}

/// A connection that receives a journal's entries as they are recorded.
struct Follower {
    let world: World
    /// The number of the last entry that was sent.
    private(set) var lastNumber: Int
    /// Whether the follower is queued for a slice.
    var isBehind = false
    /// How long the reader has gone without reading any of the waiting output, in nanoseconds.
    var unreadTime: Int64 = 0
    /// The name under which this stream owns breakpoints; nil if it owns none.
    var controller: ExactString?
    /// The verdicts sent so far; nil if the stream has no verdicts.
    var verdicts: WatchedVerdicts?
    /// The world's life as last reported to the client.
    private var life = 0

    init(world: World, lastNumber: Int) {
        self.world = world
        // A number from before a server restart may be too large.
        self.lastNumber = min(max(lastNumber, 0), world.journal.lastNumber)
    }

    /// The interval between comments that keep the stream alive, in nanoseconds: 15 s.
    static let keepAliveInterval: Int64 = 15_000_000_000

    /// Whether there is something to send.
    var hasNews: Bool {
        world.journal.lastNumber > lastNumber || world.life != life || verdicts?.isBehind(in: world) ?? false
    }

    /// Describes the world; sent first, and again whenever the world restarts.
    mutating func tellWorld(to connection: Connection, instance: String, at now: Timestamp) {
        life = world.life
        verdicts?.forget()
        let data = JSONWriter.object { writer in
            writer.member("id", world.name)
            writer.member("scenario", world.settings.scenario.name)
            writer.member("guide", world.mode.rawValue)
            writer.member("clock", world.clock.manualTime == nil ? "real" : "manual")
            writer.member("now", world.date(of: world.clock.now(now)).nanosecondText)
            writer.member("first_number", world.journal.firstNumber)
            writer.member("last_number", world.journal.lastNumber)
            writer.member("instance", instance)
        }
        connection.sendBody(ServerSentEvent(event: "world", data: data).bytes)
    }

    /// Sends entries until the connection holds `limit` bytes, or the slice is full, and returns the cost.
    ///
    /// The description of a restarted world comes before its entries. Verdicts follow the entries that caused them.
    mutating func appendNews(
        to connection: Connection, limit: Int, slice: Int, instance: String, at now: Timestamp
    ) -> Int {
        let start = connection.output.writtenOffset
        var extraCost = 0
        func cost() -> Int { connection.output.writtenOffset - start + extraCost }
        let encoder = world.journalEncoder
        if world.life != life { tellWorld(to: connection, instance: instance, at: now) }
        let missed = world.journal.missedCount(after: lastNumber)
        if missed > 0 {
            let text = JSONWriter.object { writer in
                writer.member("missed", missed)
                writer.member("first_number", world.journal.firstNumber)
            }
            connection.sendBody(ServerSentEvent(event: "missed", data: text).bytes)
            // Reports the gap once, even if the journal is empty now.
            lastNumber += missed
        }
        for entry in world.journal.entries(after: lastNumber) {
            connection.sendBody(ServerSentEvent(entry, encoder: encoder).bytes)
            lastNumber = entry.number
            extraCost += entry.extraCost
            if connection.output.count > limit || cost() >= slice { return cost() }
        }
        while verdicts?.isBehind(in: world) ?? false, connection.output.count <= limit, cost() < slice {
            guard let spent = world.judgeNextWaiting() else {
                extraCost += 16 * 1024
                guard let change = verdicts?.change(in: world, at: now) else { break }
                connection.sendBody(ServerSentEvent(event: "verdicts", data: change).bytes)
                break
            }
            extraCost += spent
        }
        return cost()
    }
}
