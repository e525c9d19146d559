/// What a client says of connections that went wrong, beside ``ClientError``.
enum WireMessages {
    static let endWithoutCloseFrame = "the connection ended without a close frame"

    static let closedDuringHandshake = "the socket was closed before its handshake was answered"

    static func tooManyConnections(limit: Int) -> String {
        "\(limit) connections are open already, which is the most that this client opens at a time."
    }

    static func badTarget(_ target: String) -> String {
        "'\(target.prefix(80))' cannot stand in a request: percent-encode what is not visible ASCII."
    }
}
