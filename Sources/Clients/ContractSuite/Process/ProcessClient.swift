import FitIQAPI

/// A client behind an adapter, for one case: made by ``ProcessAdapter/begin(_:case:)``.
///
/// What its methods throw is an ``AdapterError``, or ``UnsupportedInstruction``.
public struct ProcessClient: ClientUnderTest, Sendable {
    /// Whose clock it said that it follows.
    public let clock: ClientClock
    private let adapter: ProcessAdapter

    init(_ adapter: ProcessAdapter, clock: ClientClock) {
        self.adapter = adapter
        self.clock = clock
    }

    /// Has the client begin something.
    public func perform(_ instruction: ClientInstruction) async throws {
        do throws(AdapterError) {
            try await adapter.ask(.perform(instruction), AdapterAnswer.done)
        } catch {
            if error.isUnsupported { throw UnsupportedInstruction(instruction) }
            throw error
        }
    }

    /// What the client's user sees.
    public func report() async throws -> ClientReport {
        try await adapter.ask(.report, AdapterAnswer.report)
    }

    /// Sets the client's clock, and asks when its next timer is due; one that follows the system's is not asked.
    public func settle(at time: Timestamp) async throws -> Timestamp? {
        guard clock == .suite else { return nil }
        return try await adapter.ask(.settle(time), AdapterAnswer.next)
    }

    /// Ends the client; the process stays for the next case.
    public func end() async {
        // One that cannot even do this is ended, and shows in the next case if it is no accident.
        try? await adapter.ask(.end, AdapterAnswer.done)
    }
}
