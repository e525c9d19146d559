import CLibrary

/// A file that grows in batches and contains each batch completely or not at all.
///
/// There are two files with the same content: the file at the path, and its twin with the suffix `.part`. A batch is
/// written to the twin; the two are exchanged atomically; then the batch is written to the other file. The file at the
/// path is never written to, so it still contains the previous batches if this process is killed or the disk is full.
/// Both files are locked against other processes. Calls block on the disk; only one thread at a time may use the
/// object.
public final class TwinFile {
    /// How to treat an existing file.
    public enum Existing: Sendable, Hashable {
        /// The file is kept, and opening fails: see ``FileError/exists``.
        case refuse
        /// The file is replaced. For a symbolic link, its target is replaced and the link is kept.
        case replace
    }

    /// Bytes and their offsets, in order.
    public typealias Batch = [(offset: Int, bytes: [UInt8])]
    /// Writes bytes at an offset in a file.
    typealias Write = (OutputFile, [UInt8], Int) throws(FileError) -> Void
    public let path: String
    public let twinPath: String
    /// The file at the path, unless another file has replaced it.
    private var shown: OutputFile
    private var hidden: OutputFile
    /// Whether the twin has the file's complete content.
    private var isTwinWhole: Bool
    /// Whether the replaced file is now at the twin's path, from where it can be restored.
    private var keepsReplaced: Bool
    private let put: Write
    private let exchange: FileExchange
    /// The number of bytes copied at a time when the twin is recreated.
    private static let pieceSize = 1 << 20

    /// Creates the two files; the file at the path already has the first batch.
    ///
    /// A twin left by a killed process next to a replaced file is removed if it starts with `beginning` and then
    /// matches the file. Until ``write(_:)``, ``discard()`` restores the replaced file. Throws if the folder is not
    /// writable, if a file exists that must not be replaced, if another process is writing the files, or if the file
    /// system can neither exchange nor link files.
    public convenience init(
        creating path: String, existing: Existing, beginning: [UInt8], first: Batch
    ) throws(FileError) {
        try self.init(creating: path, existing: existing, beginning: beginning, first: first, exchange: FileExchange())
        { (file, bytes, offset) throws(FileError) in try file.write(bytes, at: offset) }
    }

    /// For tests of failing disks, and of file systems that cannot exchange files.
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
                // The file has been created since the check.
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
            // Both files are identical; this tests whether the file system supports the exchange.
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

    /// Writes a batch: bytes at offsets, in order.
    ///
    /// A missing twin is recreated; an empty batch does nothing except remove the replaced file for good. Throws if the
    /// disk is full or fails, or the file was moved, removed or replaced. After an error, the file contains either the
    /// whole batch or none of it, and further writes fail.
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
            // Errors contain the path, because callers do not use the twin.
            throw FileError(.write, path: path, cause: error.cause)
        }
    }

    /// Reads bytes from an offset; the result is shorter than requested only at the end of the file.
    public func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] { try shown.read(count, at: offset) }

    /// Writes a different version of the file by appending, and moves it to the path; no further writes are allowed.
    ///
    /// - Throws: The write error; ``FileError/Cause/gone`` if the file was moved, removed or replaced. The written
    ///   content is then at ``twinPath``, if its folder still exists.
    public func finish(
        _ body: ((_ bytes: [UInt8]) throws(FileError) -> Void) throws(FileError) -> Void
    ) throws(FileError) {
        // Otherwise the twin is the only copy.
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

    /// Finishes after the last write and returns the recording's path; nil if both files were moved or removed.
    ///
    /// The twin is removed, unless it is the only copy.
    public func settle() -> String? {
        let twinIsThere = hidden.isAt(twinPath)
        if shown.isAt(path) || hidden.isAt(path) {
            if twinIsThere { unlink(twinPath) }
            return path
        }
        return twinIsThere && isTwinWhole ? twinPath : nil
    }

    /// Removes both files; restores the replaced file if nothing was written yet.
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

    /// Recreates the twin if it has been removed or is still the replaced file.
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
