/// How much a world keeps; each limit has its refusal (docs/limits.md).
public struct Limits: Sendable, Equatable {
    /// Active consultations of a user; 429 beyond (consultation-websocket).
    public var activeConsultations = 10
    /// Users of a world; 507 beyond.
    public var users = 100_000
    /// Messages of a consultation; an `error` frame beyond.
    public var messages = 10_000
    /// Messages of a consultation that wait for an answer; an `error` frame beyond (CONTRACT: the WebSocket).
    public var waitingMessages = 16
    /// Goals of a user; 507 beyond.
    public var goals = 1000
    /// Meal logs of a user; 507 beyond.
    public var mealLogs = 10_000
    /// Bytes of JSON that a world holds; beyond, 507 or an `error` frame, and a meal log being processed fails.
    public var storedBytes = 256 * 1024 * 1024

    /// The documented limits.
    public init() {}
}
