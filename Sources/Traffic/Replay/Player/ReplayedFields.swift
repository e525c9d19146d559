import Sessions

/// Which recorded fields are sent again.
enum ReplayedFields {
    /// Fields of one connection or of one way to frame a body, and those that would be untrue or lead elsewhere.
    ///
    /// Not Content-Encoding: a session has it only where the body is coded.
    private static let dropped: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "content-length", "date", "alt-svc",
    ]

    static func ofAnswer(_ fields: [SessionField]) -> [SessionField] {
        fields.filter { !$0.name.isEmpty && !$0.name.hasPrefix(":") && !dropped.contains($0.name.lowercased()) }
    }

    static func ofOpening(_ fields: [SessionField]) -> [SessionField] {
        ofAnswer(fields).filter {
            !["sec-websocket-accept", "sec-websocket-extensions"].contains($0.name.lowercased())
        }
    }
}
