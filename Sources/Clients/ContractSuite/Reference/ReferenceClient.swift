import FitIQAPI
import FitIQClient

/// FitIQClient as a client under test: on the suite's clock, over an in-memory network, reproducible to the byte.
///
/// With a ``Mutation`` or a changed configuration it becomes a client with one known error, to check that the suite
/// detects it.
public final class ReferenceClient: ClientUnderTest {
    private let network: VirtualNetwork
    private let endpoint: VirtualNetwork.Endpoint
    @exclusivity(unchecked) private var core: ClientCore
    @exclusivity(unchecked) private var mutation: (any Mutation)?
    @exclusivity(unchecked) private var now: Timestamp
    @exclusivity(unchecked) private var changeCount: UInt64 = 0
    /// How many rounds a client may take at one point in time before it has to continue later.
    private static let roundsAtATime = 200

    /// Creates a reference client.
    ///
    /// - Parameters:
    ///   - seed: determines the keys of its WebSockets.
    ///   - mutation: the injected error; nil for a correct client.
    ///   - configure: changes the default configuration.
    /// - Throws: `ClientError.badURL` if the surroundings have no URL that this client supports.
    public init(
        _ surroundings: Surroundings, network: VirtualNetwork, seed: UInt64 = 1, mutation: (any Mutation)? = nil,
        configure: (inout ClientConfiguration) -> Void = { _ in }
    ) throws(ClientError) {
        var configuration = ClientConfiguration(
            credentials: Credentials(
                token: surroundings.token, apiKey: surroundings.apiKey, refreshToken: surroundings.refreshToken),
            freshToken: surroundings.freshToken, guide: surroundings.guide)
        configure(&configuration)
        core = ClientCore(configuration)
        endpoint = network.join(ClientWire(base: try BaseURL(surroundings.url), seed: seed))
        self.network = network
        self.mutation = mutation
        now = surroundings.now
    }

    public var clock: ClientClock { .suite }
    public func perform(_ instruction: ClientInstruction) { core.perform(ClientCommand(instruction, at: now), at: now) }

    public var revision: UInt64? { changeCount }
    public func report() -> ClientReport { mutation?.report(core.state) ?? core.state }

    /// Does everything due or arrived, and returns when it is due next.
    public func settle(at time: Timestamp) -> Timestamp? {
        now = max(now, time)
        for round in 0..<Self.roundsAtATime {
            let next = core.deadline(advancedTo: now)
            // The events need no reaction: the client uses the fresh token automatically.
            if !core.takeEvents().isEmpty { changeCount += 1 }
            let isMutationDue = mutation?.nextDeadline.map { $0 <= now } ?? false
            var actions = core.takeActions()
            if !actions.isEmpty || isMutationDue { actions = mutation?.actions(actions, at: now) ?? actions }
            for action in actions { endpoint.wire.perform(action) }
            // The round before has left nothing to carry.
            let hasMoved = (round == 0 || !actions.isEmpty) && network.settle()
            var inputs = endpoint.wire.takeInputs()
            if !inputs.isEmpty || isMutationDue { inputs = mutation?.inputs(inputs, at: now) ?? inputs }
            for input in inputs { core.receive(input, at: now) }
            if actions.isEmpty, inputs.isEmpty, !hasMoved {
                // Nothing has changed since it was asked.
                return .earliest(next, mutation?.nextDeadline)
            }
        }
        // Still not idle: the caller decides how long to continue.
        return now
    }

    public func end() {
        endpoint.wire.abandonAll()
        network.settle()
    }
}

extension ClientCore {
    /// Performs due work, and returns the next deadline.
    ///
    /// In place: a property of a class is copied to be asked.
    fileprivate mutating func deadline(advancedTo now: Timestamp) -> Timestamp? {
        let next = nextDeadline
        guard let next, next <= now else { return next }
        advance(to: now)
        return nextDeadline
    }
}

/// An injected error: it sits between a reference client's decisions and its network, and may change both.
///
/// To drop an action omit it, to delay it keep it and return ``nextDeadline``, to repeat it return it twice; its own
/// actions have numbers from a million up. Methods not implemented change nothing.
public protocol Mutation {
    /// The actions to perform instead of these; called with none when ``nextDeadline`` is due.
    mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction]
    /// The inputs to pass to the client instead of these; called with none when ``nextDeadline`` is due.
    mutating func inputs(_ inputs: [ClientInput], at now: Timestamp) -> [ClientInput]
    /// The report to show instead of this one.
    func report(_ report: ClientReport) -> ClientReport
    /// When it must be called without input; later than the time of the last call, or nil.
    var nextDeadline: Timestamp? { get }
}

extension Mutation {
    public mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction] { actions }
    public mutating func inputs(_ inputs: [ClientInput], at now: Timestamp) -> [ClientInput] { inputs }
    public func report(_ report: ClientReport) -> ClientReport { report }
    public var nextDeadline: Timestamp? { nil }
}
