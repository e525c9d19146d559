/// Random bytes from the operating system, for seeds and keys; only the shell asks for them.
///
/// The source is `SystemRandomNumberGenerator`: getrandom(2) on Linux, arc4random_buf(3) on macOS. Neither can fail.
public enum SystemEntropy {
    /// Eight random bytes as one number, to seed a reproducible run.
    public static func seed() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// That many random bytes; the count is not negative.
    public static func bytes(count: Int) -> [UInt8] {
        precondition(count >= 0, "asked for \(count) random bytes")
        var generator = SystemRandomNumberGenerator()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var word: UInt64 = 0
            for index in 0..<count {
                if index % 8 == 0 { word = generator.next() }
                buffer.initializeElement(at: index, to: UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
            initialized = count
        }
    }
}
