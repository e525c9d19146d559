import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The user's folder for data that outlives a run; others may not read it.
struct DataDirectory {
    let path: String

    /// The folder named by the environment, or the system's customary one.
    init(environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }) throws(Failure) {
        path = try Self.path(environment)
    }

    init(path: String) { self.path = path }

    /// `FITIQ_MOCK_DATA_DIR`, else the folder of Apple's guidelines or the XDG Base Directory Specification.
    private static func path(_ environment: (String) -> String?) throws(Failure) -> String {
        func folder(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        if let own = folder("FITIQ_MOCK_DATA_DIR") { return own }
        #if canImport(Darwin)
            if let home = folder("HOME") { return home + "/Library/Application Support/fitiq-mock" }
        #else
            // The specification requires relative paths to be ignored.
            if let data = folder("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/fitiq-mock" }
            if let home = folder("HOME") { return home + "/.local/share/fitiq-mock" }
        #endif
        throw .configuration(Messages.noDataDirectory)
    }

    /// The path of a file in it; absolute, so programs in other folders can use it.
    subscript(name: String) -> String { absolutePath + "/" + name }

    var absolutePath: String {
        if path.hasPrefix("/") { return path }
        guard let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// Runs the body under an exclusive lock among processes.
    ///
    /// Creates the folder if it is missing, for its user only.
    func locked<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try make(absolutePath)
        let lock = self["lock"]
        let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.unwritable(lock) }
        // The system releases the lock whenever the process ends.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw Self.unwritable(lock) }
        }
        return try body()
    }

    /// Writes a file atomically; a secret one is never readable by others, not even while being written.
    func write(_ bytes: [UInt8], to name: String, isSecret: Bool) throws(Failure) {
        do throws(FileError) {
            try WholeFile.write(bytes, to: self[name], others: .none, mode: isSecret ? 0o600 : 0o644)
        } catch {
            throw .configuration(error.description + ".")
        }
    }

    /// Creates a folder and its missing parents.
    private func make(_ folder: String) throws(Failure) {
        if mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else {
            throw Self.unwritable(folder)
        }
        try make(String(folder[..<slash]))
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Self.unwritable(folder) }
    }

    private static func unwritable(_ path: String) -> Failure {
        .configuration(Messages.unwritable(path, reason: String(cString: strerror(errno))))
    }
}
