/// The masking key of a frame, positioned at the next byte of its payload.
///
/// RFC 6455 §5.3: "transformed-octet-i = original-octet-i XOR masking-key-octet-(i MOD 4)".
struct MaskKey: Hashable, Sendable {
    /// The four octets; the one for the next byte is the least significant.
    private var octets: UInt32

    /// Takes the key as it stands on the wire, in network order.
    init(networkOrder: UInt32) {
        octets = networkOrder.byteSwapped
    }

    /// The key as it stands on the wire, in network order.
    var networkOrder: UInt32 { octets.byteSwapped }

    /// Masks or unmasks `bytes` in place, and moves on to the byte after them.
    mutating func apply(to bytes: UnsafeMutableRawBufferPointer) {
        let count = bytes.count
        // A zero key changes nothing; some clients use it where masking buys them nothing.
        guard octets != 0 else { return }
        let wide = (UInt64(octets) << 32 | UInt64(octets)).littleEndian
        var index = 0
        while index + 8 <= count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < count {
            bytes[index] ^= UInt8(truncatingIfNeeded: octets >> (UInt32(index & 3) * 8))
            index += 1
        }
        let turn = UInt32(count & 3) * 8
        if turn != 0 { octets = octets >> turn | octets << (32 - turn) }
    }
}

/// Makes masking keys from a seed, so that a client's bytes can be repeated.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
struct MaskKeyGenerator: Hashable, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> MaskKey {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return MaskKey(networkOrder: UInt32(truncatingIfNeeded: (mixed ^ (mixed >> 31)) >> 32))
    }
}
