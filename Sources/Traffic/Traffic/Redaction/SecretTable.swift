import Digests
import Text

/// The known secrets and their placeholders; any text can be searched for these secrets.
///
/// A secret is found by its anchor: eight bytes that few other secrets contain. The table reads the text only once. A
/// bitmap of anchors rejects most positions. At other positions, the text is compared with the anchor's few secrets,
/// from the end.
///
/// Text that resembles many long secrets would take thousands of comparisons per byte. After ``stepsForByte``
/// comparisons per byte, the rest of the text is therefore read coarsely: if the last ``longestEnd`` bytes of a secret
/// match, the whole matching part is replaced and not read again. A byte of text takes at most ``stepsForByte`` +
/// ``mostOfAnchor`` × (``longestEnd`` + 3) comparisons, regardless of the secrets.
struct SecretTable: Sendable {
    /// The default maximum number of secrets to distinguish.
    static let mostSecrets = 100_000
    /// The length in bytes above which secrets are stored as digests, and found only where a secret is expected.
    static let longestKept = 4096
    /// The maximum number of secrets per anchor; additional secrets are found only where a secret is expected.
    static let mostOfAnchor = 8
    /// The comparisons per byte after which the rest of the text is read coarsely.
    static let stepsForByte = 64
    /// The number of final bytes that identify a secret when text is read coarsely.
    static let longestEnd = 32
    private static let anchorLength = 8
    /// How many different bytes an anchor must have to be good enough.
    private static let goodMerit = 5

    private let mostSecrets: Int

    /// The text that replaces every secret, or nil to use placeholders; if it is not nil, addresses are kept.
    let mark: [UInt8]?

    init(mostSecrets: Int = SecretTable.mostSecrets, mark: String? = nil) {
        (self.mostSecrets, self.mark) = (mostSecrets, mark.map { Array($0.utf8) })
    }

    private struct Occurrence: Sendable {
        var bytes: [UInt8]
        /// The anchor's offset within the bytes.
        var offset: Int
        var placeholder: Int
    }

    private var numbers: [[UInt8]: Int] = [:]
    private var placeholders: [[UInt8]] = []
    private var counts: [SecretKind: Int] = [:]
    private var anchors: [UInt64: [Occurrence]] = [:]
    /// One bit for each anchor's hash.
    private var bitmap = [UInt64](repeating: 0, count: 1 << 10)
    /// Whether the table was full when a secret was added.
    private(set) var isFull = false

    /// Returns a secret's placeholder and stores the secret.
    mutating func placeholder(for secret: [UInt8], _ kind: SecretKind) -> [UInt8] {
        if let mark { return mark }
        if let (kind, number) = SecretKind.placeholder(secret) {
            // This text has already been redacted. Reserve the placeholder's number, so that no other secret gets it.
            counts[kind] = max(counts[kind] ?? 0, number)
            return secret
        }
        let isLong = secret.count > Self.longestKept
        let key = isLong ? Array("sha1:".utf8) + SHA1.digest(secret) : secret
        if let number = numbers[key] { return placeholders[number] }
        guard placeholders.count < mostSecrets else {
            isFull = true
            return kind.placeholder("more")
        }
        let number = (counts[kind] ?? 0) + 1
        counts[kind] = number
        let placeholder = kind.placeholder(String(number))
        numbers[key] = placeholders.count
        placeholders.append(placeholder)
        // Addresses are recognized by their form.
        if kind != .user, !isLong, Self.isSought(secret) {
            for form in Self.forms(of: secret) { addAnchor(form, placeholder: placeholders.count - 1) }
        }
        return placeholder
    }

    /// Whether to search for a secret in other strings.
    ///
    /// Short secrets and possible words are excluded: a cookie with the value `english` must not change every string.
    private static func isSought(_ secret: [UInt8]) -> Bool {
        secret.count >= 16 || (secret.count >= anchorLength && !secret.allSatisfy(\.isLowercaseLetter))
    }

    /// The secret, and its spellings in URLs and JSON if they differ.
    private static func forms(of secret: [UInt8]) -> [[UInt8]] {
        var forms = [secret]
        var encoded: [UInt8] = []
        PercentCoding.append(secret, to: &encoded)
        if encoded != secret { forms.append(encoded) }
        if secret.contains(.slash) { forms.append(secret.flatMap { $0 == .slash ? [.backslash, $0] : [$0] }) }
        return forms
    }

    private mutating func addAnchor(_ bytes: [UInt8], placeholder: Int) {
        // Find eight varied bytes that no other anchor uses. Start at the end, because tokens have similar starts.
        var best: (offset: Int, anchor: UInt64, merit: Int)?
        let last = bytes.count - Self.anchorLength
        for offset in stride(from: last, through: max(0, last - 63), by: -1) {
            let window = bytes[offset..<(offset + Self.anchorLength)]
            let anchor = window.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let taken = anchors[anchor]?.count ?? 0
            // If many secrets share an anchor, the text must be compared with each of them.
            let merit = Set(window).count - 16 * taken
            if merit > best?.merit ?? .min { best = (offset, anchor, merit) }
            if merit >= Self.goodMerit { break }
        }
        guard let best, anchors[best.anchor]?.count ?? 0 < Self.mostOfAnchor else { return }
        let occurrence = Occurrence(bytes: bytes, offset: best.offset, placeholder: placeholder)
        anchors[best.anchor, default: []].append(occurrence)
        let bit = Self.bit(of: best.anchor)
        bitmap[bit >> 6] |= 1 << UInt64(bit & 63)
    }

    private static func bit(of anchor: UInt64) -> Int {
        Int(truncatingIfNeeded: (anchor &* 0x9E37_79B9_7F4A_7C15) >> 48)
    }

    var isEmpty: Bool { anchors.isEmpty }

    /// Finds a secret that starts at or after `start` and whose anchor ends before the index.
    ///
    /// - Parameter steps: The number of comparisons for the text so far.
    @inline(__always)
    func match(
        anchor: UInt64, endingAt end: Int, in text: UnsafeBufferPointer<UInt8>, from start: Int, steps: inout Int
    ) -> (range: Range<Int>, placeholder: [UInt8])? {
        let bit = Self.bit(of: anchor)
        guard bitmap[bit >> 6] & (1 << UInt64(bit & 63)) != 0 else { return nil }
        return compare(anchor: anchor, endingAt: end, in: text, from: start, steps: &steps)
    }

    private func compare(
        anchor: UInt64, endingAt end: Int, in text: UnsafeBufferPointer<UInt8>, from start: Int, steps: inout Int
    ) -> (range: Range<Int>, placeholder: [UInt8])? {
        var longest: (range: Range<Int>, placeholder: [UInt8])?
        let isCoarse = steps > Self.stepsForByte * text.count
        for occurrence in anchors[anchor] ?? [] {
            let secret = occurrence.bytes
            let least = isCoarse ? min(secret.count, Self.longestEnd) : secret.count
            let upper = end - Self.anchorLength - occurrence.offset + secret.count
            guard upper <= text.count, upper - least >= start else { continue }
            var count = 0
            while count < secret.count, upper - count > start,
                text[upper - count - 1] == secret[secret.count - count - 1]
            { count += 1 }
            steps += count + 1
            if count >= least, count > longest?.range.count ?? 0 {
                longest = (upper - count..<upper, placeholders[occurrence.placeholder])
            }
        }
        return longest
    }
}

/// The kind of a secret, which is part of its placeholder.
enum SecretKind: String, Sendable, CaseIterable {
    case token
    case apiKey = "api-key"
    case cookie, password, secret
    /// An e-mail address, which identifies a person.
    case user

    /// The placeholder for the secret with this number among the secrets of its kind.
    func placeholder(_ number: String) -> [UInt8] {
        Array((self == .user ? "user-\(number)@redacted.example" : "redacted-\(rawValue)-\(number)").utf8)
    }

    /// Parses a placeholder, or returns nil for other strings and for addresses.
    static func placeholder(_ text: [UInt8]) -> (kind: SecretKind, number: Int)? {
        guard text.starts(with: "redacted-".utf8) else { return nil }
        let digits = text[(text.lastIndex { !$0.isDigit } ?? text.endIndex)...].dropFirst()
        guard (1...9).contains(digits.count) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 &- .digitZero) }
        let kind = allCases.first { $0.placeholder(String(number)) == text }
        return kind.map { ($0, number) }
    }

    /// Classifies a name by its last words (``SecretName``), or returns nil if it is not the name of a secret.
    ///
    /// This takes linear time. For most names, the last three letters are enough.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        var end = name.count
        while end > 0, !name[end - 1].isLetter { end -= 1 }
        guard end >= 3, Self.lastThree.contains(Self.three(name[end - 3], name[end - 2], name[end - 1])),
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

    private static let lastThree: [UInt32] = {
        let words = names.flatMap { $0.words.split(separator: " ").map { Array($0.utf8.suffix(3)) } }
        return Set(words.map { three($0[0], $0[1], $0[2]) }).sorted()
    }()

    /// Endings of names that only look like names of secrets, such as paging tokens; their values are kept.
    private static let otherEndings = [
        "pagetoken", "nexttoken", "continuationtoken", "synctoken", "allowcredentials",
    ].map { NameEnding($0.utf8) }
}

/// The names of secrets, for fields, JSON members, and query and form items.
///
/// The last words of a name determine whether it is a secret's name: `token`, `password`, `pin`, `secret`, `api key`,
/// `authorization`, `credentials` and similar words. `access_token`, `user_api_key`, `oauthToken`, `Client-Secret`,
/// `user[password]`, `password2` are secrets, but `token_count`, `tokens_used`, `passwordCost`, `isPasswordSet` and
/// `next_page_token` are not. Words start after a non-letter and at a capital letter (`newPassword`, `APIKey`).
public enum SecretName {
    public static func isSecret(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { SecretKind($0) } != nil
    }

    private static let hidden = SecretTable(mark: "…")

    /// The text with `…` in place of secrets in queries, JSON and URLs, for logs.
    public static func hidingSecrets(in text: String) -> String {
        var (text, table) = (text, hidden)
        let new = text.withUTF8 { TextScan.redacted($0, as: .text, &table) }
        return new.map { String(decoding: $0, as: UTF8.self) } ?? text
    }
}

/// The last 25 letters of a name in lower case, five bits each, and the starts of words.
///
/// Text contains many names, so classification must be cheap.
private struct NameEnding {
    private static let mostLetters = 25
    private var letters: UInt128 = 0
    private var count = 0
    /// One bit for each count of letters that make up whole words at the end of the name.
    private var words: UInt32 = 0

    init(_ name: some BidirectionalCollection<UInt8>) {
        // The next two bytes.
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

    /// Whether a letter starts a word, as in `accessToken`, `access_token`, and at the `K` in `APIKey`.
    private static func isStart(_ byte: UInt8, before next: UInt8, after last: UInt8) -> Bool {
        guard byte.isLetter, last.isLetter else { return true }
        return byte.isUppercaseLetter && (last.isLowercaseLetter || next.isLowercaseLetter)
    }

    /// Whether the name ends with all the letters of another name, and these start at the beginning of a word.
    func ends(with ending: NameEnding) -> Bool {
        words & 1 << UInt32(ending.count) != 0 && (letters ^ ending.letters) << UInt128(128 - 5 * ending.count) == 0
    }
}
