import Faults
import FitIQAPI
import FitIQBackend
import JSON
import Judging
import MockServer
import Scenarios
import TestSupport

/// One run: an engine, its worlds, and clients that come and go, all determined by a seed.
///
/// A run uses no sockets, threads or system clock, so the same seed gives the same run, byte for byte.
public final class Simulator {
    /// The seed, which determines the whole run.
    public let seed: UInt64
    let withFaults: Bool
    let operating: Operating
    /// Whether an operator performs random actions.
    let operates: Bool
    var draw: Draw
    package let engine: Engine
    package var betweenSteps: () -> Void = {}
    let network: VirtualNetwork
    let limits: FitIQBackend.Limits
    let start: Timestamp
    /// The worlds where clients are opened.
    private(set) var worlds: [SimulatedWorld] = []
    /// The worlds above, and deleted worlds that may still have clients.
    private var everyWorld: [SimulatedWorld] = []
    private(set) var clients: [SimulatedClient] = []
    private let crowd: Int
    private let sessionCount: Int
    /// Whether the server was asked to stop.
    private(set) var isStopping = false
    private(set) var failure: Failure?
    var report = Report()
    private var trace = Trace()
    /// A buffer for bytes that are not needed.
    var scratch: [UInt8] = []
    /// Forks that no client uses.
    var forks: [FrozenFork] = []
    /// How many numbered frames an operator has sent, and the numbers of those that arrived.
    var byHandCount = 0
    var heardNumbers: Set<Int> = []
    /// The bytes that each client received; they are kept only in runs that release all held items.
    var heard: [Int: [UInt8]] = [:]
    /// The last answer to a client without a number.
    var lastAnswer: JSONValue?

    /// The situations that the worlds' judges have seen; nil if they were not requested.
    public private(set) var coverage: Coverage?

    /// Judges the worlds from now on, to record their clients' situations.
    public func survey() { coverage = Coverage() }

    /// Adds the judges' results; must be called before a world is deleted or reset.
    private func look() {
        guard coverage != nil, report.steps % 16 == 0 || clients.isEmpty else { return }
        for world in worlds {
            guard let seen = engine.judgement(ofWorld: world.id ?? "default")?.coverage else { continue }
            coverage?.formUnion(seen)
        }
    }

    public static let usualSessions = 60

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - seed: determines everything.
    ///   - sessions: the number of sessions.
    ///   - withFaults: whether the default world gets random fault rules.
    ///   - operating: the operator's behaviour.
    ///   - stateFile: the file that saves the worlds, if any.
    public init(
        seed: UInt64, sessions: Int = Simulator.usualSessions, withFaults: Bool = false,
        operating: Operating = .asDrawn, stateFile: StateFile? = nil
    ) {
        self.seed = seed
        self.operating = operating
        self.withFaults = withFaults
        var draw = Draw(seed: seed)
        start = Timestamp(secondsSinceEpoch: 1_738_146_600)
        var configuration = Engine.Configuration(seed: draw.next(), pace: draw.once(in: 3) ? .instant : .human)
        if draw.once(in: 4) { configuration.mode = draw.element(of: GuideMode.allCases) }
        if draw.once(in: 5) { configuration.clock = .manual }
        // An operator needs space, and held items take up space.
        if draw.once(in: 4), !operating.isContinuing { Simulator.tighten(&configuration) }
        configuration.scenario.rules.accounts = AccountRules()
        configuration.scenario.rules.accounts?.passwordCost = 1
        if draw.once(in: 3) {
            configuration.scenario.rules.accounts?.accessLifetime = 10_000_000_000
            configuration.scenario.rules.accounts?.refreshLifetime = 30_000_000_000
        }
        if withFaults {
            configuration.scenario.faults = draw.faultRules()
            // Use a separate source of randomness, so that seeds without breakpoints keep their meaning.
            var own = Draw(seed: seed ^ 0x484F_4C44)
            operates = own.once(in: 2) && operating == .asDrawn
            if operates { configuration.scenario.faults += Simulator.breakpoints(&own) }
        } else {
            operates = false
            if operating == .continuing(holdsEverything: true) {
                configuration.scenario.faults = Simulator.holdingEverything
            }
        }
        let engine: Engine
        do {
            if let stateFile { try configuration.keepState(in: stateFile) }
            engine = try Engine(configuration, now: start)
        } catch {
            preconditionFailure("A scenario without data fits together, and so does an empty file: \(error)")
        }
        engine.observesRequests = false
        self.engine = engine
        limits = configuration.worldLimits
        crowd = 2 + draw.below(8)
        sessionCount = sessions
        self.draw = draw
        network = VirtualNetwork(engine, now: start, motion: .never)
        network.report = { [unowned self] in fail($0, in: nil) }
        adopt(nil)
    }

    /// Lowers the limits far enough for clients to reach them.
    private static func tighten(_ configuration: inout Engine.Configuration) {
        configuration.limits.connections = 5
        configuration.limits.refusedConnections = 2
        configuration.limits.unsentBytes = 20_000
        configuration.limits.unsentBytesBeforeReadingPauses = 4096
        configuration.limits.verifiedTokens = 2
        configuration.worldLimits.activeConsultations = 4
        configuration.worldLimits.waitingMessages = 2
        configuration.worldLimits.messages = 12
        configuration.worldLimits.goals = 3
        configuration.worldLimits.mealLogs = 5
        configuration.worldLimits.photos = 2
        configuration.worldLimits.documents = 3
        configuration.worldLimits.refreshTokens = 2
        configuration.worldLimits.mealSocketsPerMinute = 3
    }

    /// Runs until the end or the first violation.
    public func run() -> Result<Report, Failure> {
        makeWorlds()
        if operates { PoliteClient.play(in: self) }
        while failure == nil, report.sessions < sessionCount || !clients.isEmpty {
            step()
            look()
            if report.sessions >= sessionCount, isLastAct { break }
        }
        if failure == nil { finish() }
        return failure.map(Result.failure) ?? .success(report)
    }

    /// Whether the server stops now, while clients are still connected; this happens in one run out of three.
    private var isLastAct: Bool { seed % 3 == 0 && clients.count <= 2 }

    private func step() {
        report.steps += 1
        betweenSteps()
        if operates, draw.once(in: 4) {
            operate(in: draw.element(of: worlds))
        } else if draw.once(in: 4) {
            advance()
        } else if clients.isEmpty || (clients.count < crowd && report.sessions < sessionCount && draw.once(in: 3)) {
            openSession()
        } else {
            let client = clients[draw.below(clients.count)]
            client.act()
            catchUp()
            client.checkAnswers()
            checkStep(client.user)
            if client.isDone { end(client) }
            return
        }
        catchUp()
        checkStep(nil)
    }

    private func advance() {
        let milliseconds: Int =
            switch draw.below(12) {
            case 0: 1000 + draw.below(4000)
            case 1: draw.once(in: 8) ? 60_000 + draw.below(40_000) : 12_000
            default: draw.below(300)
            }
        let nanoseconds = Int64(milliseconds) * 1_000_000 + Int64(draw.below(1000))
        note(.advance(nanoseconds), by: 0)
        pass(nanoseconds)
    }

    private func openSession() {
        guard report.sessions < sessionCount else { return }
        report.sessions += 1
        let world = draw.element(of: worlds)
        let client = SimulatedClient(
            number: report.sessions, user: draw.element(of: world.users), operations: 3 + draw.below(12),
            simulator: self)
        clients.append(client)
        client.act()
    }

    private func end(_ client: SimulatedClient) {
        client.wire?.vanish()
        clients.removeAll { $0 === client }
        checkWorld(client.world)
    }

    // MARK: Worlds

    private func makeWorlds() {
        for number in 0..<draw.below(3) {
            let mode = draw.once(in: 4) ? draw.element(of: GuideMode.allCases) : .union
            operate(.makeWorld(draw.next(), mode, isManual: draw.once(in: 2)))
            guard failure == nil else { return }
            adopt("w\(number + 1)")
        }
    }

    /// Lets clients use a fork of a world.
    func adoptFork(_ id: String) { adopt(id) }

    private func adopt(_ id: String?) {
        // Immediate releases do not affect any check.
        let faults = withFaults ? engine.configuration.scenario.faults : []
        guard let facts = engine.inspectWorld(id) else { return fail("the world \(id ?? "") does not exist", in: nil) }
        let world = SimulatedWorld(
            id: id, mode: facts.mode, isManual: facts.isManual, apiKey: facts.apiKey, secret: facts.jwtSecret,
            faults: faults, userCount: 1 + draw.below(3))
        worlds.append(world)
        everyWorld.append(world)
    }

    /// The world whose paths have no prefix, which is never deleted.
    var defaultWorld: SimulatedWorld { everyWorld[0] }

    /// Stops opening clients in deleted worlds.
    func forgetWorlds() { worlds.removeAll { engine.inspectWorld($0.id) == nil } }

    /// Records that a world is about to be reset.
    func noteReset(of id: String) { for world in everyWorld where world.id == id { world.noteReset() } }

    /// A user in another world, if there is one.
    func foreigner(to world: SimulatedWorld) -> SimulatedUser? {
        let others = worlds.filter { $0 !== world }
        return others.isEmpty ? nil : draw.element(of: draw.element(of: others).users)
    }

    // MARK: The end

    private func finish() {
        walkLists()
        checkForks()
        // Move further than a meal socket's idle limit.
        for world in worlds where world.isManual { operate(.advanceClock(world.id, milliseconds: 1_300_000)) }
        if seed % 3 == 0 { stop() } else { leave() }
        if network.openCount > 0 { fail("\(network.openCount) connections are left", in: nil) }
        clients.removeAll()
        quieten()
        guard failure == nil else { return }
        checkEnd()
    }

    private func leave() {
        for client in clients where client.isConnected { client.wire?.vanish() }
        catchUp()
    }

    private func stop() {
        note(.shutDown, by: 0)
        isStopping = true
        let listeners = clients.filter(\.isListening)
        network.beginShutdown()
        network.catchUp()
        for client in listeners { client.checkGoingAway() }
        network.advance(by: engine.shutdownTime)
        engine.resetAll()
        network.catchUp()
    }

    /// Moves the clock until nothing is due, so that answers end and idle worlds are deleted.
    private func quieten() {
        var turns = 0
        while let due = engine.nextDeadline, failure == nil {
            network.advance(by: .nanoseconds(due.nanosecondsSinceEpoch - network.now.nanosecondsSinceEpoch))
            turns += 1
            if turns > 100_000 { return fail("the server is never quiet", in: nil) }
        }
    }

    // MARK: Shared by all parts

    func note(_ operation: Operation, by client: Int) { _ = noteRequest(operation, by: client) }

    func noteRequest(_ operation: Operation, by client: Int) -> Int {
        trace.append(Trace.Entry(step: report.steps, time: network.now, client: client, operation: operation))
    }

    func answered(_ expectation: Expectation, status: Int) {
        report.responses += 1
        if let endpoint = expectation.endpoint, status < 300 { report.succeeded.insert(endpoint) }
        trace.answered(expectation.traceNumber, status: status)
    }

    func heardFrame() { report.frames += 1 }
    func heardAnswer() { report.answers += 1 }

    /// Records a violation; the first violation ends the run.
    func fail(_ message: String, in world: SimulatedWorld?) {
        guard failure == nil else { return }
        failure = Failure(
            seed: seed, world: world?.name ?? "all", step: report.steps, message: message,
            operations: trace.lines(since: start),
            flag: operating.isContinuing ? "--breakpoints" : withFaults ? "--faults" : "")
    }

    /// Adds the length and some of the bytes to the digest of everything that clients receive; adding all of them would
    /// take too long.
    func digest(_ bytes: UnsafeRawBufferPointer) {
        var value = (report.digest ^ UInt64(bytes.count)) &* 0x100_0000_01B3
        var index = 0
        while index < bytes.count {
            value = (value ^ UInt64(bytes[index])) &* 0x100_0000_01B3
            index += 13
        }
        report.digest = value
    }

    func hasConsultation(_ id: ResourceID, in world: SimulatedWorld) -> Bool {
        engine.inspectBackend(ofWorld: world.id) { $0.consultationFacts(id) != nil } ?? false
    }

    func messages(of id: ResourceID, in world: SimulatedWorld) -> [Message] {
        engine.inspectBackend(ofWorld: world.id) { $0.history(of: id) } ?? []
    }
}
