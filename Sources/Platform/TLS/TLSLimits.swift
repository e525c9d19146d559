/// What a session holds at most, and what certificates may hold.
public enum TLSLimits {
    /// Bytes of ciphertext to be sent above which ``TLSSession/write(_:)`` takes nothing more: 64 KiB.
    ///
    /// The record under way is finished, so that one record of 16 KiB may stand above it.
    public static let unsentCiphertext = 65_536

    /// Bytes of ciphertext to be sent above which nothing more is read: 128 KiB, and the session fails.
    ///
    /// What we write stays below; the rest are answers (alerts, key updates) that the other side asks for and never
    /// takes.
    public static let answers = 131_072

    /// Bytes of ciphertext that may wait undecrypted: 1 MiB; one more fails the session.
    ///
    /// A caller that reads what is decrypted after each receipt never has more than it received at once.
    public static let unreadCiphertext = 1_048_576

    /// Bytes that a PEM file may have: 1 MiB.
    public static let pemFile = 1_048_576

    /// Names that one certificate is issued for.
    public static let names = 100

    /// Bytes of a name or text of the other side's that a message repeats.
    static let excerpt = 100
}
