/// The names that say that a value is a secret: of members, and of items of a query.
public enum SecretName {
    /// Whether a member or an item of that name holds a secret: `access_token`, `accessToken`, `API-Key`.
    public static func isSecret(_ name: String) -> Bool {
        var packed = PackedName()
        return name.utf8.allSatisfy { packed.append($0) } && SecretKind(packed) != nil
    }
}
