/// Names that mark a value as a secret: of members and query items.
public enum SecretName {
    /// Whether a member or an item with that name holds a secret: `access_token`, `accessToken`, `API-Key`.
    public static func isSecret(_ name: String) -> Bool {
        var packed = PackedName()
        return name.utf8.allSatisfy { packed.append($0) } && SecretKind(packed) != nil
    }
}
