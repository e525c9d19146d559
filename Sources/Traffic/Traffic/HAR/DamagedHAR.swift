import JSON

/// Recovers a damaged file that has one entry per line, as ours do.
///
/// Earlier versions of our recorder, when killed during a write, left the first pages of a frame followed by white
/// space, and other programs may do so too; a system crash may leave a page of zeros. Broken parts are omitted and
/// complete lines stay. It takes linear time: one pass over the bytes, and one of the parser over each line.
struct DamagedHAR {
    /// JSON text of the complete parts.
    private(set) var bytes: [UInt8]
    /// The omitted parts.
    private(set) var notes: [HARNote] = []

    /// The maximum number of entries that are noted one by one.
    private static let mostNotes = 20

    private let limits: JSON.Limits
    /// The number of entries kept.
    private var entries = 0
    /// Further damage, which is summarised because there is so much.
    private var others = (entries: 0, leftOut: 0)

    /// Nil if the text does not have its entries on separate lines, or its only one is not an entry.
    static func saved(from bytes: [UInt8], limits: JSON.Limits) -> DamagedHAR? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let empty = try? JSON.parse(bytes[...end] + Array("]}}".utf8), limits: limits),
            empty["log"]?["entries"]?.array?.isEmpty == true
        else { return nil }
        var file = DamagedHAR(header: bytes[...end], limits: limits)
        let isTorn = file.take(bytes[(end + 1)...])
        return isTorn || file.entries > 0 ? file : nil
    }

    private init(header: ArraySlice<UInt8>, limits: JSON.Limits) {
        bytes = Array(header)
        self.limits = limits
    }

    /// - Returns: whether the text has its end, or ends like a truncated one.
    private mutating func take(_ text: ArraySlice<UInt8>) -> Bool {
        var footer: ArraySlice<UInt8>?
        var number = 0
        // It is examined when another line follows; otherwise the file just ends in the middle.
        var broken: ArraySlice<UInt8>?
        var rest = text
        while footer == nil, !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let line = rest[..<end].trimmed
            rest = rest[min(end + 1, rest.endIndex)...]
            if line.isEmpty { continue }
            if let broken { save(broken, number: number) }
            broken = nil
            if line.first == UInt8(ascii: "]"), isFooter(line) {
                footer = line
                continue
            }
            number += 1
            let entry = line.withoutComma
            if isEntry(entry) { append(entry) } else { broken = line }
        }
        if others.entries > 0 { notes.append(.moreDamaged(entries: others.entries, leftOut: others.leftOut)) }
        if footer == nil { notes.append(.torn(entries: entries)) }
        bytes += footer ?? ArraySlice("]}}".utf8)
        return broken.map(isCut) ?? true
    }

    /// Whether a line is the beginning of an entry, or of what follows the entries.
    private func isCut(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.first, "{]".utf8.contains(first) else { return line.allSatisfy { $0 == 0 } }
        let text = Array(#"{"log":{"entries":["#.utf8) + line
        do throws(JSONError) {
            _ = try JSON.parse(text, limits: limits)
            return true
        } catch {
            return CutToken.isCut(text, at: error.offset)
        }
    }

    private func isEntry(_ line: ArraySlice<UInt8>) -> Bool {
        line.first == UInt8(ascii: "{") && (try? JSON.parse(line, limits: limits)) != nil
    }

    private func isFooter(_ line: ArraySlice<UInt8>) -> Bool {
        (try? JSON.parse(Array(#"{"log":{"entries":["#.utf8) + line, limits: limits)) != nil
    }

    private mutating func append(_ entry: some Collection<UInt8>) {
        if entries > 0 { bytes += HAREncoder.separator }
        bytes += entry
        entries += 1
    }

    /// Keeps the complete parts of a line.
    private mutating func save(_ line: ArraySlice<UInt8>, number: Int) {
        let socket = DamagedSocketEntry(line.withoutComma, limits: limits)
        if let socket { append(socket.bytes) }
        let leftOut = socket?.leftOut ?? line.count
        guard notes.count < Self.mostNotes else {
            others.entries += 1
            others.leftOut += leftOut
            return
        }
        notes.append(
            socket == nil ? .lostEntry(number, bytes: leftOut) : .damagedEntry(number, leftOut: leftOut))
    }
}

extension ArraySlice<UInt8> {
    /// Without white space at either end.
    var trimmed: ArraySlice {
        func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
        }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }

    /// Without a comma at the end, and the white space before it.
    var withoutComma: ArraySlice { last == UInt8(ascii: ",") ? dropLast().trimmed : self }
}
