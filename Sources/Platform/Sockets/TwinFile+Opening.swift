import CLibrary

/// The checks that run before the two files are created. They do not touch files that another process is writing or
/// that may be a recording's only copy.
extension TwinFile {
    /// How many leading bytes of a file and its twin must match: enough to cover a recording's start time, but too few
    /// to reach its last batch.
    private static let alike = 160

    /// The path of the file, with links resolved.
    ///
    /// Files are exchanged by name, so a symbolic link would be exchanged instead of its target.
    static func place(_ path: String, _ existing: Existing) throws(FileError) -> String {
        guard existing == .replace else { return path }
        guard case .file(let place) = try FilePlace.find(path, for: .create) else {
            throw FileError(.create, path: path, cause: .notRegular)
        }
        return place
    }

    /// The file to replace, locked and unchanged; nil if there is none.
    ///
    /// - Throws: if a file exists that must not be replaced or that another process is writing.
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

    /// Locks a file; closes it if that fails.
    private static func lock(_ file: OutputFile) throws(FileError) {
        do throws(FileError) { try file.lock() } catch {
            file.close()
            throw error
        }
    }

    /// Removes a twin left behind by a killed process, if its file is in place.
    ///
    /// A twin with at most the first batch is always removed. Throws if another file is at the path, because the twin
    /// may then be a moved file's only copy.
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
        // The twin is a link to the file: a process was killed between two steps of an exchange by links.
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
