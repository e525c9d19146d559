import Digests
import JSON
import Text

/// Why a file is not a valid HAR, and where.
public struct HARError: Error, Sendable, Equatable, CustomStringConvertible {
    public var problem: Problem
    /// The entry of the error, counted from 1 in file order, or nil outside of entries.
    public var entry: Int?
    /// The path from the entry or the top: `response.status`, `_webSocketMessages[3].time`; empty for the whole.
    public var path: String

    public enum Problem: Sendable, Equatable {
        case empty
        /// The file and its attachments have more bytes than a limit allows.
        case tooLarge(limit: Int)
        /// It is compressed, as Playwright (zip) and mitmproxy (zlib) do on request.
        case compressed(String)
        /// It is UTF-16, as some editors and PowerShell write, and JSON is UTF-8.
        case utf16
        case json(JSONError)
        case tooManyEntries(limit: Int)
        case missing(expected: String)
        case wrong(expected: String, found: String)
    }

    /// Creates an error of the whole file.
    init(_ problem: Problem, entry: Int? = nil, path: String = "") {
        (self.problem, self.entry, self.path) = (problem, entry, path)
    }

    /// The same error, seen from outside its entry.
    func inEntry(_ number: Int) -> HARError {
        var outer = self
        outer.entry = number
        return outer
    }

    /// The position and the error: "entry 3, response.status: expected …, found …".
    ///
    /// Content of the file is escaped, so that it cannot control a terminal.
    public var description: String { TerminalText.escaped(Messages.describe(self)) }
}

/// Something that a file lacks or that was repaired; the rest can be used.
public enum HARNote: Sendable, Equatable, CustomStringConvertible {
    /// The file ends in the middle; this many entries are complete.
    case torn(entries: Int)
    /// This many halves of surrogate pairs became U+FFFD, because no text can contain them.
    case loneSurrogates(Int)
    case missingAttachment(name: String, entry: Int)
    /// This many things of a kind could not be kept; the entries are the first that had them, at most one more than
    /// ``HARLosses/mostNamed``, counted from 1 in file order.
    case lost(HARLoss, count: Int, entries: [Int])
    /// A note by the recorder itself.
    case recorded(String)

    /// Whether nothing is missing from the time that the file covers.
    var isHarmless: Bool {
        switch self {
        // A cut body is known as such.
        case .torn, .loneSurrogates, .lost(.cutBody, _, _), .lost(.shortBody, _, _), .lost(.cutMessage, _, _): true
        default: false
        }
    }

    /// A clause, without a full stop.
    ///
    /// Names and notes from the file are escaped, so that they cannot control a terminal.
    public var description: String { TerminalText.escaped(Messages.describe(self)) }
}

/// What an entry has, or must have had, and a session cannot keep.
public enum HARLoss: Sendable, CaseIterable {
    case body
    /// A body that is not in the encoding that the file names, as in sanitised files.
    case unreadableBody
    /// A body that our recorder cut, or left out because it could not look for secrets in it.
    case cutBody
    case shortBody
    /// A form with a file whose content is not in the file.
    case formFile
    /// A message whose opcode is neither text nor binary, or an error instead of a message.
    case message
    /// A binary message that is not in base64.
    case unreadableMessage
    case cutMessage
    /// A message of an entry that is no WebSocket that was opened.
    case strayMessage
    /// All messages of a WebSocket.
    case messages
}

/// Counts what is lost while a file is read.
struct HARLosses {
    /// How many entries a note names; one more is kept, so that it is known whether there are more.
    static let mostNamed = 5
    /// The number of the entry that is being read.
    var entry = 0
    private var found: [HARLoss: (count: Int, entries: [Int])] = [:]

    mutating func add(_ loss: HARLoss, count: Int = 1) {
        guard count > 0 else { return }
        found[loss, default: (0, [])].count += count
        guard let entries = found[loss]?.entries, entries.count <= Self.mostNamed, entries.last != entry else { return }
        found[loss]?.entries.append(entry)
    }

    /// A note for each kind, in the order of the kinds.
    var notes: [HARNote] {
        HARLoss.allCases.compactMap { loss in
            found[loss].map { .lost(loss, count: $0.count, entries: $0.entries) }
        }
    }
}

/// The limits of reading a file.
public struct HARLimits: Sendable, Hashable {
    /// The maximum bytes of a file and its attachments together.
    public var bytes: Int
    /// The maximum number of JSON values.
    public var values: Int
    public var entries: Int

    /// Creates limits; the defaults are 256 MiB, 10,000,000 values and 100,000 entries.
    public init(bytes: Int = 256 << 20, values: Int = 10_000_000, entries: Int = 100_000) {
        precondition(bytes >= 1 && values >= 1 && entries >= 1, "a limit is at least 1")
        (self.bytes, self.values, self.entries) = (bytes, values, entries)
    }
}

extension JSONValue {
    /// A whole number from 0.
    fileprivate var count: Int? { int.flatMap { $0 >= 0 ? $0 : nil } }
}

/// An object of a file, whose errors have its path; `null` counts as absent, because writers use it so.
struct HARObject {
    private let members: JSONObject
    private let name: String
    private let index: Int?

    /// - Parameters:
    ///   - name: The path from the entry or the top, of the object or of the array that has it.
    ///   - index: Its place in the array.
    init(_ value: JSONValue, at name: String = "", index: Int? = nil) throws(HARError) {
        (self.name, self.index) = (name, index)
        if case .object(let object) = value {
            members = object
        } else {
            members = [:]
            throw HARError(.wrong(expected: Messages.object, found: Messages.found(value)), path: path())
        }
    }

    subscript(name: String) -> JSONValue? { members[name] }

    /// The path of the object, or of one of its members.
    func path(to member: String = "") -> String {
        let own = name + (index.map { "[\($0)]" } ?? "")
        return own.isEmpty || member.isEmpty ? own + member : "\(own).\(member)"
    }

    func optionalObject(_ name: String) throws(HARError) -> HARObject? {
        guard let value = present(name) else { return nil }
        return try HARObject(value, at: path(to: name))
    }
    func object(_ name: String) throws(HARError) -> HARObject {
        guard let object = try optionalObject(name) else { throw wrong(name, expected: Messages.object) }
        return object
    }
    /// The object, or one without members.
    func objectOrNone(_ name: String) throws(HARError) -> HARObject {
        // Most messages have none, so no path is made for it.
        if let object = try optionalObject(name) { return object }
        return try HARObject([:])
    }
    func optionalArray(_ name: String) throws(HARError) -> [JSONValue]? { try optional(name, Messages.array, \.array) }
    func optionalString(_ name: String) throws(HARError) -> String? { try optional(name, Messages.string, \.string) }
    func optionalCount(_ name: String) throws(HARError) -> Int? { try optional(name, Messages.count, \.count) }
    func count(_ name: String) throws(HARError) -> Int { try required(name, Messages.count, \.count) }
    func array(_ name: String) throws(HARError) -> [JSONValue] { try required(name, Messages.array, \.array) }
    func string(_ name: String, expected: String = Messages.string) throws(HARError) -> String {
        try required(name, expected, \.string)
    }

    func base64(_ name: String) throws(HARError) -> [UInt8] {
        guard let bytes = Base64.decode(try string(name)) else { throw wrong(name, expected: Messages.base64) }
        return bytes
    }

    func required<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(HARError) -> Value {
        guard let value = present(name).flatMap(read) else { throw wrong(name, expected: expected) }
        return value
    }

    private func optional<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(HARError) -> Value? { try present(name) == nil ? nil : required(name, expected, read) }

    func wrong(_ name: String, expected: String, _ problem: String? = nil) -> HARError {
        guard let value = self[name] else { return HARError(.missing(expected: expected), path: path(to: name)) }
        let found = Messages.found(value) + (problem.map { ". " + $0 } ?? "")
        return HARError(.wrong(expected: expected, found: found), path: path(to: name))
    }

    private func present(_ name: String) -> JSONValue? {
        guard let value = self[name], !value.isNull else { return nil }
        return value
    }
}
