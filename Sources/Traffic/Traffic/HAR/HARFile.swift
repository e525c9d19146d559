import JSON

/// A parsed HAR: its session, and the original file including unknown members.
public struct HARFile: Sendable {
    /// The recorded session, in starting order.
    public let session: Session
    /// What the file lacks, or what was repaired in it.
    public let notes: [HARNote]
    /// The name of the program that wrote it, or nil if it gives none.
    public let creator: String?

    /// Whether our own recorder wrote it and missed nothing, so that anything not in it did not happen.
    ///
    /// Other programs omit control frames, ends of WebSockets and, on request, credentials and bodies.
    public let isWhole: Bool

    private let root: JSONValue

    /// Reads a HAR 1.2 written by Chrome, Firefox, mitmproxy, Playwright or this program.
    ///
    /// A byte order mark is skipped. If a file ends in the middle, its complete entries are read, and a note says so.
    /// `attachment` returns the bytes of a file next to this one, which Playwright creates for bodies and messages, or
    /// nil; it receives only plain names, without folders. Time and memory are linear in the bytes.
    public init(
        reading bytes: [UInt8], limits: HARLimits = HARLimits(),
        attachment: @escaping (String) -> [UInt8]? = { _ in nil }
    ) throws(HARError) {
        var text = HARText(bytes)
        var root = try text.parse(limits: limits)
        var notes = text.notes
        var attachments = HARAttachments(limits: limits, remaining: limits.bytes - bytes.count, read: attachment)
        try attachments.embed(into: &root)
        notes += attachments.notes
        var reader = HARReader(limits: limits)
        session = try reader.session(from: root)
        creator = root["log"]?["creator"]?["name"]?.string
        self.notes = notes + reader.notes
        isWhole = creator == HAREncoder.creatorName && reader.hasControlFrames && self.notes.allSatisfy(\.isHarmless)
        self.root = root
    }

    /// Returns the file with all its members, its attachments inlined, one entry per line.
    ///
    /// Reading and encoding that again gives the same bytes.
    public func encoded() -> [UInt8] {
        var output = Array("{".utf8)
        for (index, member) in (root.object ?? [:]).enumerated() {
            Self.append(member.key, isFirst: index == 0, to: &output)
            if member.key == "log", let log = member.value.object {
                Self.append(log: log, to: &output)
            } else {
                output += member.value.encoded()
            }
        }
        return output + Array("}\n".utf8)
    }

    private static func append(log: JSONObject, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        for (index, member) in log.enumerated() {
            append(member.key, isFirst: index == 0, to: &output)
            guard member.key == "entries", let entries = member.value.array else {
                output += member.value.encoded()
                continue
            }
            output += Array("[\n".utf8)
            for (index, entry) in entries.enumerated() {
                if index > 0 { output += HAREncoder.separator }
                output += entry.encoded()
            }
            output += Array("\n]".utf8)
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func append(_ key: String, isFirst: Bool, to output: inout [UInt8]) {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        output += JSONValue.string(key).encoded()
        output.append(UInt8(ascii: ":"))
    }
}
