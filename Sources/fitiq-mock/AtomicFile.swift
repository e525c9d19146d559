#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes a file so that nobody ever sees half of it: beside its place first, then moved into it.
///
/// A device, a pipe and what a link leads to are written as they are: moved onto them, the file would take their place.
enum AtomicFile {
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let isInPlace = isSpecial(path)
        let draft = isInPlace ? path : "\(path).\(getpid())"
        guard let file = fopen(draft, "w") else {
            throw .configuration(Messages.unwritable(path, reason: String(cString: strerror(errno))))
        }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count, isInPlace || rename(draft, path) == 0 else {
            let reason = String(cString: strerror(errno))
            if !isInPlace { unlink(draft) }
            throw .configuration(Messages.unwritable(path, reason: reason))
        }
    }

    private static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }
}
