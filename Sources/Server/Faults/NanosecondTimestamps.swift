import FitIQAPI
import Text

/// Times in JSON with nine digits of a second's fraction, as Go's `time.Time` writes them.
///
/// A pure rewriting of text: each value that is exactly `"YYYY-MM-DDTHH:MM:SSZ"` gets `.nnnnnnnnn` before its Z. The
/// digits follow from the seed and the time as written, wherever it stands: times that were equal stay equal, an order of
/// different seconds stays, and an entity has the same times each time it is asked for. Names of members and longer
/// strings stay as they are. The text need not be valid JSON, only its strings must be; the time taken is linear.
public enum NanosecondTimestamps {
    /// Rewrites a text.
    public static func rewrite(_ text: [UInt8], seed: UInt64) -> [UInt8] {
        var out: [UInt8] = []
        var copied = 0
        var index = 0
        while index < text.count {
            guard text[index] == quote else {
                index += 1
                continue
            }
            let start = index + 1
            index = endOfString(text, from: start)
            if index - start == length, isTime(text[start..<index]), !isName(text, endingAt: index) {
                out += text[copied..<(index - 1)]
                appendFraction(of: text[start..<index], seed: seed, to: &out)
                copied = index - 1
            }
            index += 1
        }
        guard copied > 0 else { return text }
        return out + text[copied...]
    }

    private static let quote = UInt8(ascii: "\"")
    private static let shape = Array("0000-00-00T00:00:00Z".utf8)
    private static let length = shape.count

    /// The index of the quote that ends the string, or the end of the text.
    private static func endOfString(_ text: [UInt8], from start: Int) -> Int {
        var index = start
        while index < text.count, text[index] != quote {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, text.count)
    }

    private static func isTime(_ string: ArraySlice<UInt8>) -> Bool {
        zip(string, shape).allSatisfy { byte, model in
            model == UInt8(ascii: "0") ? byte.isDigit : byte == model
        }
    }

    /// Whether a colon follows the string, or the text ends within it.
    private static func isName(_ text: [UInt8], endingAt quote: Int) -> Bool {
        guard quote < text.count else { return true }
        let next = text[(quote + 1)...].first { !$0.isJSONWhitespace }
        return next == UInt8(ascii: ":")
    }

    private static func appendFraction(of time: ArraySlice<UInt8>, seed: UInt64, to out: inout [UInt8]) {
        var number = Chance(seed: seed).mixing(time).next(below: 1_000_000_000)
        var digits = [UInt8](repeating: UInt8(ascii: "0"), count: 9)
        for index in digits.indices.reversed() {
            digits[index] += UInt8(number % 10)
            number /= 10
        }
        out.append(UInt8(ascii: "."))
        out += digits
    }
}
