import FitIQAPI
import WebSocket

/// Stopping in good order.
extension Engine {
    /// Begins to stop: idle connections close, requests that have begun are answered, sockets are closed with 1001.
    ///
    /// The transport stops accepting, and ends after ``ServerLimits/shutdownTime`` or when no connection is left.
    public func beginShutdown(at now: Timestamp) {
        guard !isShuttingDown else { return }
        isShuttingDown = true
        for connection in connections where connection.ending == .none {
            if connection.isSilent {
                recorder.closed(connection, by: .server, .shutdown)
                end(connection, .reset)
            } else if connection.webSocket != nil {
                goAway(connection, at: now)
            } else if connection.follower != nil {
                endEvents(on: connection, at: now)
            } else if connection.waiting == nil, connection.stream == nil, !connection.http.isReadingHead,
                !connection.http.isReadingBody
            {
                end(connection, .close)
            }
        }
    }

    /// Whether every connection is gone.
    public var isEmpty: Bool { connections.count == 0 }

    /// Cuts off whatever connection is left.
    public func resetAll() {
        for connection in connections {
            if isShuttingDown { recorder.closed(connection, by: .server, .shutdown) }
            end(connection, .reset)
        }
    }
}
