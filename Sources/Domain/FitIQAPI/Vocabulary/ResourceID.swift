import JSON
import Text

/// An id: a version 4 UUID in lower case from the backend, or any UUID or free text from a scenario.
///
/// The FitIQ backend compares ids as case-sensitive strings (consultation-websocket, best practice 1). The guides
/// declare ids as strings, and their tests use `backend-123`. Free text is stored in the bits of a version 15 UUID,
/// which no RFC defines, with eleven characters in each half.
public struct ResourceID: Hashable, Sendable, CustomStringConvertible, PlainJSONText {
    let high: UInt64
    private let low: UInt64

    /// Creates a version 4 UUID from 128 bits, six of which RFC 9562 §5.4 fixes.
    public init(randomBits high: UInt64, _ low: UInt64) {
        self.high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
        self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// A number derived from the id, to seed data that belongs to it.
    public var seed: UInt64 { high ^ low }

    /// Creates an id from free text in a scenario: 1 to 22 of `a` to `z`, `0` to `9`, `-` and `_`; otherwise nil.
    public init?(freeText text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.longestFreeText).contains(bytes.count), let head = Self.packed(bytes.prefix(11)),
            let tail = Self.packed(bytes.dropFirst(11))
        else { return nil }
        high = (head >> 12) << 16 | 0xF000 | head & 0xFFF
        low = 1 << 63 | tail
    }

    private static let freeCharacters = Array("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    static let longestFreeText = 22

    /// Reads characters as digits of base 39, the first in the lowest place; eleven fit into 59 bits.
    private static func packed(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for byte in bytes.reversed() {
            guard let digit = freeCharacters.firstIndex(of: byte) else { return nil }
            number = number * 39 + UInt64(digit + 1)
        }
        return number
    }

    private var isFreeText: Bool { high & 0xF000 == 0xF000 && low >> 62 == 2 }

    private func writeFreeText(into bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var count = 0
        for packed in [(high >> 16) << 12 | high & 0xFFF, low & 0x3FFF_FFFF_FFFF_FFFF] {
            var rest = packed
            while rest > 0 {
                bytes[count] = Self.freeCharacters[Int(rest % 39) - 1]
                rest /= 39
                count += 1
            }
        }
        return count
    }

    /// The id on the wire: 36 characters in lower case, or the free text.
    public var description: String { String(unsafeUninitializedCapacity: 36, initializingUTF8With: write) }

    public func write(into bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
        if isFreeText { return writeFreeText(into: bytes) }
        func write(_ digits: UInt64, at first: Int, _ second: Int) {
            let halves = (UInt32(truncatingIfNeeded: digits), UInt32(truncatingIfNeeded: digits >> 32))
            let start = UnsafeMutableRawPointer(bytes.baseAddress!)  // There is room for 36 bytes.
            start.storeBytes(of: halves.0.littleEndian, toByteOffset: first, as: UInt32.self)
            start.storeBytes(of: halves.1.littleEndian, toByteOffset: second, as: UInt32.self)
        }
        write((high >> 32).hexText, at: 0, 4)
        write(high.hexText, at: 9, 14)
        write((low >> 32).hexText, at: 19, 24)
        write(low.hexText, at: 28, 32)
        for place in [8, 13, 18, 23] { bytes[place] = .minus }
        return 36
    }

    /// The result of reading an id.
    public enum Reading: Equatable, Sendable {
        case id(ResourceID)
        /// A UUID with upper-case letters, which this backend treats as an unknown id.
        case wrongCase
        case malformed
    }

    public static func read(_ text: String) -> Reading {
        // Native strings provide access to their bytes; only bridged strings are copied.
        var text = text
        return text.withUTF8(read)
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading {
        guard bytes.count == 36, bytes[8] == .minus, bytes[13] == .minus, bytes[18] == .minus, bytes[23] == .minus
        else { return .malformed }
        func digits(_ first: Int, _ second: Int) -> (value: UInt64, hasUpperCase: Bool)? {
            let start = UnsafeRawPointer(bytes.baseAddress!)  // There are 36 bytes.
            let halves = (
                UInt32(littleEndian: (start + first).loadUnaligned(as: UInt32.self)),
                UInt32(littleEndian: (start + second).loadUnaligned(as: UInt32.self))
            )
            return (UInt64(halves.1) << 32 | UInt64(halves.0)).hexDigits
        }
        guard let one = digits(0, 4), let two = digits(9, 14), let three = digits(19, 24), let four = digits(28, 32)
        else { return .malformed }
        let hasUpperCase = one.hasUpperCase || two.hasUpperCase || three.hasUpperCase || four.hasUpperCase
        let id = ResourceID(high: one.value << 32 | two.value, low: three.value << 32 | four.value)
        // The backend issues no version 15 UUIDs; one would be written as free text.
        return id.isFreeText ? .malformed : hasUpperCase ? .wrongCase : .id(id)
    }

    public init?(_ text: String) {
        guard case .id(let id) = ResourceID.read(text) else { return nil }
        self = id
    }

    public init?(_ text: String, as comparison: IDCase) {
        switch comparison {
        case .lowerCase: self.init(text)
        case .anyCase: self.init(text.lowercased())
        case .free:
            guard let id = ResourceID(text) ?? ResourceID(freeText: text) else { return nil }
            self = id
        }
    }
}

/// Which spellings of ids a request may use.
public enum IDCase: String, CaseIterable, Sendable {
    /// Ids must be spelled as issued, as the FitIQ backend requires.
    case lowerCase = "lower-case"
    /// Ids may also contain upper-case letters, which some app calls send.
    case anyCase = "any-case"
    /// Ids must be spelled as issued; a scenario may use free text, as the guides' tests do.
    case free
}

/// The sequence of ids that a world issues, determined by its seed.
public struct ResourceIDSequence: Sendable {
    private var numbers: SplitMix64
    /// The number of ids issued or skipped, which is the position in the sequence; it repeats after 2⁶³ ids.
    public private(set) var issuedCount: Int

    /// Starts a seed's sequence, or continues it after a number of ids.
    ///
    /// - Parameter count: 0 or more; skipping takes constant time.
    public init(seed: UInt64, skipping count: Int = 0) {
        numbers = SplitMix64(seed: seed)
        issuedCount = 0
        skip(count)
    }

    /// An id derived from a seed; the same seed always yields the same id.
    public static func first(of seed: UInt64) -> ResourceID {
        var identifiers = ResourceIDSequence(seed: seed)
        return identifiers.next()
    }

    public mutating func next() -> ResourceID {
        issuedCount = (issuedCount &+ 1) & .max
        return ResourceID(randomBits: numbers.next(), numbers.next())
    }

    /// Skips ids until this many have been issued; never goes back.
    public mutating func skip(toCount count: Int) { if count > issuedCount { skip(count - issuedCount) } }

    /// Skips all ids up to this one if it is one of the next 2⁴⁰; otherwise does nothing.
    ///
    /// Otherwise an id copied from another run with the same seed would be issued twice. Reversing SplitMix64 computes
    /// the position without a search, except for the six bits that a version 4 UUID fixes.
    public mutating func skip(past id: ResourceID) {
        for versionBits in UInt64(0)..<16 {
            let steps = numbers.steps(until: id.high & 0xFFFF_FFFF_FFFF_0FFF | versionBits << 12)
            // Each id uses two numbers; the first is its high half.
            guard steps & 1 == 1, steps < 1 << 41 else { continue }
            var rest = self
            rest.skip(Int(steps / 2))
            guard rest.next() == id else { continue }
            self = rest
            return
        }
    }

    private mutating func skip(_ count: Int) {
        precondition(count >= 0, "a sequence must move forward, not by \(count)")
        numbers.skip(UInt64(count) &* 2)
        issuedCount = (issuedCount &+ count) & .max
    }
}

/// The seeded random number generator behind all generated data.
///
/// Steele, Lea, Flood: "Fast splittable pseudorandom number generators". Not for secrets.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// A number from 0 up to, but not including, the bound; the bias is below 2⁻³² for the small bounds used here.
    public mutating func next(below bound: UInt64) -> UInt64 { next().multipliedFullWidth(by: bound).high }

    /// Skips `count` numbers in constant time.
    public mutating func skip(_ count: UInt64) { state &+= 0x9E37_79B9_7F4A_7C15 &* count }

    /// The number of calls to ``next()`` until it returns these bits, modulo 2⁶⁴; 0 means the whole period.
    ///
    /// Every step of `next` can be reversed: a shift by repeated XOR, a product by the inverse of its odd factor.
    func steps(until bits: UInt64) -> UInt64 {
        var before = bits
        before ^= before >> 31 ^ before >> 62
        before = before &* 0x3196_42B2_D24D_8EC3
        before ^= before >> 27 ^ before >> 54
        before = before &* 0x96DE_1B17_3F11_9089
        before ^= before >> 30 ^ before >> 60
        return (before &- state) &* 0xF1DE_83E1_9937_733D
    }
}

extension Sequence<UInt8> {
    /// A hash of any bytes (FNV-1a, 64 bits); ``SplitMix64`` spreads it over all bits.
    @inlinable package var fnv1a: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}
