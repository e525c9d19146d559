import Digests
import JSON

extension AccessToken {
    /// The user that a token names, whether it is signed and in time or not; nil where it is no JSON Web Token.
    ///
    /// For telling clients apart in what is recorded; nothing may be allowed on the strength of it.
    public static func claimedSubject(of text: String) -> ExactString? {
        guard text.utf8.count <= 4096 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64.decodeURL(String(parts[1])) else { return nil }
        return (try? JSON.parse(payload))?["sub"]?.exactString
    }
}
