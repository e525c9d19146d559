/// The kind of a secret, which its placeholder names.
enum SecretKind: String, Sendable, CaseIterable {
    case token
    case apiKey = "api-key"
    case cookie
    case password
    case secret
    /// An e-mail address, which stands for a person.
    case user

    /// The placeholder for the secret with that number of its kind.
    func placeholder(_ number: String) -> [UInt8] {
        Array((self == .user ? "user-\(number)@redacted.example" : "redacted-\(rawValue)-\(number)").utf8)
    }

    /// Parses a placeholder; nil for other texts and for addresses.
    static func placeholder(_ text: [UInt8]) -> (kind: SecretKind, number: Int)? {
        guard text.starts(with: "redacted-".utf8) else { return nil }
        let digits = text[(text.lastIndex { !$0.isDigit } ?? text.endIndex)...].dropFirst()
        guard (1...9).contains(digits.count) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 &- .digitZero) }
        let kind = allCases.first { $0.placeholder(String(number)) == text }
        return kind.map { ($0, number) }
    }

    /// Nil if a name is not a secret's, which its last words decide (``SecretName``).
    ///
    /// It takes linear time, and for most names that of a look at the last three letters.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        var end = name.count
        while end > 0, !name[end - 1].isLetter { end -= 1 }
        guard end >= 3,
            Self.lastThree.contains(Self.three(name[end - 3], name[end - 2], name[end - 1])),
            let kind = Self.kind(NameEnding(name[..<end]))
        else { return nil }
        self = kind
    }

    private static func three(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt32 {
        UInt32(first.lowercased) << 16 | UInt32(second.lowercased) << 8 | UInt32(third.lowercased)
    }

    private static func kind(_ name: NameEnding) -> SecretKind? {
        otherEndings.contains(where: name.ends) ? nil : endings.first { name.ends(with: $0.ending) }?.kind
    }

    /// Words, and compounds that are also written as one word.
    private static let names: [(kind: SecretKind, words: String)] = [
        (
            .token,
            """
            token accesstoken refreshtoken idtoken authtoken sessiontoken devicetoken admintoken csrftoken \
            xsrftoken pushtoken bearertoken resettoken oauthtoken usertoken apitoken csrf xsrf jwt bearer \
            authorization credential credentials
            """
        ),
        (.cookie, "cookie"),
        (.apiKey, "apikey xapikey accesskey"), (.secret, "secret clientsecret secretkey privatekey codeverifier"),
        (
            .password,
            """
            password newpassword oldpassword currentpassword userpassword confirmpassword repeatpassword \
            passwordconfirmation passwordconfirm passwordrepeat passwordhash passwd pwd passphrase passcode pass \
            pin otp totp onetimecode verificationcode mfacode
            """
        ),
    ]

    private static let endings = names.flatMap { kind, words in
        words.split(separator: " ").map { (ending: NameEnding($0.utf8), kind: kind) }
    }

    /// The last three letters of each ending.
    private static let lastThree: [UInt32] = {
        let words = names.flatMap { $0.words.split(separator: " ").map { Array($0.utf8.suffix(3)) } }
        return Set(words.map { three($0[0], $0[1], $0[2]) }).sorted()
    }()

    /// Tokens that lead to further results, and prove nothing; what is allowed to be sent.
    private static let otherEndings = [
        "pagetoken", "nexttoken", "continuationtoken", "synctoken", "allowcredentials",
    ].map { NameEnding($0.utf8) }
}

/// The names of secrets, which fields, members of JSON and items of queries and forms have.
///
/// The last words decide: `token`, `password`, `pin`, `secret`, `api key`, `authorization`, `credentials` and the like. `access_token`, `user_api_key`,
/// `oauthToken`, `Client-Secret`, `user[password]`, `password2` are secrets; `token_count`, `tokens_used`,
/// `passwordCost`, `isPasswordSet` are not, and neither is `next_page_token`. A word begins after any character other
/// than a letter, and with a capital letter (`newPassword`, `APIKey`).
public enum SecretName {
    public static func isSecret(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { SecretKind($0) } != nil
    }

    private static let hidden = SecretTable(mark: "…")

    /// The text with `…` for the secrets of queries, of JSON and of URLs, for logs.
    public static func hidingSecrets(in text: String) -> String {
        var (text, table) = (text, hidden)
        let new = text.withUTF8 { TextScan.redacted($0, as: .text, &table) }
        return new.map { String(decoding: $0, as: UTF8.self) } ?? text
    }
}

/// The last 25 letters of a name in lower case, with five bits for each letter, and the places where words begin.
///
/// Texts are full of names, so one must cost little.
private struct NameEnding {
    private static let mostLetters = 25
    private var letters: UInt128 = 0
    private var count = 0
    /// A bit for each number of letters that are whole words at the end of the name.
    private var words: UInt32 = 0

    init(_ name: some BidirectionalCollection<UInt8>) {
        // The two bytes that follow.
        var (next, afterNext) = (UInt8.space, UInt8.space)
        for byte in name.reversed() {
            if count > 0, Self.isStart(next, before: afterNext, after: byte) { words |= 1 << UInt32(count) }
            if byte.isLetter {
                guard count < Self.mostLetters else { return }
                letters |= UInt128(byte & 31) << UInt128(5 * count)
                count += 1
            }
            (next, afterNext) = (byte, next)
        }
        words |= 1 << UInt32(count)
    }

    /// Whether a letter begins a word: `accessToken`, `access_token`, and in `APIKey` the `K`.
    private static func isStart(_ byte: UInt8, before next: UInt8, after last: UInt8) -> Bool {
        guard byte.isLetter, last.isLetter else { return true }
        return byte.isUppercaseLetter && (last.isLowercaseLetter || next.isLowercaseLetter)
    }

    /// Whether the name ends with all letters of another one, which begin a word.
    func ends(with ending: NameEnding) -> Bool {
        words & 1 << UInt32(ending.count) != 0 && (letters ^ ending.letters) << UInt128(128 - 5 * ending.count) == 0
    }
}
