import Digests
import JSON
import Text

/// A missing or repaired part of a file, as a clause without a full stop.
///
/// The rest of the file can be used.
public struct HARNote: Sendable, Equatable, CustomStringConvertible {
    /// Names and notes from the file are escaped, so that they cannot control a terminal.
    public let description: String
    /// Whether the file still contains everything from the period that it covers.
    let isHarmless: Bool

    private init(_ description: String, isHarmless: Bool = false) {
        (self.description, self.isHarmless) = (TerminalText.escaped(description), isHarmless)
    }

    package static func torn(entries: Int) -> HARNote {
        HARNote(
            "the file is truncated, perhaps because its recorder was killed; "
                + (entries == 1 ? "1 entry is complete" : "\(entries) entries are complete"), isHarmless: true)
    }
    /// Swift strings cannot contain halves of surrogate pairs.
    package static func loneSurrogates(_ count: Int) -> HARNote {
        HARNote(
            "\(Words.counted(count, "character")) that \(count == 1 ? "is" : "are") not Unicode (half a surrogate pair) "
                + "\(count == 1 ? "was" : "were") replaced with U+FFFD", isHarmless: true)
    }
    package static func missingAttachment(name: String, entry: Int) -> HARNote {
        HARNote("entry \(entry): the file '\(name)', which contains the data that was sent, is not next to the HAR")
    }
    /// - Parameter entries: The first affected entries, at most one more than ``HARLosses/mostNamed``, counted from 1 in
    ///   file order.
    package static func lost(_ loss: HARLoss, count: Int, entries: [Int]) -> HARNote {
        // Truncated bodies and messages are marked as truncated.
        HARNote(
            Messages.lost(loss, count, entries), isHarmless: [.cutBody, .shortBody, .cutMessage].contains(loss))
    }
    package static func recorded(_ text: String) -> HARNote { HARNote(text) }
}

/// A kind of content in an entry that a session cannot use.
package enum HARLoss: Sendable, CaseIterable {
    case body
    /// A body that does not match the encoding stated in the file, as can happen in sanitized files.
    case unreadableBody
    /// A body that our recorder truncated or omitted because it could not be searched for secrets.
    case cutBody
    case shortBody
    /// A form with an uploaded file whose content is not in the HAR.
    case formFile
    /// A message whose opcode is neither text nor binary, or an error that stands in for a message.
    case message
    /// A binary message that is not in base64.
    case unreadableMessage
    case cutMessage
    /// A message in an entry that is not an open WebSocket.
    case strayMessage
    /// All messages of a WebSocket.
    case messages
}

/// Counts the losses while a file is read.
struct HARLosses {
    /// The maximum number of entries in a note; one more is stored to show whether there are any others.
    static let mostNamed = 5
    /// The number of the entry being read.
    var entry = 0
    private var found: [HARLoss: (count: Int, entries: [Int])] = [:]

    mutating func add(_ loss: HARLoss, count: Int = 1) {
        guard count > 0 else { return }
        found[loss, default: (0, [])].count += count
        guard let entries = found[loss]?.entries, entries.count <= Self.mostNamed, entries.last != entry else { return }
        found[loss]?.entries.append(entry)
    }

    /// One note for each kind of loss, in the order of the kinds.
    var notes: [HARNote] {
        HARLoss.allCases.compactMap { loss in
            found[loss].map { .lost(loss, count: $0.count, entries: $0.entries) }
        }
    }
}

/// The limits for reading a file.
public struct HARLimits: Sendable, Hashable {
    /// The maximum total size of a file and its attachments in bytes.
    public var bytes: Int
    /// The maximum number of JSON values.
    public var values: Int
    public var entries: Int

    /// Creates limits; the defaults are 256 MiB, 10,000,000 values and 100,000 entries.
    public init(bytes: Int = 256 << 20, values: Int = 10_000_000, entries: Int = 100_000) {
        precondition(bytes >= 1 && values >= 1 && entries >= 1, "a limit must be at least 1")
        (self.bytes, self.values, self.entries) = (bytes, values, entries)
    }
}

extension JSONValue {
    /// A whole number, zero or greater.
    fileprivate var count: Int? { int.flatMap { $0 >= 0 ? $0 : nil } }
}

/// An object in a file; its errors contain its path.
///
/// `null` counts as absent, as it does in files from common writers.
struct HARObject {
    private let members: JSONObject
    private let name: String
    private let index: Int?

    /// - Parameters:
    ///   - name: The path of the object or its array, from the entry or the top.
    ///   - index: The index in the array.
    init(_ value: JSONValue, at name: String = "", index: Int? = nil) throws(Refusal) {
        (self.name, self.index) = (name, index)
        if case .object(let object) = value {
            members = object
        } else {
            members = [:]
            throw Refusal(Messages.wrong(value, expected: Messages.object), at: path())
        }
    }

    subscript(name: String) -> JSONValue? { members[name] }

    /// The path of the object or of one of its members.
    func path(to member: String = "") -> String {
        let own = name + (index.map { "[\($0)]" } ?? "")
        return own.isEmpty || member.isEmpty ? own + member : "\(own).\(member)"
    }

    func optionalObject(_ name: String) throws(Refusal) -> HARObject? {
        guard let value = present(name) else { return nil }
        return try HARObject(value, at: path(to: name))
    }
    func object(_ name: String) throws(Refusal) -> HARObject {
        guard let object = try optionalObject(name) else { throw wrong(name, expected: Messages.object) }
        return object
    }
    /// The object, or an empty object if it is absent.
    func objectOrNone(_ name: String) throws(Refusal) -> HARObject {
        // Most messages do not have this object, so do not create a path for it.
        if let object = try optionalObject(name) { return object }
        return try HARObject([:])
    }
    func optionalArray(_ name: String) throws(Refusal) -> [JSONValue]? { try optional(name, Messages.array, \.array) }
    func optionalString(_ name: String) throws(Refusal) -> String? { try optional(name, Messages.string, \.string) }
    func optionalCount(_ name: String) throws(Refusal) -> Int? { try optional(name, Messages.count, \.count) }
    func count(_ name: String) throws(Refusal) -> Int { try required(name, Messages.count, \.count) }
    func array(_ name: String) throws(Refusal) -> [JSONValue] { try required(name, Messages.array, \.array) }
    func string(_ name: String, expected: String = Messages.string) throws(Refusal) -> String {
        try required(name, expected, \.string)
    }

    func base64(_ name: String) throws(Refusal) -> [UInt8] {
        guard let bytes = Base64.decode(try string(name)) else { throw wrong(name, expected: Messages.base64) }
        return bytes
    }

    func required<Value>(_ name: String, _ expected: String, _ read: (JSONValue) -> Value?) throws(Refusal) -> Value {
        guard let value = present(name).flatMap(read) else { throw wrong(name, expected: expected) }
        return value
    }

    private func optional<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(Refusal) -> Value? { try present(name) == nil ? nil : required(name, expected, read) }

    func wrong(_ name: String, expected: String, _ problem: String? = nil) -> Refusal {
        Refusal(Messages.wrong(self[name], expected: expected) + (problem.map { ". " + $0 } ?? ""), at: path(to: name))
    }

    private func present(_ name: String) -> JSONValue? {
        guard let value = self[name], !value.isNull else { return nil }
        return value
    }
}
