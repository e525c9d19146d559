/// What 'serve --record' says.
extension Messages {
    static func onlyWithRecord(_ option: String) -> String { "\(option) goes only with --record." }

    static func recordingExists(_ path: String) -> String {
        "'\(path)' exists already, and may be all that is left of a session: name another file, or remove it."
    }
}
