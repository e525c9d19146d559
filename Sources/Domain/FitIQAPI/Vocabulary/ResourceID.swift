import Text

/// An id that the backend issued: a version 4 UUID, written in lower case.
///
/// The FitIQ backend compares ids as text and so is case-sensitive (consultation-websocket, best practice 1).
public struct ResourceID: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    private let low: UInt64

    /// Makes a version 4 UUID from 128 bits, of which RFC 9562 §5.4 fixes six.
    public init(randomBits high: UInt64, _ low: UInt64) {
        self.high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
        self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A number that is as random as the id, to seed whatever belongs to it.
    public var seed: UInt64 { high ^ low }

    /// The id as it goes over the wire: 36 characters, lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: 36) { bytes in
            var offset = 0
            for nibble in 0..<32 {
                if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
                    bytes[offset] = .minus
                    offset += 1
                }
                let half = nibble < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - nibble % 16 * 4)) & 0xF
                bytes[offset] = value.lowercaseHexDigit
                offset += 1
            }
            return 36
        }
    }
}

extension ResourceID {
    /// What a text in the place of an id turns out to be.
    public enum Reading: Equatable, Sendable {
        /// A UUID in lower case.
        case id(ResourceID)
        /// A UUID, but with upper-case letters: to this backend an unknown id.
        case wrongCase
        /// No UUID at all.
        case malformed
    }

    /// Reads a text that stands where an id is due.
    public static func read(_ text: String) -> Reading {
        // A native string lends its bytes; only a bridged one is copied.
        var text = text
        return text.withUTF8(read)
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading {
        guard bytes.count == 36 else { return .malformed }
        var halves: (UInt64, UInt64) = (0, 0)
        var nibbles = 0
        var hasUpperCase = false
        for position in 0..<36 {
            let byte = bytes[position]
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == .minus else { return .malformed }
                continue
            }
            guard let value = byte.hexValue else { return .malformed }
            hasUpperCase = hasUpperCase || byte.isUppercaseLetter
            if nibbles < 16 {
                halves.0 = halves.0 << 4 | UInt64(value)
            } else {
                halves.1 = halves.1 << 4 | UInt64(value)
            }
            nibbles += 1
        }
        return hasUpperCase ? .wrongCase : .id(ResourceID(high: halves.0, low: halves.1))
    }

    /// The id that the text spells, or nil where it is none.
    public init?(_ text: String) {
        guard case .id(let id) = ResourceID.read(text) else { return nil }
        self = id
    }
}
