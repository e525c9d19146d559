/// What 'serve --record' says.
extension Messages {
    static func onlyWithRecord(_ option: String) -> String { "\(option) goes only with --record." }

    static func recordingExists(_ path: String) -> String {
        "'\(path)' exists already, and may be all that is left of a session: name another file, or remove it."
    }

    static func serveRecordingIncomplete(_ path: String) -> String {
        "the recording stopped before the server did, for the reason logged above; what came before is in '\(path)'."
    }
}
