import FitIQAPI
import FitIQClient

/// FitIQClient as a client under test: on the suite's clock, over a network of arrays, exact to the byte.
///
/// With a ``Mutation`` or a changed configuration it is a client that errs in one known way, to see that it is found out.
public final class ReferenceClient: ClientUnderTest {
    private let network: VirtualNetwork
    private let endpoint: VirtualNetwork.Endpoint
    private var core: ClientCore
    private var mutation: (any Mutation)?
    private var now: Timestamp

    /// How often a client may answer what it is told at one and the same time before it is let go on later.
    private static let roundsAtATime = 200
    /// How far ahead the goals' target dates lie.
    private static let goalTime: Int64 = 90 * 86_400 * 1_000_000_000

    /// Makes a client that has done nothing.
    ///
    /// - Parameters:
    ///   - seed: decides the keys of its WebSockets.
    ///   - mutation: what makes it err; nil for one that does right.
    ///   - configure: changes the usual configuration.
    /// - Throws: `ClientError.badURL` where the surroundings have no URL that this client knows.
    public init(
        _ surroundings: Surroundings, network: VirtualNetwork, seed: UInt64 = 1, mutation: (any Mutation)? = nil,
        configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws(ClientError) {
        var configuration = ClientConfiguration(
            credentials: Credentials(token: surroundings.token, apiKey: surroundings.apiKey),
            freshToken: surroundings.freshToken, guide: surroundings.guide)
        configure(&configuration)
        core = ClientCore(configuration)
        endpoint = network.join(ClientWire(base: try BaseURL(surroundings.url), seed: seed))
        self.network = network
        self.mutation = mutation
        now = surroundings.now
    }

    /// The suite's.
    public var clock: ClientClock { .suite }

    /// Begins what its user asks for; it goes out when the client is settled.
    public func perform(_ instruction: ClientInstruction) {
        core.perform(command(instruction), at: now)
    }

    /// What its user sees now.
    public func report() -> ClientReport {
        let report = ClientReport(core.state)
        return mutation?.report(report) ?? report
    }

    /// Does all that is due or has arrived, and tells when it is due next.
    public func settle(at time: Timestamp) -> Timestamp? {
        now = max(now, time)
        for _ in 0..<Self.roundsAtATime {
            if let due = core.nextDeadline, due <= now { core.advance(to: now) }
            // Nobody is told: the token that is there is used by itself.
            _ = core.takeEvents()
            let isMutationDue = mutation?.nextDeadline.map { $0 <= now } ?? false
            var actions = core.takeActions()
            if !actions.isEmpty || isMutationDue { actions = mutation?.actions(actions, at: now) ?? actions }
            for action in actions { endpoint.wire.perform(action) }
            let hasMoved = network.settle()
            var inputs = endpoint.wire.takeInputs()
            if !inputs.isEmpty || isMutationDue { inputs = mutation?.inputs(inputs, at: now) ?? inputs }
            for input in inputs { core.receive(input, at: now) }
            if actions.isEmpty, inputs.isEmpty, !hasMoved { return next }
        }
        // Still not quiet: whoever carries it on decides for how long.
        return now
    }

    /// Closes its connections without a word.
    public func end() {
        endpoint.wire.abandonAll()
        network.settle()
    }

    private var next: Timestamp? {
        [core.nextDeadline, mutation?.nextDeadline].compactMap { $0 }.min()
    }

    private func command(_ instruction: ClientInstruction) -> ClientCommand {
        switch instruction {
        case .startConsultation(let persona): .startConsultation(persona: persona)
        case .openConsultation(let id): .openConsultation(id: id)
        case .send(let text): .send(text: text)
        case .archive: .archive
        case .disconnect: .disconnect
        case .createGoal(let title, let description):
            .createGoal(
                title: title, description: description, targetDate: now.advanced(byNanoseconds: Self.goalTime))
        case .chatAboutGoal(let id): .chatAboutGoal(id: id)
        case .logMeal(let text, let type): .logMeal(text: text, type: type)
        case .loadGoals: .loadGoals
        }
    }
}

/// What makes a reference client err: it stands between the client's decisions and its network, and may change both.
///
/// To drop an action leave it out, to delay it keep it and give ``nextDeadline``, to repeat it return it twice; actions of its own
/// have numbers of a million and up. What it does not implement stays as it is.
public protocol Mutation {
    /// The actions to do in place of these; called with none when ``nextDeadline`` has come.
    mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction]

    /// What the client is told in place of this; called with nothing when ``nextDeadline`` has come.
    mutating func inputs(_ inputs: [ClientInput], at now: Timestamp) -> [ClientInput]

    /// What the user sees in place of this.
    func report(_ report: ClientReport) -> ClientReport

    /// When it wants to be called though nothing happens; later than the time of the last call, or nil.
    var nextDeadline: Timestamp? { get }
}

extension Mutation {
    /// The same.
    public mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction] { actions }
    /// The same.
    public mutating func inputs(_ inputs: [ClientInput], at now: Timestamp) -> [ClientInput] { inputs }
    /// The same.
    public func report(_ report: ClientReport) -> ClientReport { report }
    /// Never.
    public var nextDeadline: Timestamp? { nil }
}

extension ClientReport {
    /// What the user of a reference client sees.
    public init(_ state: ClientState) {
        self.init()
        consultation = state.consultation
        connection =
            switch state.connection {
            case .disconnected: .disconnected
            case .connecting: .connecting
            case .connected: .connected
            case .failed: .failed
            }
        transcript = state.transcript.map { Line(role: $0.role, text: $0.text, isComplete: $0.isComplete) }
        problems = state.problems.map { Problem(kind: Problem.Kind($0.kind), message: $0.message) }
        goals = state.goals.map { Goal(id: $0.id, title: $0.title, conversation: $0.conversation) }
        meals = state.meals.map {
            Meal(id: $0.id, text: $0.text, status: $0.status, calories: $0.calories, error: $0.error)
        }
        isBusy = state.isBusy
    }
}

extension ClientReport.Problem.Kind {
    init(_ kind: ClientState.Problem.Kind) {
        self =
            switch kind {
            case .tooMany: .tooMany
            case .unauthorized: .unauthorized
            case .notFound: .notFound
            case .refused: .refused
            case .unavailable: .unavailable
            case .chat: .chat
            case .meal: .meal
            }
    }
}
