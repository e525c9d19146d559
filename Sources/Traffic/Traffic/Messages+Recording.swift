import HTTP1

/// Notes about what a recording lacks.
extension Messages {
    static func badRequest(_ error: RemoteError) -> String {
        "A client sent what is no HTTP/1.1 request, so the rest of its connection is not recorded: \(error.message)"
    }

    static func badAnswer(_ error: RemoteError, url: String) -> String {
        "The answer to \(url) is no HTTP/1.1, so the rest of its connection is not recorded: \(error.message)"
    }

    static func unaskedAnswer(_ count: Int) -> String {
        "A server sent \(count) bytes without a complete request before them, so the rest of its connection is not "
            + "recorded."
    }

    static func otherProtocol(_ url: String) -> String {
        "The connection of \(url) changed to a protocol other than WebSocket and is not recorded from there on."
    }

    static func tunnel(_ url: String) -> String {
        "The connection of \(url) became a tunnel and is not recorded from there on."
    }

    static func extensions(_ extensions: String, url: String) -> String {
        "The frames of \(url) are not recorded, because both sides agreed on an extension that changes them "
            + "(\(extensions)); leave Sec-WebSocket-Extensions out of the handshake."
    }

    static func badFrame(_ message: String, from party: Party) -> String {
        "The \(party.rawValue) broke the WebSocket protocol, so what it sent after that is not recorded: \(message)"
    }

    static func fileFull(_ limits: HARLimits) -> String {
        "The recording has reached what can be read again (\(limits.bytes) bytes, \(limits.entries) entries or "
            + "\(limits.values) values): what came before is kept, nothing more is recorded. Stop it, and record less in "
            + "one file."
    }

    static func tooMuchHeld(limit: Int) -> String {
        "All connections together hold more than \(limit) bytes of unfinished bodies and messages, so the rest of one of "
            + "them is not recorded."
    }

    static func tooManySecrets(limit: Int) -> String {
        "More than \(limit) secrets came up: further ones are still replaced, and share one placeholder of each kind."
    }
}
