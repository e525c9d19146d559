import FitIQAPI
import FitIQClient

/// FitIQClient as a client under test, on the suite's clock and an in-memory network, with reproducible bytes.
///
/// With a ``Mutation`` or a changed configuration, the client has one known error, which the suite must detect.
public final class ReferenceClient: ClientUnderTest {
    private let network: VirtualNetwork
    private let endpoint: VirtualNetwork.Endpoint
    private var core: ClientCore
    private var mutation: (any Mutation)?
    private var now: Timestamp
    private var changeCount: UInt64 = 0
    /// The number of rounds at one point in time after which the caller decides whether to continue.
    private static let roundsAtATime = 200

    /// - Parameters:
    ///   - seed: Determines the keys of its WebSockets.
    ///   - mutation: The injected error, or nil for a correct client.
    ///   - configure: Changes the default configuration.
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

    /// Does all work that is due, and returns the time at which more work will be due.
    public func settle(at time: Timestamp) -> Timestamp? {
        now = max(now, time)
        for round in 0..<Self.roundsAtATime {
            let next = core.deadline(advancedTo: now)
            // The client uses the fresh token without help, so the events need no handling.
            if !core.takeEvents().isEmpty { changeCount += 1 }
            let isMutationDue = mutation?.nextDeadline.map { $0 <= now } ?? false
            var actions = core.takeActions()
            if !actions.isEmpty || isMutationDue { actions = mutation?.actions(actions, at: now) ?? actions }
            for action in actions { endpoint.wire.perform(action) }
            // The previous round left nothing to transmit.
            let hasMoved = (round == 0 || !actions.isEmpty) && network.settle()
            var inputs = endpoint.wire.takeInputs()
            if !inputs.isEmpty || isMutationDue { inputs = mutation?.inputs(inputs, at: now) ?? inputs }
            for input in inputs { core.receive(input, at: now) }
            if actions.isEmpty, inputs.isEmpty, !hasMoved {
                // Nothing has changed since the deadline was computed.
                return .earliest(next, mutation?.nextDeadline)
            }
        }
        // The client is still busy. The caller decides how long to continue.
        return now
    }

    public func end() {
        endpoint.wire.abandonAll()
        network.settle()
    }
}

extension ClientCore {
    /// Performs the work that is due and returns the next deadline.
    ///
    /// The core is changed in place, because reading a property of a class copies it.
    fileprivate mutating func deadline(advancedTo now: Timestamp) -> Timestamp? {
        let next = nextDeadline
        guard let next, next <= now else { return next }
        advance(to: now)
        return nextDeadline
    }
}

/// An injected error between a reference client's decisions and its network, which may change both.
///
/// To drop an action, omit it. To delay it, store it and return ``nextDeadline``. To repeat it, return it twice. A
/// mutation's new actions are numbered from one million. The default implementations change nothing.
public protocol Mutation {
    /// The actions to perform instead; called without actions when ``nextDeadline`` is reached.
    mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction]
    /// The inputs to pass to the client instead; called without inputs when ``nextDeadline`` is reached.
    mutating func inputs(_ inputs: [ClientInput], at now: Timestamp) -> [ClientInput]
    /// The report to show instead.
    func report(_ report: ClientReport) -> ClientReport
    /// When to call the mutation next if there is no input until then, or nil.
    var nextDeadline: Timestamp? { get }
}

extension Mutation {
    public mutating func actions(_ actions: [ClientAction], at now: Timestamp) -> [ClientAction] { actions }
    public mutating func inputs(_ inputs: [ClientInput], at now: Timestamp) -> [ClientInput] { inputs }
    public func report(_ report: ClientReport) -> ClientReport { report }
    public var nextDeadline: Timestamp? { nil }
}
