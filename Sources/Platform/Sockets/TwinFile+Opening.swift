import CLibrary

/// Checks before the two files are created. It does not touch files that another process writes, or that may be the
/// only copy of a recording.
extension TwinFile {
    /// The number of bytes in which a file and its twin must agree: enough to distinguish two recordings by their start
    /// times, but not so many that a last batch may be included.
    private static let alike = 160

    /// The path of the file itself.
    ///
    /// A replaced file is exchanged by name: a symbolic link would be exchanged instead of its target.
    static func place(_ path: String, _ existing: Existing) throws(FileError) -> String {
        guard existing == .replace else { return path }
        guard case .file(let place) = try FilePlace.find(path, for: .create) else {
            throw FileError(.create, path: path, cause: .notRegular)
        }
        return place
    }

    /// The file to replace, locked and unchanged; nil if there is none.
    ///
    /// - Throws: if a file exists that must not be replaced, or another process writes it.
    static func claim(_ path: String, _ existing: Existing) throws(FileError) -> OutputFile? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw FileError(.create, path: path, code: errno) }
            return nil
        }
        let old: OutputFile
        do throws(FileError) {
            old = try OutputFile(opening: path)
        } catch {
            throw existing == .replace
                ? FileError(.create, path: path, cause: error.cause) : FileError(.create, path: path, code: EEXIST)
        }
        try lock(old)
        guard existing == .replace else {
            old.close()
            throw FileError(.create, path: path, code: EEXIST)
        }
        return old
    }

    /// Locks a file, or closes it.
    private static func lock(_ file: OutputFile) throws(FileError) {
        do throws(FileError) { try file.lock() } catch {
            file.close()
            throw error
        }
    }

    /// Removes a twin that a killed process left, if the file it belongs to is in its place.
    ///
    /// A twin with no more than the first batch is removed in any case. Throws if another file is in its place, because
    /// the twin may then be the only copy of a moved file.
    static func removeLeftover(
        _ path: String, of old: OutputFile?, _ beginning: [UInt8], _ first: Batch
    ) throws(FileError) {
        let leftover: OutputFile
        do throws(FileError) {
            leftover = try OutputFile(opening: path)
        } catch {
            guard error.cause != .system(ENOENT), error.cause != .system(ENOTDIR) else { return }
            throw FileError(.create, path: path, code: EEXIST)
        }
        defer { leftover.close() }
        // Another name of the file itself, from a process killed between two steps of an exchange by links.
        if let old, old.isAt(path) {
            unlink(path)
            return
        }
        try leftover.lock()
        let content = try leftover.read(alike, at: 0)
        let rest = try old?.read(alike, at: 0) ?? []
        let isTwin = [content, rest].allSatisfy { $0.starts(with: beginning) } && zip(content, rest).allSatisfy(==)
        let isEmpty = content.isEmpty || first.map(\.bytes) == [content]
        guard isEmpty || isTwin else { throw FileError(.create, path: path, code: EEXIST) }
        unlink(path)
    }

    /// Creates an empty file that only this process writes.
    static func make(_ path: String) throws(FileError) -> OutputFile {
        let file = try OutputFile(creating: path)
        try lock(file)
        return file
    }
}
