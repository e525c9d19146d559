/// A decoder with an input that would take a careless one more than linear time.
struct Work: Sendable {
    let name: String
    /// Makes an input of about so many bytes; what it returns decodes it, and says whether all of it was read.
    let prepare: @Sendable (_ bytes: Int) -> () -> Bool
}

/// Decodes each input in a function of its own, in which `decoders.py` has callgrind count the instructions.
///
/// A few bytes to begin with, then n and 4n; each call prints a name.
@main
enum DecoderWork {
    static let bytes = 16 * 1024

    static func main() {
        let only = CommandLine.arguments.dropFirst().first ?? ""
        for work in httpWork + webSocketWork + jsonWork + yamlWork + trafficWork + redactionWork + textWork
        where work.name.hasPrefix(only) {
            // The first time includes what is made once for a process.
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

/// A text of a piece again and again.
func repeated(_ piece: String, _ bytes: Int, from start: String = "", to end: String = "") -> [UInt8] {
    Array((start + String(repeating: piece, count: max(1, bytes / piece.utf8.count)) + end).utf8)
}

/// A text of pieces with their numbers.
func numbered(_ bytes: Int, from start: String = "", to end: String = "", _ piece: (Int) -> String) -> [UInt8] {
    var text = Array(start.utf8)
    var number = 0
    while text.count < bytes {
        text += Array(piece(number).utf8)
        number += 1
    }
    return text + Array(end.utf8)
}
