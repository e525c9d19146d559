import FitIQAPI

/// Real functions from nothing but IEEE 754's basic operations.
///
/// Those are the same to the last bit everywhere, which a system's mathematical library is not: with that, the same seed
/// would stream at another pace on another system.
enum Arithmetic {
    /// A number of the standard normal distribution, nearly: the sum of twelve even ones, within 6 of 0.
    static func normal(from numbers: inout SplitMix64) -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += Double(numbers.next() >> 11) * 0x1p-53 }
        return sum
    }

    /// e to the power of x, to about 15 digits; 0 or infinity far out.
    static func exp(_ x: Double) -> Double {
        guard x > -745 else { return 0 }
        guard x < 710 else { return .infinity }
        // x = k·ln 2 + r with |r| ≤ ln 2 / 2; ln 2 in two parts, so that k·ln 2 is exact enough.
        let k = (x * 1.442695040888963407).rounded()
        let r = (x - k * 0x1.62E42FEE00000p-1) - k * 0x1.A39EF35793C76p-33
        // Taylor's series, from its small end: r¹⁸ / 18! is far below the last digit.
        var sum = 1.0
        for n in stride(from: 18.0, through: 1.0, by: -1.0) { sum = 1 + sum * r / n }
        // In two steps: near the ends 2ᵏ alone is no number, though the result is one.
        let half = Int(k) / 2
        return sum * Double(sign: .plus, exponent: half, significand: 1)
            * Double(sign: .plus, exponent: Int(k) - half, significand: 1)
    }
}
