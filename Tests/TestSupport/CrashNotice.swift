#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Prints what was running, such as a seed, when a precondition stops the program, because a trap cannot be caught.
package enum CrashNotice {
    /// The text, ready for a signal handler, which must not allocate.
    nonisolated(unsafe) private static let text = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    nonisolated(unsafe) private static var length = 0
    private static let capacity = 512

    /// Makes the handler print the text to standard error before the program ends.
    package static func install() {
        // Access the text here, so that it is initialized before the handler needs it.
        _ = text
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV] {
            signal(number) { number in
                _ = write(2, CrashNotice.text, CrashNotice.length)
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Sets the text, which may have up to 512 bytes.
    package static func prepare(_ notice: String) {
        let bytes = Array(notice.utf8.prefix(capacity))
        text.update(from: bytes, count: bytes.count)
        length = bytes.count
    }
}
