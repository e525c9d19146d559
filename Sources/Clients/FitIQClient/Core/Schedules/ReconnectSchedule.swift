/// When a socket is opened again that ended unexpectedly.
public struct ReconnectSchedule: Sendable, Hashable {
    /// How the delays grow.
    public var growth: Growth
    /// The most tries in a row without success, after which the client gives up; the guides allow 5.
    public var maximumTries: Int

    /// The ways of the guides.
    public enum Growth: Sendable, Hashable {
        /// Try n comes after n times the step (consultation-websocket: 1 s).
        case linear(step: Duration)
        /// Each delay is twice the one before (enhanced-consultations: from 1 s to 30 s).
        case doubling(first: Duration, longest: Duration)
        /// All delays are the same (meal-log-websocket: 5 s).
        case constant(Duration)
    }

    /// Makes a schedule; the usual one is consultation-websocket's.
    public init(_ growth: Growth = .linear(step: .seconds(1)), maximumTries: Int = 5) {
        self.growth = growth
        self.maximumTries = maximumTries
    }

    /// The schedule of consultation-websocket: n seconds before try n.
    public static let consultationWebSocket = ReconnectSchedule()
    /// The schedule of enhanced-consultations: doubling from 1 s up to 30 s.
    public static let enhancedConsultations = ReconnectSchedule(.doubling(first: .seconds(1), longest: .seconds(30)))
    /// The schedule of meal-log-websocket: every 5 s.
    public static let mealLogWebSocket = ReconnectSchedule(.constant(.seconds(5)))

    /// The wait before a try, the first of a row being 1; nil where the client gives up instead.
    public func delay(beforeTry number: Int) -> Duration? {
        guard number >= 1, number <= maximumTries else { return nil }
        switch growth {
        case .linear(let step): return step * number
        case .constant(let delay): return delay
        case .doubling(let first, let longest):
            var delay = first
            for _ in 1..<number where delay < longest { delay = delay * 2 }
            return min(delay, longest)
        }
    }
}
