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
/// the path is never written to, so a process that is killed and a disk that is full leave it as the last batch did. Both are
/// locked, so that no two processes write them. Calls wait for the disk, and belong to one thread at a time.
public final class TwinFile {
    /// What becomes of a file that is there already.
    public enum Existing: Sendable, Hashable {
        /// It stays, and opening fails: see ``FileError/exists``.
        case refuse
        /// It is replaced. What a symbolic link leads to is, and the link stays.
        case replace
    }

    /// Bytes and where they go, in order.
    public typealias Batch = [(offset: Int, bytes: [UInt8])]

    /// How bytes are written to a place of a file.
    typealias Write = (OutputFile, [UInt8], Int) throws(FileError) -> Void

    /// Where the file is.
    public let path: String
    /// Where its twin is.
    public let twinPath: String
    /// What is at the path, unless something else was put there.
    private var shown: OutputFile
    private var hidden: OutputFile
    /// Whether the twin has everything that the file has.
    private var isTwinWhole: Bool
    /// Whether what was replaced is in the twin's place, from where it can come back.
    private var keepsReplaced: Bool
    private let put: Write
    private let exchange: FileExchange

    /// Bytes that are copied at a time where the twin is made anew.
    private static let pieceSize = 1 << 20

    /// Makes the two files, of which the one at the path has the first batch from the beginning.
    ///
    /// What a killed process left beside a file that is replaced goes with it: it begins with `beginning`, and goes on as the
    /// file does. What is replaced can be brought back by ``discard()`` until ``write(_:)``.
    ///
    /// - Throws: where the folder takes none, where a file is there that is not to be replaced, where another process writes
    ///   them, and where the file system can neither exchange files nor link them.
    public convenience init(
        creating path: String, existing: Existing, beginning: [UInt8], first: Batch
    ) throws(FileError) {
        try self.init(creating: path, existing: existing, beginning: beginning, first: first, exchange: FileExchange())
        {
            (file, bytes, offset) throws(FileError) in try file.write(bytes, at: offset)
        }
    }

    /// For tests of disks that fail, and of file systems that cannot exchange files.
    init(
        creating path: String, existing: Existing, beginning: [UInt8], first: Batch, exchange: FileExchange,
        write: @escaping Write
    ) throws(FileError) {
        let path = try Self.place(path, existing)
        self.path = path
        twinPath = path + ".part"
        put = write
        self.exchange = exchange
        let old = try Self.claim(path, existing)
        let new: OutputFile
        do throws(FileError) {
            for leftover in [twinPath, FileExchange.spare(twinPath)] {
                try Self.removeLeftover(leftover, of: old, beginning, first)
            }
            do throws(FileError) {
                new = try Self.make(twinPath)
            } catch {
                // It was not there a moment ago.
                throw FileError(.create, path: path, cause: error.exists ? .inUse : error.cause)
            }
            do throws(FileError) {
                for (offset, bytes) in first { try write(new, bytes, offset) }
                if old == nil { try new.move(toFree: path) } else { try exchange(path, twinPath) }
            } catch {
                new.discard()
                throw error.path == twinPath ? FileError(error.operation, path: path, cause: error.cause) : error
            }
        } catch {
            old?.close()
            throw error
        }
        shown = new
        hidden = old ?? new
        isTwinWhole = false
        keepsReplaced = old != nil
        guard old == nil else { return }
        do throws(FileError) {
            try remakeTwin()
            // Both are the same: this only shows whether the file system can do it.
            try exchangePlaces()
        } catch {
            discard()
            throw error
        }
    }

    deinit {
        shown.close()
        if hidden.descriptor != shown.descriptor { hidden.close() }
    }

    /// Writes a batch: bytes at places, in order.
    ///
    /// A twin that is gone is made anew; an empty batch only sees to it that what was replaced is gone for good.
    ///
    /// - Throws: where the disk is full or fails, and where the file was moved, removed or replaced. The file then is as it was,
    ///   or has the whole batch; nothing more can be written.
    public func write(_ batch: Batch) throws(FileError) {
        guard !batch.isEmpty || keepsReplaced else { return }
        guard shown.isAt(path) else { throw FileError(.write, path: path, cause: .gone) }
        if !hasTwin { try remakeTwin() }
        guard !batch.isEmpty else { return }
        isTwinWhole = false
        for (offset, bytes) in batch { try putToTwin(bytes, at: offset) }
        try exchangePlaces()
        for (offset, bytes) in batch { try putToTwin(bytes, at: offset) }
        isTwinWhole = true
    }

    private func putToTwin(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        do throws(FileError) {
            try put(hidden, bytes, offset)
        } catch {
            // Which of the two it is means nothing outside.
            throw FileError(.write, path: path, cause: error.cause)
        }
    }

    /// Reads bytes from an offset; fewer than asked for only where the file ends before.
    public func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
        try shown.read(count, at: offset)
    }

    /// Writes another form of the file, made of calls that append to it, and puts that at the path; nothing can be written after.
    ///
    /// - Throws: where that fails, ``FileError/Cause/gone`` where the file was moved, removed or replaced; what was written is
    ///   then at ``twinPath``, if its folder still is there.
    public func finish(
        _ body: ((_ bytes: [UInt8]) throws(FileError) -> Void) throws(FileError) -> Void
    ) throws(FileError) {
        // Else the twin, as it is, is all that is left.
        guard shown.isAt(path) else { throw FileError(.write, path: path, cause: .gone) }
        if !hasTwin { try remakeTwin(isCopy: false) }
        isTwinWhole = false
        guard ftruncate(hidden.descriptor, 0) == 0 else { throw FileError(.write, path: path, code: errno) }
        var end = 0
        try body { (bytes) throws(FileError) in
            try putToTwin(bytes, at: end)
            end += bytes.count
        }
        isTwinWhole = true
        guard shown.isAt(path) else { throw FileError(.write, path: path, cause: .gone) }
        guard hidden.isAt(twinPath) else { throw FileError(.write, path: twinPath, cause: .gone) }
        guard fsync(hidden.descriptor) == 0, rename(twinPath, path) == 0 else {
            throw FileError(.move, path: path, code: errno)
        }
    }

    /// Where the recording is once nothing more is to be written; nil where both files were moved or removed.
    ///
    /// The twin is removed, unless it is all that is left.
    public func settle() -> String? {
        let twinIsThere = hidden.isAt(twinPath)
        if shown.isAt(path) || hidden.isAt(path) {
            if twinIsThere { unlink(twinPath) }
            return path
        }
        return twinIsThere && isTwinWhole ? twinPath : nil
    }

    /// Removes both files, and brings back what was replaced if nothing was written since.
    public func discard() {
        if keepsReplaced {
            guard shown.isAt(path), hidden.isAt(twinPath), (try? exchange(path, twinPath)) != nil else { return }
            if shown.isAt(twinPath) { unlink(twinPath) }
        } else {
            if shown.isAt(path) { unlink(path) }
            if hidden.isAt(twinPath) { unlink(twinPath) }
        }
    }

    // MARK: The twin

    private var hasTwin: Bool { !keepsReplaced && hidden.isAt(twinPath) }

    private func exchangePlaces() throws(FileError) {
        try exchange(path, twinPath)
        swap(&shown, &hidden)
    }

    /// Makes the twin anew: it was removed, or has what the file replaced.
    private func remakeTwin(isCopy: Bool = true) throws(FileError) {
        isTwinWhole = false
        if keepsReplaced, hidden.isAt(twinPath) { unlink(twinPath) }
        keepsReplaced = false
        let twin = try Self.make(twinPath)
        if hidden.descriptor != shown.descriptor { hidden.close() }
        hidden = twin
        guard isCopy else { return }
        var end = 0
        while true {
            let bytes = try shown.read(Self.pieceSize, at: end)
            if bytes.isEmpty { break }
            try putToTwin(bytes, at: end)
            end += bytes.count
        }
        isTwinWhole = true
    }
}
