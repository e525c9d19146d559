import HTTP1
import JSON

/// A condition on a path: it contains a text, or it matches a template.
public enum PathPattern: Sendable, Equatable {
    /// The path as received, percent-encoded, contains the text.
    case containing(String)
    /// The path has these segments, with any single segment in place of nil; a world's `/w/{world}` does not count.
    case template([ExactString?])

    /// Parses `/messages` or `/api/v1/goals/{goalId}`; a text with a brace is a template and must begin with a slash.
    ///
    /// It is nil if the text is empty or a malformed template.
    public init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        guard text.utf8.contains(where: Self.isBrace) else {
            self = .containing(text)
            return
        }
        // Compares bytes, because a combining mark after a slash forms one character with it.
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [ExactString?] = []
        for segment in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if segment.first == UInt8(ascii: "{"), segment.last == UInt8(ascii: "}"), segment.count > 2 {
                segments.append(nil)
            } else if segment.contains(where: Self.isBrace) {
                return nil
            } else {
                segments.append(ExactString(Substring(segment)))
            }
        }
        self = .template(segments)
    }

    private static func isBrace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") }

    func matches(_ target: RequestTarget) -> Bool {
        switch self {
        case .containing(let text): return Self.contains(target.path, text)
        case .template(let wanted):
            let segments = target.segmentsInWorld
            return segments.count == wanted.count
                && zip(segments, wanted).allSatisfy { $1 == nil || ExactString($0) == $1 }
        }
    }

    /// Returns whether a text contains another, byte for byte, in linear time.
    private static func contains(_ text: String, _ part: String) -> Bool {
        let part = Array(part.utf8)
        // Where to continue after a mismatch, so that no byte is read repeatedly (Knuth, Morris and Pratt).
        var borders = [0]
        var length = 0
        for byte in part.dropFirst() {
            while length > 0, part[length] != byte { length = borders[length - 1] }
            if part[length] == byte { length += 1 }
            borders.append(length)
        }
        var matched = 0
        for byte in text.utf8 {
            if matched == part.count { break }
            while matched > 0, part[matched] != byte { matched = borders[matched - 1] }
            if part[matched] == byte { matched += 1 }
        }
        return matched == part.count
    }
}
