/// The listing of consultation-websocket, `ConsultationWebSocketManager`, cut down to what decides about reconnecting.
///
/// The order of statements is the listing's; the network is the caller, who says what happens to the pending receive.
struct ListedReconnecting {
    private(set) var reconnectAttempts = 0
    private let maxReconnectAttempts = 5
    private(set) var isConnected = false
    /// Handshakes begun.
    private(set) var handshakes = 0
    /// Seconds waited before each handshake but the first.
    private(set) var delays: [Int] = []
    private var hasPendingReceive = false
    private var wantsConnection = false

    /// Which of the listing's two faults are fixed.
    struct Fixes: OptionSet {
        let rawValue: Int
        /// The attempts are counted until the server says `connected`.
        static let resetsWhenConnected = Fixes(rawValue: 1)
        /// What fails after `disconnect()` is no reason to reconnect.
        static let remembersDisconnect = Fixes(rawValue: 2)
    }
    let fixes: Fixes

    init(_ fixes: Fixes = []) { self.fixes = fixes }

    mutating func connect() {
        wantsConnection = true
        handshakes += 1
        // `task.resume()` returns at once: nothing has arrived yet.
        isConnected = true
        if !fixes.contains(.resetsWhenConnected) { reconnectAttempts = 0 }
        hasPendingReceive = true
    }

    /// The frame `connected` arrives.
    mutating func serverSaysConnected() {
        if fixes.contains(.resetsWhenConnected) { reconnectAttempts = 0 }
    }

    mutating func disconnect() {
        wantsConnection = false
        isConnected = false
        // `cancel` completes the pending receive with an error, and the listing's completion handler runs.
        if hasPendingReceive { receiveFails() }
    }

    /// The pending receive completes with an error: `handleConnectionError`.
    mutating func receiveFails() {
        precondition(hasPendingReceive, "nothing is being received")
        hasPendingReceive = false
        isConnected = false
        if fixes.contains(.remembersDisconnect), !wantsConnection { return }
        if reconnectAttempts < maxReconnectAttempts {
            reconnectAttempts += 1
            delays.append(reconnectAttempts)
            connect()
        }
    }

    /// Whether another handshake is under way.
    var isTrying: Bool { hasPendingReceive }
}
