import Text

/// Appends JSON text to a byte array: members in the order of the calls, with commas inserted.
///
///     var writer = JSONWriter(reserving: 256)
///     writer.beginObject()
///     writer.member("id", id)
///     writer.key("items")
///     writer.beginArray()
///     for item in items { writer.raw(item.encoded) }
///     writer.endArray()
///     writer.endObject()
///     send(writer.bytes)
///
/// Calls that do not result in a JSON text are programming errors: a value without a name in an object, a name in an
/// array, the wrong end, a second value at the top, more than 64 open arrays and objects. Strings are escaped only as
/// RFC 8259, section 7, requires: `/` and characters beyond ASCII are not escaped.
public struct JSONWriter: Sendable {
    /// The output so far; a whole JSON text once `isComplete`.
    public private(set) var bytes: [UInt8]
    /// One bit for each open array (0) or object (1), the innermost lowest.
    private var objects: UInt64 = 0
    private var depth = 0
    private var expects = Expectation.firstValue

    private enum Expectation: UInt8 {
        /// Nothing precedes it in its container or in the text.
        case firstValue
        /// A comma must precede it.
        case nextValue
        /// A name precedes it.
        case memberValue
    }

    public init(reserving capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Creates a writer that appends to any existing bytes.
    public init(appendingTo bytes: consuming [UInt8]) { self.bytes = bytes }

    /// Appends the output of `body` to an array in place, without copying its contents.
    public static func append(to output: inout [UInt8], _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        swap(&writer.bytes, &output)
        body(&writer)
        swap(&writer.bytes, &output)
    }

    /// Moves the output so far to the end of an array; open containers stay open for further output.
    public mutating func drain(into output: inout [UInt8]) {
        output += bytes
        bytes.removeAll(keepingCapacity: true)
    }

    /// Whether one whole value has been written.
    public var isComplete: Bool { depth == 0 && expects == .nextValue }
    /// Restarts the writer, keeping its memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        (objects, depth, expects) = (0, 0, .firstValue)
    }

    // MARK: Structure

    public mutating func beginObject() { begin(.leftBrace, isObject: true) }
    public mutating func endObject() { end(.rightBrace, isObject: true) }
    public mutating func beginArray() { begin(.leftBracket, isObject: false) }
    public mutating func endArray() { end(.rightBracket, isObject: false) }

    /// Writes a member name that needs no escaping; its value must follow.
    @inline(__always)
    public mutating func key(_ name: StaticString) {
        beginName()
        name.withUTF8Buffer { utf8 in
            assert(!utf8.contains(where: Escape.isNeeded), "write \(name) with key(escaping:)")
            bytes.append(.quote)
            bytes.append(contentsOf: utf8)
        }
        bytes.append(.quote)
        bytes.append(.colon)
    }

    /// Writes a member name that is not a constant; its value must follow.
    public mutating func key(escaping name: String) {
        beginName()
        Escape.append(name, to: &bytes)
        bytes.append(.colon)
    }

    /// Writes the members of an object, which is already JSON text, without checking it.
    ///
    /// - Precondition: it has members.
    public mutating func members(of object: [UInt8]) {
        precondition(object.count > 2, "an object without members adds nothing")
        beginName()
        bytes.append(contentsOf: object[1..<object.count - 1])
        expects = .nextValue
    }

    private mutating func beginValue() {
        switch expects {
        case .memberValue: break
        case .firstValue: precondition(depth == 0 || objects & 1 == 0, "a value in an object needs a name")
        case .nextValue:
            precondition(depth > 0, "a JSON text is one value")
            precondition(objects & 1 == 0, "a value in an object needs a name")
            bytes.append(.comma)
        }
        expects = .nextValue
    }

    private mutating func beginName() {
        precondition(depth > 0 && objects & 1 == 1, "a name stands in an object")
        precondition(expects != .memberValue, "a name needs a value before the next one")
        if expects == .nextValue { bytes.append(.comma) }
        expects = .memberValue
    }

    private mutating func begin(_ bracket: UInt8, isObject: Bool) {
        beginValue()
        precondition(depth < UInt64.bitWidth, "no more than \(UInt64.bitWidth) arrays and objects may be open")
        objects = objects << 1 | (isObject ? 1 : 0)
        depth += 1
        bytes.append(bracket)
        expects = .firstValue
    }

    private mutating func end(_ bracket: UInt8, isObject: Bool) {
        precondition(depth > 0, "nothing is open")
        precondition((objects & 1 == 1) == isObject, "what is open is \(isObject ? "an array" : "an object")")
        precondition(expects != .memberValue, "a name needs a value")
        objects >>= 1
        depth -= 1
        bytes.append(bracket)
        expects = .nextValue
    }

    @inline(__always)
    mutating func write(_ body: (inout [UInt8]) -> Void) {
        beginValue()
        body(&bytes)
    }
}
