import ArgumentParser
import CLibrary
import FitIQAPI
import Sockets
import TLS

struct Certificate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Show where 'serve --tls' keeps its CA, and how to make clients trust it.",
        discussion: "The CA is created on first use, in FITIQ_MOCK_DATA_DIR or in the user's data folder.")

    @Flag(help: "Print only the path to the CA's certificate, for scripts.")
    var ca = false

    @Flag(help: "Print only the CA's certificate, as PEM.")
    var pem = false

    func validate() throws { if ca && pem { throw ValidationError(Messages.eitherPathOrPEM) } }

    func run() throws {
        let files = try CertificateFiles()
        let current = try files.current(at: FitIQMock.now)
        if ca {
            print(current.caPath)
        } else if pem {
            print(String(decoding: current.ca, as: UTF8.self), terminator: "")
        } else {
            let facts = (
                ca: try CertificateFacts.read(pem: current.ca),
                server: try CertificateFacts.read(pem: current.certificate)
            )
            print(
                Messages.certificates(
                    ca: (current.caPath, facts.ca[0]), server: (files.serverPath, facts.server[0])), terminator: "")
        }
    }
}

/// This machine's CA and server certificate, as files in the data directory.
///
/// The files are created on first use.
///
/// The CA is kept until shortly before it expires, because users have made their clients trust it. If the CA is
/// damaged, the user must decide what to do. The server certificate is renewed if it is damaged or about to expire.
struct CertificateFiles {
    let directory: DataDirectory
    /// Receives warnings for the user: sentences without the final full stop.
    var warn: (String) -> Void = FitIQMock.printError
    static let (ca, caKey) = ("ca.pem", "ca-key.pem")
    static let (server, serverKey) = ("localhost.pem", "localhost-key.pem")
    private static let subject = "fitiq-mock CA of this machine"

    init() throws(Failure) { directory = try DataDirectory() }
    init(_ directory: DataDirectory) { self.directory = directory }
    var caPath: String { directory[Self.ca] }
    var serverPath: String { directory[Self.server] }

    struct Current: Equatable {
        let caPath: String
        let ca: [UInt8]
        let certificate: [UInt8]
        let key: [UInt8]
    }

    /// Returns the current files, and creates any that are missing or about to expire.
    func current(at now: Timestamp) throws(Failure) -> Current {
        let now = now.secondsSinceEpoch
        return try directory.locked { () throws(Failure) in
            let authority = try authority(at: now)
            if let current = existing(of: authority, at: now) { return current }
            let (certificate, key) = try orFailure(
                try authority.issue(for: CertificateName.local, now: now, serial: Self.serial()), inMaterial)
            // Write the key first, so that no certificate lacks its key.
            try directory.write(key, to: Self.serverKey, isSecret: true)
            try directory.write(certificate, to: Self.server, isSecret: false)
            return Current(caPath: caPath, ca: authority.certificate, certificate: certificate, key: key)
        }
    }

    /// The stored CA if it outlives the certificates that it would issue, otherwise a new CA.
    ///
    /// - Throws: A configuration error if the stored CA is damaged, because no client would trust a new one.
    private func authority(at now: Int64) throws(Failure) -> CertificateAuthority {
        if OutputFile.rightsOfOthers(to: directory[Self.caKey]) != 0 {
            warn(Messages.openAuthorityKey(directory[Self.caKey]))
        }
        // The key is written before the certificate, and the process may be killed in between. So a key without a
        // certificate is not a CA yet.
        if InputFile.exists(caPath) {
            let (certificate, key) = (try storedAuthority(Self.ca), try storedAuthority(Self.caKey))
            let facts: CertificateFacts
            do throws(TLSError) {
                facts = try CertificateFacts.read(pem: certificate)[0]
                if !facts.isDue(at: now) {
                    return try CertificateAuthority(certificate: certificate, key: key, now: now)
                }
            } catch {
                throw .configuration(Messages.damagedAuthority(caPath, directory[Self.caKey], error.description))
            }
            warn(Messages.newAuthority(after: facts.expiry))
        }
        let authority = try orFailure(
            try CertificateAuthority.make(subject: Self.subject, now: now, serial: Self.serial()), inMaterial)
        try directory.write(authority.key, to: Self.caKey, isSecret: true)
        try directory.write(authority.certificate, to: Self.ca, isSecret: false)
        return authority
    }

    /// The stored server certificate, if this CA issued it and it stays valid for long enough.
    private func existing(of authority: CertificateAuthority, at now: Int64) -> Current? {
        guard let certificate = read(Self.server), let key = read(Self.serverKey),
            let chain = try? CertificateFacts.read(pem: certificate), chain.count == 2,
            chain[0].covers(CertificateName.local), !chain[0].isDue(at: now),
            chain[1] == (try? CertificateFacts.read(pem: authority.certificate).first),
            (try? TLSContext.server(certificates: certificate, key: key)) != nil
        else { return nil }
        return Current(caPath: caPath, ca: authority.certificate, certificate: certificate, key: key)
    }

    private func storedAuthority(_ name: String) throws(Failure) -> [UInt8] {
        do throws(Failure) {
            return try InputFile.read(directory[name], limit: TLSLimits.pemFile)
        } catch {
            throw .configuration(Messages.damagedAuthority(caPath, directory[Self.caKey], error.message))
        }
    }

    private func read(_ name: String) -> [UInt8]? { try? InputFile.read(directory[name], limit: TLSLimits.pemFile) }

    private func inMaterial(_ error: TLSError) -> Failure {
        .configuration(Messages.inMaterial(directory.absolutePath, error))
    }

    /// A unique serial number: 16 random bytes.
    ///
    /// The first byte makes the number positive.
    private static func serial() -> [UInt8] {
        var bytes = SystemEntropy.bytes(count: 16)
        bytes[0] = bytes[0] & 0x3F | 0x40
        return bytes
    }
}

/// The user's folder for data that outlives a run; other users cannot read it.
struct DataDirectory {
    let path: String

    /// Finds the folder that the environment names, or the system's default folder.
    init(environment: (String) -> String? = System.variable) throws(Failure) { path = try Self.path(environment) }

    init(path: String) { self.path = path }

    /// The path in `FITIQ_MOCK_DATA_DIR`, or the folder that Apple or the XDG Base Directory Specification recommends.
    private static func path(_ environment: (String) -> String?) throws(Failure) -> String {
        func folder(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        if let own = folder(Setting.dataDir.variable) { return own }
        #if canImport(Darwin)
            if let home = folder("HOME") { return home + "/Library/Application Support/fitiq-mock" }
        #else
            // The specification requires programs to ignore relative paths.
            if let data = folder("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/fitiq-mock" }
            if let home = folder("HOME") { return home + "/.local/share/fitiq-mock" }
        #endif
        throw .configuration(Messages.noDataDirectory)
    }

    /// The absolute path of a file in the folder, so that programs with a different working directory can use the path.
    subscript(name: String) -> String { absolutePath + "/" + name }

    var absolutePath: String {
        if path.hasPrefix("/") { return path }
        guard let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// Runs the body while holding a lock that excludes other processes.
    ///
    /// Creates the folder if it is missing; only the user can access the folder.
    func locked<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try make(absolutePath)
        let lock = self["lock"]
        let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.unwritable(lock) }
        // The system also releases the lock when the process ends.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 { guard errno == EINTR else { throw Self.unwritable(lock) } }
        return try body()
    }

    /// Writes a file atomically; other users can never read a secret file, not even while it is being written.
    func write(_ bytes: [UInt8], to name: String, isSecret: Bool) throws(Failure) {
        let mode = isSecret ? 0o600 : 0o644
        try orFailure(try WholeFile.write(bytes, to: self[name], others: .none, mode: mode), Failure.file)
    }

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
