/// The listing `ConsultationWebSocketManager` from consultation-websocket, reduced to the code for reconnecting.
///
/// The statements are in the listing's order. The caller plays the network and decides what happens to the pending
/// receive.
struct ListedReconnecting {
    private(set) var reconnectAttempts = 0
    private let maxReconnectAttempts = 5
    private(set) var isConnected = false
    /// The number of started handshakes.
    private(set) var handshakes = 0
    /// The seconds to wait before each handshake except the first.
    private(set) var delays: [Int] = []
    private var hasPendingReceive = false
    private var wantsConnection = false

    /// The fixes for the listing's two faults.
    struct Fixes: OptionSet {
        let rawValue: Int
        /// The number of attempts is reset only when the server sends `connected`.
        static let resetsWhenConnected = Fixes(rawValue: 1)
        /// A failure after `disconnect()` does not cause a reconnect.
        static let remembersDisconnect = Fixes(rawValue: 2)
    }
    let fixes: Fixes

    init(_ fixes: Fixes = []) { self.fixes = fixes }

    mutating func connect() {
        wantsConnection = true
        handshakes += 1
        // `task.resume()` returns immediately, before anything has arrived.
        isConnected = true
        if !fixes.contains(.resetsWhenConnected) { reconnectAttempts = 0 }
        hasPendingReceive = true
    }

    /// Handles the arrival of `connected`.
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

    /// Whether another handshake is in progress.
    var isTrying: Bool { hasPendingReceive }
}
