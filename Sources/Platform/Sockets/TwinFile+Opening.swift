#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What is looked at before the two files are made. Nothing is touched that another process writes, or that may be all that
/// is left of what was written.
extension TwinFile {
    /// How much of two files has to be the same for the one to be the other's twin: enough to tell two recordings apart by when
    /// they began, and not so much that a last batch may be in it.
    private static let alike = 160

    /// Where the file itself is.
    ///
    /// One that is replaced changes its place by name: a symbolic link would be exchanged, not what it leads to.
    static func place(_ path: String, _ existing: Existing) throws(FileError) -> String {
        guard existing == .replace else { return path }
        guard case .file(let place) = try FilePlace.find(path, for: .create) else {
            throw FileError(.create, path: path, cause: .notRegular)
        }
        return place
    }

    /// The file that is to be replaced, locked and as it was; nil where there is none.
    ///
    /// - Throws: where there is one that is not to be replaced, and where another process writes it.
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
        do throws(FileError) {
            try old.lock()
            guard existing == .replace else { throw FileError(.create, path: path, code: EEXIST) }
        } catch {
            old.close()
            throw error
        }
        return old
    }

    /// Removes a twin that a killed process left, where the file that it belongs to is in its place.
    ///
    /// One that has no more than the first batch goes in any case.
    ///
    /// - Throws: where something else is there, which may be all that is left of a file that was moved.
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
        // A name of the file itself, from a process that was killed between two steps of an exchange by links.
        if let old, old.isAt(path) {
            unlink(path)
            return
        }
        try leftover.lock()
        let content = try leftover.read(alike, at: 0)
        let rest = try old?.read(alike, at: 0) ?? []
        let isTwin =
            content.starts(with: beginning) && rest.starts(with: beginning)
            && zip(content, rest).allSatisfy { $0 == $1 }
        let isEmpty = content.isEmpty || first.map(\.bytes) == [content]
        guard isEmpty || isTwin else { throw FileError(.create, path: path, code: EEXIST) }
        unlink(path)
    }

    /// Makes an empty file that only this process writes.
    static func make(_ path: String) throws(FileError) -> OutputFile {
        let file = try OutputFile(creating: path)
        do throws(FileError) {
            try file.lock()
        } catch {
            file.close()
            throw error
        }
        return file
    }
}
