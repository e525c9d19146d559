/// How long a client waits for what should happen.
public struct ClientPatience: Sendable, Hashable {
    /// The longest wait for a response to a request.
    public var response = Duration.seconds(30)
    /// The longest wait for the answer to a handshake.
    public var handshake = Duration.seconds(30)
    /// The longest wait for `connected` once the socket is open.
    public var connected = Duration.seconds(10)
    /// The time between two pings (meal-log-websocket asks for one each 30 s).
    public var pingInterval = Duration.seconds(25)
    /// The longest wait for a pong, or any other sign of life, after a ping; then the socket counts as dropped.
    public var pong = Duration.seconds(10)
    /// The longest silence while an answer is awaited or streams.
    public var answer = Duration.seconds(60)
    /// The longest wait for the server's close frame after the client's own.
    public var close = Duration.seconds(5)
    /// The time after the client's own close in which no socket is opened (meal-log-websocket: 3 s).
    public var afterOwnClose = Duration.seconds(3)
    /// The time after a 429 in which no consultation is created, unless one was archived.
    public var afterTooMany = Duration.seconds(60)
    /// The longest wait for ``ClientCommand/useToken(_:)`` after ``ClientEvent/credentialsRefused``.
    public var token = Duration.seconds(60)
    /// The wait for the event of a meal while a socket is open, before the one look at it that is no poll.
    ///
    /// Processing takes 2.0 to 4.5 s, and a look within 5 s of creating is not taken for a poll.
    public var mealEvent = Duration.milliseconds(4700)
    /// The time after which a meal whose event has not come is given up.
    public var meal = Duration.seconds(65)

    /// The patience that keeps all guides.
    public init() {}
}
