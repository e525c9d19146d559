import FitIQAPI
import FitIQClient
import HTTPTypes
import JSON
import Judging
import Text
import Traffic

/// Runs a command in worlds on another server, such as a node of a fleet, and judges the command by their journals.
///
/// Worlds that the command itself makes may be deleted before the command ends, so the server judges them.
struct RemoteRun: Sendable {
    let server: RemoteServer
    let child: CommandChild
    /// Keeps the journals of all runs for a page, or nil if there is no page.
    let journal: ReportJournal?
    /// Shows progress, or nil to show nothing.
    let progress: JobProgress?
    /// The maximum number of bytes in a journal, which is the limit for a world.
    private static let journalLimit = 256 << 20

    /// A world as the server describes it.
    private struct World {
        let id: String
        let mode: GuideMode
        let startedAt: Timestamp?
        let environment: [(name: String, value: String)]
    }

    /// - Parameter world: the body of the request that makes the world.
    /// - Returns: nil if the run was stopped.
    func run(_ world: JSONObject, named name: String, index: Int) throws(Failure) -> VerifyRun.Result? {
        do throws(Failure) {
            let place = try makeWorld(world, named: name)
            // The server and its world may be gone.
            defer { _ = try? server.ask(.delete, "worlds/\(place.id)") }
            progress?.say(index, name, Messages.commandRuns)
            let done = try child.run(
                in: place.environment, named: name,
                activity: { () throws(Failure) in
                    UInt64(try object(.get, "requests?limit=1", in: place.id)["last_number"]?.int ?? 0)
                },
                everySecond: {
                    let seconds = $0.components.seconds
                    progress?.say(index, name, "\(seconds) s", passingAfter: seconds)
                }, seeing: { () throws(Failure) in try judged(place, named: name) })
            guard let done else { return nil }
            var (run, traffic, made) = done.seen
            (run.command, run.duration) = (done.ending, done.duration.nanoseconds)
            let worlds = made.reduce(0) { $0 + $1.worldCount }
            let runs = made.map(\.run).filter(\.hasConnected)
            // A command whose tests have their own worlds needs no other world.
            run.hasConnected = run.hasConnected || !runs.isEmpty
            let how = Messages.commandEnded(done.ending, tenths: done.duration.nanoseconds / 100_000_000)
            return VerifyRun.Result(ending: "\(how), \(traffic.inWords(worlds: worlds))", runs: [run] + runs)
        } catch {
            guard !child.stop.wait(until: .now()) else { return nil }
            // A lost server ends only this run. Any other error ends all runs.
            guard error.exitCode == 3 else { throw error }
            return VerifyRun.Result(ending: error.message, lost: (name, error.message))
        }
    }

    private func makeWorld(_ request: JSONObject, named name: String) throws(Failure) -> World {
        let world = try object(.post, "worlds", body: .object(request), refusedBy: Failure.configuration)
        guard let id = world["id"]?.string, let url = world["url"]?.string,
            let mode = world["guide"]?.string.flatMap(GuideMode.init(rawValue:))
        else { throw .configuration(Messages.notTheFake(server.base.authority)) }
        func text(_ key: String) -> String { world[key]?.string ?? "" }
        let fresh = try object(.post, "tokens", in: id, body: ["expires_in": "365d"])["token"]?.string
        return World(
            id: id, mode: mode, startedAt: Timestamp(text("now")),
            environment: Harness.environment([
                (.url, url), (.wsUrl, text("ws_url")), (.token, text("token")),
                (.freshToken, fresh ?? text("token")), (.refreshToken, world["refresh_token"]?.string),
                (.apiKey, text("api_key")), (.scenario, name),
                // The admin API may be unreachable at the public URL.
                (.adminUrl, "http://\(server.base.authority)\(server.base.path)/w/\(id)/__admin"),
            ]))
    }

    /// A run that covers the worlds that a command made with the same scenario and guide, and how many such worlds
    /// there are.
    typealias Made = (run: Report.Run, worldCount: Int)

    private func judged(_ world: World, named name: String) throws(Failure) -> (Report.Run, Traffic, [Made]) {
        let now = try object(.get, "worlds/\(world.id)")["now"]?.string.flatMap { Timestamp($0) }
        var (reader, judge, traffic) = (JournalReader(), Judge(mode: world.mode), Traffic())
        reader.receive(try ask(.get, "journal", in: world.id, limit: Self.journalLimit)[...])
        reader.finish()
        do throws(Refusal) {
            while let line = try reader.next() {
                judge.observe(line.entry)
                traffic.count(line.entry)
                journal?.append(line.entry, of: name)
            }
        } catch {
            throw .running(Messages.inFile(name, error.description))
        }
        let run = Report.Run(
            scenario: name, mode: world.mode, startedAt: world.startedAt, hasConnected: traffic != Traffic(),
            verdicts: judge.verdicts(at: now), exposures: judge.exposures, coverage: judge.coverage,
            missedCount: judge.missedCount)
        let answer = try ask(.get, "verdicts", in: world.id, limit: Self.journalLimit)
        guard let verdicts = try? JSON.parse(answer) else {
            throw .configuration(Messages.notTheFake(server.base.authority))
        }
        var made: [Made] = []
        for judgement in verdicts["worlds"]?.array ?? [] {
            guard let one = Self.made(judgement, in: name) else {
                throw .running(Messages.judgesOtherwise(server.base.authority))
            }
            made.append(one)
        }
        return (run, traffic, made)
    }

    /// Reads the server's judgement, except for the coverage, for which the server reports only numbers.
    ///
    /// - Returns: Nil if the judgement names a guide or an obligation that this version lacks; skipping it could hide a
    ///   breach.
    static func made(_ judgement: JSONValue, in name: String) -> Made? {
        guard let mode = judgement["guide"]?.string.flatMap(GuideMode.init(rawValue:)),
            let list = judgement["verdicts"]?.array, case let verdicts = list.compactMap({ Verdict($0) }),
            verdicts.count == list.count
        else { return nil }
        let exposures = judgement["exposures"]?.array?.compactMap { exposure in
            exposure["path"]?.string.flatMap(Exposure.Path.init(rawValue:)).map {
                Exposure(path: $0, count: exposure["count"]?.int ?? 0)
            }
        }
        let run = Report.Run(
            scenario: "\(name) > \(judgement["scenario"]?.string ?? "")", mode: mode,
            startedAt: judgement["started_at"]?.string.flatMap { Timestamp($0) },
            hasConnected: judgement["has_connected"]?.bool ?? false,
            verdicts: verdicts, exposures: exposures ?? [], missedCount: judgement["missed"]?.int ?? 0)
        return (run, judgement["world_count"]?.int ?? 1)
    }

    private func object(
        _ method: HTTPRequest.Method, _ path: String, in world: String? = nil, body: JSONValue? = nil,
        refusedBy refusal: (String) -> Failure = Failure.running
    ) throws(Failure) -> JSONValue {
        let bytes = try ask(method, path, in: world, body: body, refusedBy: refusal)
        guard let value = try? JSON.parse(bytes) else {
            throw .configuration(Messages.notTheFake(server.base.authority))
        }
        return value
    }

    /// - Parameter refusal: makes the failure for a rejected request, which does not count as a lost run.
    private func ask(
        _ method: HTTPRequest.Method, _ path: String, in world: String?, body: JSONValue? = nil, limit: Int = 1 << 20,
        refusedBy refusal: (String) -> Failure = Failure.running
    ) throws(Failure) -> [UInt8] {
        do throws(ClientError) {
            return try server.ask(method, path, world: world, body: body, limit: limit)
        } catch {
            if case .refused(let status, _) = error, status < 500 {
                throw refusal(Messages.sentence(error.description))
            }
            throw .running(Messages.sentence(error.description))
        }
    }
}

extension Verdict {
    /// Reads a verdict from the admin API; nil if this version lacks its obligation.
    fileprivate init?(_ verdict: JSONValue) {
        guard let obligation = Judge.obligations.first(where: { verdict["id"] == .string($0.id) }),
            let outcome = verdict["verdict"]?.string.flatMap(Outcome.init(rawValue:))
        else { return nil }
        self.init(
            obligation: obligation, outcome: outcome, exercisedCount: verdict["exercised"]?.int ?? 0,
            findings: verdict["findings"]?.array?.map { Finding($0) } ?? [],
            findingCount: verdict["finding_count"]?.int ?? 0)
        moreEntries = verdict["more_entries"]?.array?.compactMap(\.int) ?? []
        isAboutSwift = verdict["advice"] != .string(obligation.advice)
        isLeftToServer = verdict["not_judged"]?.bool ?? false
    }
}

extension Finding {
    fileprivate init(_ finding: JSONValue) {
        var reader = JournalReader()
        for entry in finding["evidence"]?.array ?? [] { reader.receive(entry.encoded() + [UInt8(ascii: "\n")]) }
        reader.finish()
        var evidence: [JournalEntry] = []
        while let line = try? reader.next() { evidence.append(line.entry) }
        self.init(
            level: finding["level"]?.string.flatMap(Obligation.Level.init(rawValue:)) ?? .must,
            message: finding["message"]?.string ?? "", evidence: evidence)
    }
}
