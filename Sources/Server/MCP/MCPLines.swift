/// Splits a stream into messages, one per line (revision 2026-07-28, "stdio").
///
/// An overlong line is cut off one byte beyond the message limit, so that ``MCPServer`` still refuses it.
public struct MCPLines: Sendable {
    private var line: [UInt8] = []

    public init() {}

    /// Returns the lines that the bytes complete; skips empty lines.
    public mutating func receive(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            keep(rest[..<end])
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if !line.isEmpty { lines.append(line) }
            line = []
            rest = rest[rest.index(after: end)...]
        }
        keep(rest)
        return lines
    }

    private mutating func keep(_ part: some Collection<UInt8>) {
        line.append(contentsOf: part.prefix(max(0, MCPLimits.message + 1 - line.count)))
    }
}
