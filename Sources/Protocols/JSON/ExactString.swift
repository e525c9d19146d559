import Text

/// A string identified by its UTF-8 bytes.
///
/// Swift's strings are equal if they are canonically equivalent in Unicode: `é` in one scalar or two, and the Kelvin
/// sign (U+212A) and `K`. External names, ids, tokens, keys and paths differ if their bytes differ, so compare, hash
/// and sort them as this type. Use `String` for user-visible text.
///
/// Comparing `String`s with an ASCII constant is safe unless it contains `K`, `;` or the grave accent: no other ASCII
/// character has a canonical equivalent.
public struct ExactString: Sendable {
    public let text: String
    public init(_ text: String) { self.text = text }
    public init(_ text: Substring) { self.text = String(text) }
    public var utf8: String.UTF8View { text.utf8 }
    public var isEmpty: Bool { text.isEmpty }
    /// The text with ASCII letters in lower case; everything else is unchanged, even the Kelvin sign.
    public func asciiLowercased() -> Self {
        guard utf8.contains(where: { $0.isUppercaseLetter }) else { return self }
        return Self(String(decoding: utf8.map { $0.lowercased }, as: UTF8.self))
    }
}

extension ExactString: Hashable, Comparable {
    public static func == (left: ExactString, right: ExactString) -> Bool { left.text.isExactly(right.text) }
    /// Compares the bytes, which is also the order of the Unicode scalars.
    public static func < (left: ExactString, right: ExactString) -> Bool { left.text.isExactlyBefore(right.text) }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension ExactString: ExpressibleByStringInterpolation, CustomStringConvertible {
    public init(stringLiteral value: String) { self.init(value) }
    public var description: String { text }
}

extension String {
    /// Whether both have the same UTF-8 bytes, compared like ``ExactString``.
    @inlinable
    public func isExactly(_ other: String) -> Bool {
        // Most strings that differ have different lengths.
        utf8.count == other.utf8.count && hasSameBytes(as: other)
    }

    @usableFromInline
    func hasSameBytes(as other: String) -> Bool {
        // Native strings provide access to their bytes without copying.
        let result = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable {
                areEqual(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0))
            }
        }
        return result.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether this precedes the other string in byte order, which distinguishes all strings that differ.
    public func isExactlyBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension Optional<String> {
    /// Whether both are nil, or both have the same UTF-8 bytes.
    public func isExactly(_ other: String?) -> Bool {
        switch (self, other) {
        case (let left?, let right?): left.isExactly(right)
        case (nil, nil): true
        default: false
        }
    }
}

/// Compares eight bytes at a time.
private func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var offset = 0
    while offset + 8 <= left.count {
        let one = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        guard one == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
        offset += 8
    }
    while offset < left.count {
        guard left[offset] == right[offset] else { return false }
        offset += 1
    }
    return true
}

extension JSONValue {
    public var exactString: ExactString? { string.map(ExactString.init(_:)) }
}
