extension JSONWriter {
    public mutating func value(_ string: String) {
        var string = string
        string.withUTF8 { utf8 in
            guard utf8.count <= Self.longestInRoom, Escape.isPlain(utf8) else {
                return write { Escape.append(utf8, to: &$0) }
            }
            write(utf8.count + 2) { room in
                var end = room
                end.write(.quote)
                end.write(utf8)
                end.write(.quote)
                return end - room
            }
        }
    }
    public mutating func value(_ integer: Int) {
        write(NumberText.longestInteger) { NumberText.write(integer, into: $0) }
    }
    /// Writes the shortest number that parses to the same double: `2.0` becomes `2`; the value must be finite.
    public mutating func value(_ number: Double) { write { NumberText.append(number, to: &$0) } }

    /// Writes a finite number with exactly `fractionDigits` digits (0 to 17) after the point, halves rounded away from
    /// zero.
    public mutating func value(fixed number: Double, fractionDigits: Int) {
        write { NumberText.append(number, fractionDigits: fractionDigits, to: &$0) }
    }

    /// Writes an integer whose last digits (1 to 17) follow the point: 372 with one such digit is `37.2`.
    public mutating func value(_ integer: Int, fractionDigits: Int) {
        write { NumberText.append(integer, fractionDigits: fractionDigits, to: &$0) }
    }

    public mutating func value(_ bool: Bool) { bool ? constant("true") : constant("false") }
    public mutating func null() { constant("null") }
    public mutating func value(_ value: JSONValue) { write { Rendering.append(value, to: &$0) } }
    /// Writes a value that is already JSON text, without checking it.
    public mutating func raw(_ encoded: [UInt8]) { encoded.withUnsafeBufferPointer { raw($0) } }
    /// Writes a value that is already JSON text, without checking it.
    public mutating func raw(_ encoded: ArraySlice<UInt8>) { encoded.withUnsafeBufferPointer { raw($0) } }

    @inline(__always)
    private mutating func raw(_ encoded: UnsafeBufferPointer<UInt8>) {
        guard encoded.count <= Self.longestInRoom else { return write { $0.append(contentsOf: encoded) } }
        write(encoded.count) { room in
            var end = room
            end.write(encoded)
            return end - room
        }
    }

    @inline(__always)
    private mutating func constant(_ text: StaticString) {
        text.withUTF8Buffer { raw($0) }
    }

    @inline(__always)
    private mutating func member(_ name: StaticString, writing value: (inout JSONWriter) -> Void) {
        key(name)
        value(&self)
    }

    public mutating func member(_ name: StaticString, _ string: String) { member(name) { $0.value(string) } }
    public mutating func member(_ name: StaticString, _ integer: Int) { member(name) { $0.value(integer) } }
    /// Writes a member with the shortest number that parses to the same double; the value must be finite.
    public mutating func member(_ name: StaticString, _ number: Double) { member(name) { $0.value(number) } }

    /// Writes a member with exactly `fractionDigits` digits (0 to 17) after the point: `198.0`.
    public mutating func member(_ name: StaticString, fixed number: Double, fractionDigits: Int) {
        member(name) { $0.value(fixed: number, fractionDigits: fractionDigits) }
    }

    public mutating func member(_ name: StaticString, _ bool: Bool) { member(name) { $0.value(bool) } }
    public mutating func member(_ name: StaticString, _ value: JSONValue) { member(name) { $0.value(value) } }
    /// Writes a member with a value that is already JSON text, without checking it.
    public mutating func member(_ name: StaticString, raw encoded: [UInt8]) { member(name) { $0.raw(encoded) } }
    public mutating func memberNull(_ name: StaticString) { member(name) { $0.null() } }

    public mutating func member(_ name: StaticString, ifPresent string: String?) {
        if let string { member(name, string) }
    }
    public mutating func member(_ name: StaticString, ifPresent integer: Int?) {
        if let integer { member(name, integer) }
    }
    public mutating func member(_ name: StaticString, ifPresent number: Double?) {
        if let number { member(name, number) }
    }
    public mutating func member(_ name: StaticString, orNull string: String?) {
        if let string { member(name, string) } else { memberNull(name) }
    }

    /// Writes a string that needs no escaping without creating it first.
    public mutating func value(_ text: some PlainJSONText) {
        write(plainTextLimit + 2) { room in
            room[0] = .quote
            let count = text.write(into: UnsafeMutableBufferPointer(start: room + 1, count: plainTextLimit))
            room[count + 1] = .quote
            return count + 2
        }
    }
    public mutating func member(_ name: StaticString, _ text: some PlainJSONText) { member(name) { $0.value(text) } }
    public mutating func member(_ name: StaticString, ifPresent text: (some PlainJSONText)?) {
        if let text { member(name, text) }
    }
    public mutating func member(_ name: StaticString, orNull text: (some PlainJSONText)?) {
        if let text { member(name, text) } else { memberNull(name) }
    }

    public mutating func object(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
        member(name) { $0.object(body) }
    }
    public mutating func array(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
        member(name) { $0.array(body) }
    }

    @inline(__always)
    public mutating func object(_ body: (inout JSONWriter) -> Void) {
        beginObject()
        body(&self)
        endObject()
    }

    @inline(__always)
    public mutating func array(_ body: (inout JSONWriter) -> Void) {
        beginArray()
        body(&self)
        endArray()
    }

    public static func object(reserving capacity: Int = 256, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(reserving: capacity)
        writer.object(body)
        return writer.takeBytes()
    }
}

/// A value whose JSON string needs no escapes, such as an id or a time.
public protocol PlainJSONText {
    /// Writes its text into a buffer of ``plainTextLimit`` bytes and returns the number of bytes.
    func write(into room: UnsafeMutableBufferPointer<UInt8>) -> Int
}

/// The longest text of a ``PlainJSONText``, in bytes.
public let plainTextLimit = 36

extension [UInt8] {
    @inline(__always)
    mutating func append(_ text: StaticString) { text.withUTF8Buffer { append(contentsOf: $0) } }
}
