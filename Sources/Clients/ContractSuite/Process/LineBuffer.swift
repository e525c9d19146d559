/// Cuts what an adapter writes into lines.
struct LineBuffer: Sendable {
    /// What has arrived and was not taken yet; more is appended.
    var bytes: [UInt8] = []
    /// Up to where there is no end of a line.
    private var searched = 0

    /// The next line without its end; nil where it has not ended yet.
    mutating func next() -> [UInt8]? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        var line = bytes[..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let result = Array(line)
        bytes.removeSubrange(...end)
        searched = 0
        return result
    }
}
