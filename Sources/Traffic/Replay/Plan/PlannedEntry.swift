import JSON
import Sessions

/// A recorded request, compiled.
struct PlannedEntry: Sendable {
    var url: RequestURL
    /// With `HANDSHAKE` for a WebSocket's.
    var method: String
    /// Where it stands in the two indices.
    var full: Place
    var route: Place
    /// Times and secrets of the request, in the order of its shape.
    var times: [ExactString]
    var secrets: [ExactString]
    var credentials: [Credential]
    /// When it was asked and answered, in nanoseconds.
    var started: Int64
    var ended: Int64
    /// Of a WebSocket that opened: its index among the scripts.
    var script: Int?

    struct Place: Sendable {
        var bucket: Int
        var variant: Int
    }
}
