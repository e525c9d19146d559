/// A scalar with its other cases, by the mappings that lead from one scalar to one.
struct CasedScalar {
    let itself: Unicode.Scalar
    let lower: Unicode.Scalar
    let upper: Unicode.Scalar
    /// The same for all scalars that differ in case only: `K`, `k` and the Kelvin sign.
    let folded: Unicode.Scalar

    init(_ scalar: Unicode.Scalar) {
        itself = scalar
        if scalar.isASCII {
            switch scalar.value {
            case 0x41...0x5A:
                (lower, upper) = (Unicode.Scalar(UInt8(scalar.value | 0x20)), scalar)
            case 0x61...0x7A:
                (lower, upper) = (scalar, Unicode.Scalar(UInt8(scalar.value & 0xDF)))
            default:
                (lower, upper) = (scalar, scalar)
            }
            folded = lower
        } else {
            lower = Self.only(scalar.properties.lowercaseMapping) ?? scalar
            upper = Self.only(scalar.properties.uppercaseMapping) ?? scalar
            // By way of the upper case: the two small sigmas have one capital.
            folded = Self.only(upper.properties.lowercaseMapping) ?? upper
        }
    }

    private static func only(_ mapping: String) -> Unicode.Scalar? {
        mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first : nil
    }
}
