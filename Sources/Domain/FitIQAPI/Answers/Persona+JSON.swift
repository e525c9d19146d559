import JSON

extension Persona {
    /// The members of goal-linking's persona object: `id`, `name`, `avatar`.
    func writeMembers(into writer: inout JSONWriter, origin: String) {
        writer.member("id", rawValue)
        writer.member("name", displayName)
        writer.member("avatar", avatarURL(origin: origin))
    }

    /// Where the persona's picture is served.
    public func avatarURL(origin: String) -> String {
        "\(origin)/avatars/\(rawValue).svg"
    }
}
