import Text

/// Appends JSON text to a byte array, with members in call order, and inserts commas.
///
///     var writer = JSONWriter(reserving: 256)
///     writer.beginObject()
///     writer.member("id", id)
///     writer.key("items")
///     writer.beginArray()
///     for item in items { writer.raw(item.encoded) }
///     writer.endArray()
///     writer.endObject()
///     send(writer.takeBytes())
///
/// Calls that cannot produce JSON are programming errors: a value without a name in an object, a name in an array, the
/// wrong end, a second top-level value, or more than 64 open arrays and objects. Strings are escaped only as RFC 8259,
/// section 7, requires: `/` and characters beyond ASCII are not escaped.
public struct JSONWriter: Sendable {
    /// The output so far, followed by initialised spare bytes, so that writing checks the capacity once, not for each
    /// byte.
    private var storage: [UInt8]
    /// The number of bytes of output so far.
    public private(set) var count: Int
    /// One bit for each open array (0) or object (1), the innermost lowest.
    private var objects: UInt64 = 0
    private var depth = 0
    private var expects = Expectation.firstValue

    private enum Expectation: UInt8 {
        /// Nothing precedes the value in its container or in the text.
        case firstValue
        /// A comma must precede the value.
        case nextValue
        /// A name precedes it.
        case memberValue
    }

    public init(reserving capacity: Int = 0) {
        (storage, count) = ([], 0)
        storage.reserveCapacity(capacity)
        fill(min(capacity, Self.longestInRoom))
    }

    /// Creates a writer that appends to existing bytes.
    public init(appendingTo bytes: consuming [UInt8]) {
        count = bytes.count
        storage = bytes
    }

    /// Appends the output of `body` to an array in place, without copying its contents.
    public static func append(to output: inout [UInt8], _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.count = output.count
        swap(&writer.storage, &output)
        body(&writer)
        output = writer.takeBytes()
    }

    /// The output so far, complete once ``isComplete``; unlike ``takeBytes()``, this copies it.
    public var bytes: [UInt8] { count == storage.count ? storage : Array(storage[..<count]) }

    /// Moves the output out and resets the writer.
    public mutating func takeBytes() -> [UInt8] {
        trim()
        var taken: [UInt8] = []
        swap(&taken, &storage)
        removeAll()
        return taken
    }

    /// Moves the output so far to the end of an array; open containers stay open.
    public mutating func drain(into output: inout [UInt8]) {
        output += storage[..<count]
        count = 0
    }

    /// Whether one whole value has been written.
    public var isComplete: Bool { depth == 0 && expects == .nextValue }
    /// Resets the writer and keeps its memory.
    public mutating func removeAll() { (count, objects, depth, expects) = (0, 0, 0, .firstValue) }

    // MARK: Structure

    public mutating func beginObject() { begin(.leftBrace, isObject: true) }
    public mutating func endObject() { end(.rightBrace, isObject: true) }
    public mutating func beginArray() { begin(.leftBracket, isObject: false) }
    public mutating func endArray() { end(.rightBracket, isObject: false) }

    /// Writes a member name that needs no escaping; its value must follow.
    @inline(__always)
    public mutating func key(_ name: StaticString) {
        let followsMember = beginName()
        name.withUTF8Buffer { utf8 in
            assert(!utf8.contains(where: Escape.isNeeded), "write \(name) with key(escaping:)")
            put(utf8.count + 4) { room in
                var end = room
                if followsMember { end.write(.comma) }
                end.write(.quote)
                end.write(utf8)
                end.write(.quote)
                end.write(.colon)
                return end - room
            }
        }
    }

    /// Writes a member name that is not a constant; its value must follow.
    public mutating func key(escaping name: String) {
        if beginName() { put(.comma) }
        edit { bytes in
            Escape.append(name, to: &bytes)
            bytes.append(.colon)
        }
    }

    /// Writes the members of an object that is already JSON text, without checking it.
    ///
    /// - Precondition: it has members.
    public mutating func members(of object: [UInt8]) {
        precondition(object.count > 2, "an object to add must have members")
        if beginName() { put(.comma) }
        raw(object[1..<object.count - 1])
    }

    private mutating func beginValue() {
        switch expects {
        case .memberValue: break
        case .firstValue: precondition(depth == 0 || objects & 1 == 0, "a value in an object needs a name")
        case .nextValue:
            precondition(depth > 0, "JSON text must be a single value")
            precondition(objects & 1 == 0, "a value in an object needs a name")
            put(.comma)
        }
        expects = .nextValue
    }

    /// Whether a comma must precede the name.
    @inline(__always)
    private mutating func beginName() -> Bool {
        precondition(depth > 0 && objects & 1 == 1, "a name must be in an object")
        precondition(expects != .memberValue, "a name needs a value before the next name")
        defer { expects = .memberValue }
        return expects == .nextValue
    }

    private mutating func begin(_ bracket: UInt8, isObject: Bool) {
        beginValue()
        precondition(depth < UInt64.bitWidth, "at most \(UInt64.bitWidth) arrays and objects may be open")
        objects = objects << 1 | (isObject ? 1 : 0)
        depth += 1
        put(bracket)
        expects = .firstValue
    }

    private mutating func end(_ bracket: UInt8, isObject: Bool) {
        precondition(depth > 0, "nothing is open")
        precondition(
            (objects & 1 == 1) == isObject, "the innermost open value is \(isObject ? "an array" : "an object")")
        precondition(expects != .memberValue, "a name needs a value")
        objects >>= 1
        depth -= 1
        put(bracket)
        expects = .nextValue
    }

    // MARK: Output

    /// Append longer values: initialising spare bytes for them would cost as much as copying.
    static let longestInRoom = 1024

    /// Writes a value of at most `limit` bytes in place; `body` returns the number written.
    @inline(__always)
    mutating func write(_ most: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        beginValue()
        put(most, body)
    }

    /// Writes a value by appending to an array.
    @inline(__always)
    mutating func write(_ body: (inout [UInt8]) -> Void) {
        beginValue()
        edit(body)
    }

    @inline(__always)
    private mutating func put(_ most: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        if storage.count - count < most { makeRoom(for: most) }
        let start = count
        let written = storage.withUnsafeMutableBufferPointer { body($0.baseAddress! + start) }  // There is room.
        count += written
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        guard count < storage.count else {
            storage.append(byte)
            count += 1
            return
        }
        put(1) { room in
            room.pointee = byte
            return 1
        }
    }

    @inline(__always)
    private mutating func edit(_ body: (inout [UInt8]) -> Void) {
        trim()
        body(&storage)
        count = storage.count
    }

    @inline(never)
    private mutating func makeRoom(for most: Int) {
        let needed = most - (storage.count - count)
        let (spare, wanted) = (storage.capacity - storage.count, needed + min(max(count / 2, 64), 1024))
        // Excess spare bytes do not justify moving the array.
        fill(spare < needed ? wanted : min(spare, wanted))
    }

    /// Appends zeros; `Array(repeating:count:)` would look up its storage type each time, and a sequence would be
    /// copied bytewise.
    private mutating func fill(_ length: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { zeros in
            zeros.initialize(repeating: 0)
            storage.append(contentsOf: zeros)
        }
    }

    private mutating func trim() { if storage.count > count { storage.removeLast(storage.count - count) } }
}

extension UnsafeMutablePointer<UInt8> {
    /// Writes a byte and advances.
    @inline(__always)
    mutating func write(_ byte: UInt8) {
        pointee = byte
        self += 1
    }

    /// Writes bytes and advances.
    @inline(__always)
    mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        update(from: start, count: bytes.count)
        self += bytes.count
    }
}
