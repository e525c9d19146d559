import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that grows in batches, each of which is in it as a whole or not at all.
///
/// There are two files with the same content: the one at the path, and one beside it that ends with `.part`. A batch is written to
/// the one beside; then the two change places, which is one step for the system; then it is written to the other. The file at
/// the path is never written to, so a process that is killed and a disk that is full leave it as the last batch did. Calls wait
/// for the disk, and belong to one thread at a time.
public final class TwinFile {
    /// Where the file is.
    public let path: String
    /// Where its twin is.
    public let twinPath: String
    /// What is at the path, unless something else was put there.
    private var shown: OutputFile
    private var hidden: OutputFile
    /// Whether the twin has everything that the file has.
    private var isTwinWhole = true
    private let put: Write
    private let canExchange: Bool

    /// How bytes are written to a place of a file.
    typealias Write = (OutputFile, [UInt8], Int) throws(FileError) -> Void

    /// Makes the two files, empty.
    ///
    /// A twin that a killed process left is replaced: an empty file, or one that begins with `beginning`.
    ///
    /// - Throws: where the folder takes none, where a file is there that is not to be replaced, and where the file system can
    ///   neither exchange files nor link them.
    public convenience init(
        creating path: String, existing: OutputFile.Existing, beginning: [UInt8]
    ) throws(FileError) {
        try self.init(creating: path, existing: existing, beginning: beginning) {
            (file, bytes, offset) throws(FileError) in try file.write(bytes, at: offset)
        }
    }

    /// For tests of disks that fail, and of file systems that cannot exchange files.
    init(
        creating path: String, existing: OutputFile.Existing, beginning: [UInt8], canExchange: Bool = true,
        write: @escaping Write
    ) throws(FileError) {
        // The two change places by name: a symbolic link would be exchanged, not what it leads to.
        let path = existing == .replace ? Self.resolved(path) : path
        self.path = path
        twinPath = path + ".part"
        put = write
        self.canExchange = canExchange
        for leftover in [twinPath, Self.spare(twinPath)] { Self.removeLeftover(leftover, beginning) }
        hidden = try OutputFile(creating: twinPath)
        do throws(FileError) {
            shown = try OutputFile(creating: path, existing: existing)
        } catch {
            hidden.discard()
            throw error
        }
        do throws(FileError) {
            // Both are empty: this only shows whether the file system can do it.
            try exchange()
        } catch {
            discard()
            throw FileError(.create, path: path, code: FileError.notExchangeable)
        }
    }

    deinit {
        shown.close()
        hidden.close()
    }

    /// Writes a batch: bytes at places, in order.
    ///
    /// - Throws: where the disk is full or fails, and where the file was moved, removed or replaced. The file then is as it was,
    ///   or has the whole batch; nothing more can be written.
    public func write(_ batch: [(offset: Int, bytes: [UInt8])]) throws(FileError) {
        guard !batch.isEmpty else { return }
        try checkPlaces()
        isTwinWhole = false
        for (offset, bytes) in batch { try putToTwin(bytes, at: offset) }
        try exchange()
        for (offset, bytes) in batch { try putToTwin(bytes, at: offset) }
        isTwinWhole = true
    }

    private func putToTwin(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        do throws(FileError) {
            try put(hidden, bytes, offset)
        } catch {
            // Which of the two it is means nothing outside.
            throw FileError(.write, path: path, code: error.code)
        }
    }

    /// Reads bytes from an offset; fewer than asked for only where the file ends before.
    public func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
        try shown.read(count, at: offset)
    }

    /// Writes another form of the file, made of calls that append to it, and puts that at the path; nothing can be written after.
    ///
    /// - Throws: where that fails, ``FileError/gone`` where the file was moved, removed or replaced meanwhile; the new form is
    ///   then at ``twinPath``, if its folder still is there.
    public func finish(
        _ body: ((_ bytes: [UInt8]) throws(FileError) -> Void) throws(FileError) -> Void
    ) throws(FileError) {
        isTwinWhole = false
        guard ftruncate(hidden.descriptor, 0) == 0 else { throw FileError(.write, path: path, code: errno) }
        var end = 0
        try body { (bytes) throws(FileError) in
            try putToTwin(bytes, at: end)
            end += bytes.count
        }
        isTwinWhole = true
        try checkPlaces()
        guard fsync(hidden.descriptor) == 0, rename(twinPath, path) == 0 else {
            throw FileError(.move, path: path, code: errno)
        }
    }

    /// Where the recording is once nothing more is to be written; nil where both files were moved or removed.
    ///
    /// The twin is removed, unless it is all that is left.
    public func settle() -> String? {
        let twinIsThere = Self.isPresent(hidden, at: twinPath)
        if Self.isPresent(shown, at: path) || Self.isPresent(hidden, at: path) {
            if twinIsThere { unlink(twinPath) }
            return path
        }
        return twinIsThere && isTwinWhole ? twinPath : nil
    }

    /// Removes both files.
    public func discard() {
        if Self.isPresent(shown, at: path) { unlink(path) }
        if Self.isPresent(hidden, at: twinPath) { unlink(twinPath) }
    }

    // MARK: Places

    private func checkPlaces() throws(FileError) {
        guard Self.isPresent(shown, at: path), Self.isPresent(hidden, at: twinPath) else {
            throw FileError(.write, path: path, code: FileError.gone)
        }
    }

    private func exchange() throws(FileError) {
        var code = canExchange ? cplatform_exchange_files(path, twinPath) : -ENOSYS
        if code == -EINVAL || code == -ENOSYS || code == -ENOTSUP { code = exchangeByLinking() }
        guard code == 0 else { throw FileError(.move, path: path, code: -code) }
        swap(&shown, &hidden)
    }

    /// In three steps, of which the second is the one that counts.
    private func exchangeByLinking() -> Int32 {
        let spare = Self.spare(twinPath)
        guard link(path, spare) == 0 else { return -errno }
        guard rename(twinPath, path) == 0, rename(spare, twinPath) == 0 else { return -errno }
        return 0
    }

    private static func spare(_ twinPath: String) -> String { twinPath + "2" }

    /// Whether the file is still at that path, and not another one.
    private static func isPresent(_ file: OutputFile, at path: String) -> Bool {
        var (own, there) = (stat(), stat())
        return fstat(file.descriptor, &own) == 0 && lstat(path, &there) == 0
            && own.st_dev == there.st_dev && own.st_ino == there.st_ino
    }

    /// Where a symbolic link leads, and any other path as it is.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Removes a twin that a killed process left; what is something else stays, and is in the way.
    private static func removeLeftover(_ path: String, _ beginning: [UInt8]) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        if count == 0 || bytes == beginning { unlink(path) }
    }
}
