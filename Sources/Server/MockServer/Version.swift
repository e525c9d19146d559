/// The version of fitiq-mock.
public enum Version {
    /// As printed by `fitiq-mock --version` and `/__admin/health`.
    public static let current = "0.1.0"
}
