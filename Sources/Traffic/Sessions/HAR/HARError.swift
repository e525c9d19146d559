import JSON
import Text

/// Why a file is no HAR, and where.
public struct HARError: Error, Sendable, Equatable {
    /// What is wrong.
    public var problem: Problem
    /// The entry that it is in, counted from 1 in the order of the file; nil outside of entries.
    public var entry: Int?
    /// Where it is, from the entry or the top: `response.status`, `_webSocketMessages[3].time`; empty for the whole.
    public var path: String

    /// What can be wrong.
    public enum Problem: Sendable, Equatable {
        /// There is not one byte.
        case empty
        /// The file and those beside it have more bytes than a limit allows.
        case tooLarge(limit: Int)
        /// It is not JSON but compressed, as Playwright (zip) and mitmproxy (zlib) do when asked.
        case compressed(String)
        /// It is not JSON.
        case json(JSONError)
        /// There are more entries than a limit allows.
        case tooManyEntries(limit: Int)
        /// There is nothing where something was expected.
        case missing(expected: String)
        /// There is something else than was expected.
        case wrong(expected: String, found: String)
    }

    /// Describes what is wrong with the whole.
    init(_ problem: Problem, entry: Int? = nil, path: String = "") {
        self.problem = problem
        self.entry = entry
        self.path = path
    }

    /// The same, seen from the outside of a member or an element.
    func inside(_ step: String) -> HARError {
        var outer = self
        outer.path = path.isEmpty ? step : path.hasPrefix("[") ? step + path : step + "." + path
        return outer
    }

    /// The same, seen from outside of its entry.
    func inEntry(_ number: Int) -> HARError {
        var outer = self
        outer.entry = number
        return outer
    }
}

extension HARError: CustomStringConvertible {
    /// The place and what is wrong: "entry 3, response.status: expected …, found …".
    ///
    /// What the file holds is escaped, so that a terminal obeys nothing of it.
    public var description: String { TerminalText.escaped(Messages.describe(self)) }
}

/// Something that a file lacks or that was repaired; what is there can be used.
public enum HARNote: Sendable, Equatable {
    /// The file ends in the middle, and so many entries are whole.
    case torn(entries: Int)
    /// An entry, counted from 1 in the order of the file, is damaged: so many bytes of its frames were left out.
    case damagedEntry(Int, leftOut: Int)
    /// An entry, counted from 1 in the order of the file, is damaged and was left out as a whole.
    case lostEntry(Int, bytes: Int)
    /// Beside the entries that other notes name, so many are damaged; so many bytes were left out of them.
    case moreDamaged(entries: Int, leftOut: Int)
    /// So many halves of surrogate pairs became U+FFFD: no text has them.
    case loneSurrogates(Int)
    /// A file that holds a body or messages is not there.
    case missingAttachment(name: String, entry: Int)
    /// So many bodies were not recorded.
    case missingBodies(Int)
    /// So many messages have an opcode that is neither text nor binary, or are no messages but errors.
    case skippedMessages(Int)
    /// What the recorder itself had to say.
    case recorded(String)
}

extension HARNote {
    /// Whether nothing is missing for it from the time that the file covers.
    var isHarmless: Bool {
        switch self {
        case .torn, .loneSurrogates: true
        default: false
        }
    }
}

extension HARNote: CustomStringConvertible {
    /// A clause, without a full stop.
    ///
    /// What the file holds of names and notes is escaped, so that a terminal obeys nothing of it.
    public var description: String { TerminalText.escaped(Messages.describe(self)) }
}

/// What reading a file may spend.
public struct HARLimits: Sendable, Hashable {
    /// How many bytes a file may have, and those beside it together.
    public var bytes: Int
    /// How many JSON values it may hold.
    public var values: Int
    /// How many entries it may have.
    public var entries: Int

    /// Makes limits; what is left out has the documented default: 256 MiB, 10,000,000 values, 100,000 entries.
    public init(bytes: Int = 256 << 20, values: Int = 10_000_000, entries: Int = 100_000) {
        precondition(bytes >= 1 && values >= 1 && entries >= 1, "a limit is at least 1")
        self.bytes = bytes
        self.values = values
        self.entries = entries
    }
}
