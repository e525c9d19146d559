import JSON
import Text

/// Writes scenarios as human-readable files: comments, followed by one line for each key with its value as JSON.
///
/// The written files are valid YAML. Each element of a list of objects, such as faults and answers, has its own line.
public enum ScenarioDocument {
    /// The file for a tree; reading it yields the same tree.
    ///
    /// YAML cannot represent all trees, because key lengths and the number of values are limited. In such cases, the
    /// file is JSON and has no comments.
    ///
    /// - Parameter comments: Sentences for the start of the file, one per line; control characters are escaped.
    public static func text(_ value: JSONValue, comments: [String] = []) -> [UInt8] {
        guard let object = value.object, !object.isEmpty else { return value.encoded() + [.lineFeed] }
        var bytes: [UInt8] = []
        for comment in comments { bytes += Array("# \(comment.onOneLine(limit: commentLimit))\n".utf8) }
        for (key, member) in object {
            bytes += isPlain(key) ? Array(key.utf8) : JSONValue.string(key).encodedForYAML()
            bytes.append(.colon)
            append(member, to: &bytes)
        }
        guard let again = try? JSONValue(yaml: bytes), again == value else { return value.encoded() + [.lineFeed] }
        return bytes
    }

    /// The maximum number of characters in a comment line; the rest is cut off.
    private static let commentLimit = 1000

    private static func append(_ member: JSONValue, to bytes: inout [UInt8]) {
        switch member {
        case .array(let elements) where !elements.isEmpty && elements.allSatisfy { $0.object != nil }:
            bytes.append(.lineFeed)
            for element in elements { bytes += Array("  - ".utf8) + element.encodedForYAML() + [.lineFeed] }
        case .string(let text) where isPlain(text): bytes += Array(" \(text)\n".utf8)
        default: bytes += [.space] + member.encodedForYAML() + [.lineFeed]
        }
    }

    /// Whether YAML reads the unquoted string as the same string: `reset-before-the-end`, `token_lifetime`.
    private static func isPlain(_ text: String) -> Bool {
        let isWord = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isWord, let first = text.utf8.first, first >= UInt8(ascii: "a") else { return false }
        return !["null", "true", "false"].contains(text)
    }
}

extension JSONValue {
    /// Compact JSON that has the same meaning when it is read as YAML.
    func encodedForYAML() -> [UInt8] {
        let bytes = encoded()
        // Except for DEL, these characters are not ASCII and occur only in strings.
        guard bytes.contains(where: { $0 >= 0x7F }) else { return bytes }
        var escaped: [UInt8] = []
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            guard scalar.isEscapedInYAML else {
                escaped += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            escaped += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        }
        return escaped
    }
}

extension Unicode.Scalar {
    /// Whether JSON accepts the character literally but YAML does not.
    ///
    /// Such characters are not printable in YAML, or are additional YAML line breaks, which YAML would fold into spaces
    /// (YAML 1.1 §4.1 and §4.2, which libyaml follows).
    var isEscapedInYAML: Bool {
        switch value {
        case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}
