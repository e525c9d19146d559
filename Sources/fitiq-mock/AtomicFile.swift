#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes a file so that nobody ever sees half of it: beside its place first, then moved into it.
enum AtomicFile {
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let draft = "\(path).\(getpid())"
        guard let file = fopen(draft, "w") else {
            throw .configuration(Messages.unwritable(path, reason: String(cString: strerror(errno))))
        }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count, rename(draft, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(draft)
            throw .configuration(Messages.unwritable(path, reason: reason))
        }
    }
}
