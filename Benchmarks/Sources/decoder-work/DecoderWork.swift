/// A decoder with an input that would take a careless decoder more than linear time.
struct Work: Sendable {
    let name: String
    /// Creates an input of about this many bytes; the result decodes it, and returns whether it read all of it.
    let prepare: @Sendable (_ bytes: Int) -> () -> Bool
}

/// Decodes each input in its own function, whose instructions `decoders.py` counts with callgrind.
///
/// First it decodes a few bytes, then n and 4n; each call prints a name.
@main
enum DecoderWork {
    static let bytes = 16 * 1024

    static func main() {
        let only = CommandLine.arguments.dropFirst().first ?? ""
        for work in httpWork + webSocketWork + jsonWork + yamlWork + trafficWork + redactionWork + textWork
        where work.name.hasPrefix(only) {
            // The first call includes work that a process does only once.
            for (label, count) in [("first", 1024), ("n", bytes), ("4n", 4 * bytes)] {
                decode = work.prepare(count)
                measuredDecode()
                guard hasRead else { fatalError("\(work.name): not all of it was read") }
                print("\(label)\t\(work.name)")
            }
        }
    }
}

nonisolated(unsafe) private var decode: () -> Bool = { false }
nonisolated(unsafe) private var hasRead = false

@inline(never)
func measuredDecode() { hasRead = decode() }

/// A text that repeats a piece.
func repeated(_ piece: String, _ bytes: Int, from start: String = "", to end: String = "") -> [UInt8] {
    Array((start + String(repeating: piece, count: max(1, bytes / piece.utf8.count)) + end).utf8)
}

/// A text of numbered pieces.
func numbered(_ bytes: Int, from start: String = "", to end: String = "", _ piece: (Int) -> String) -> [UInt8] {
    var text = Array(start.utf8)
    var number = 0
    while text.count < bytes {
        text += Array(piece(number).utf8)
        number += 1
    }
    return text + Array(end.utf8)
}
