import ArgumentParser
import FitIQAPI
import Sockets
import TLS

struct Certificate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Tell where the CA of 'serve --tls' is, and how clients come to trust it.",
        discussion: "The CA is made on first use, in FITIQ_MOCK_DATA_DIR or the user's own data folder.")

    @Flag(help: "Print only the path of the CA's certificate, for scripts.")
    var ca = false

    @Flag(help: "Print only the CA's certificate, as PEM.")
    var pem = false

    func validate() throws {
        if ca && pem { throw ValidationError(Messages.eitherPathOrPEM) }
    }

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

/// The CA of this machine and its server certificate, as files in the data directory, created on first use.
///
/// The CA stays, because people have made their clients trust it; the server certificate is renewed shortly before it
/// expires. Damaged files, or files half written by a killed process, are created again.
struct CertificateFiles {
    let directory: DataDirectory

    static let (ca, caKey) = ("ca.pem", "ca-key.pem")
    static let (server, serverKey) = ("localhost.pem", "localhost-key.pem")
    private static let subject = "fitiq-mock CA of this machine"

    init() throws(Failure) { directory = try DataDirectory() }
    init(_ directory: DataDirectory) { self.directory = directory }

    var caPath: String { directory[Self.ca] }
    var serverPath: String { directory[Self.server] }

    /// The server's certificate and key, as PEM.
    struct Current: Equatable {
        let caPath: String
        let ca: [UInt8]
        let certificate: [UInt8]
        let key: [UInt8]
    }

    /// The current files; missing or expiring ones are created.
    func current(at now: Timestamp) throws(Failure) -> Current {
        let now = now.secondsSinceEpoch
        return try directory.locked { () throws(Failure) in
            let authority = try authority(at: now)
            if let current = existing(of: authority, at: now) { return current }
            let (certificate, key) = try orFailure { () throws(TLSError) in
                try authority.issue(for: CertificateName.local, now: now, serial: Self.serial())
            }
            // The key first: if there is a certificate, there is its key.
            try directory.write(key, to: Self.serverKey, isSecret: true)
            try directory.write(certificate, to: Self.server, isSecret: false)
            return Current(caPath: caPath, ca: authority.certificate, certificate: certificate, key: key)
        }
    }

    /// The stored CA if it outlives the certificates it would issue, else a new one.
    private func authority(at now: Int64) throws(Failure) -> CertificateAuthority {
        if let certificate = read(Self.ca), let key = read(Self.caKey),
            let authority = try? CertificateAuthority(certificate: certificate, key: key, now: now),
            let facts = try? CertificateFacts.read(pem: certificate).first, !facts.isDue(at: now)
        {
            return authority
        }
        let authority = try orFailure { () throws(TLSError) in
            try CertificateAuthority.make(subject: Self.subject, now: now, serial: Self.serial())
        }
        try directory.write(authority.key, to: Self.caKey, isSecret: true)
        try directory.write(authority.certificate, to: Self.ca, isSecret: false)
        return authority
    }

    /// The stored server certificate, if this CA issued it and it is valid for some time.
    private func existing(of authority: CertificateAuthority, at now: Int64) -> Current? {
        guard let certificate = read(Self.server), let key = read(Self.serverKey),
            let chain = try? CertificateFacts.read(pem: certificate), chain.count == 2,
            chain[0].covers(CertificateName.local), !chain[0].isDue(at: now),
            chain[1] == (try? CertificateFacts.read(pem: authority.certificate).first),
            (try? TLSContext.server(certificates: certificate, key: key)) != nil
        else { return nil }
        return Current(caPath: caPath, ca: authority.certificate, certificate: certificate, key: key)
    }

    private func read(_ name: String) -> [UInt8]? {
        try? InputFile.read(directory[name], limit: TLSLimits.pemFile)
    }

    private func orFailure<Value>(_ body: () throws(TLSError) -> Value) throws(Failure) -> Value {
        do throws(TLSError) {
            return try body()
        } catch {
            throw .configuration(Messages.inMaterial(directory.absolutePath, error))
        }
    }

    /// A unique serial number: 16 random bytes, the first of which makes it positive.
    private static func serial() -> [UInt8] {
        var bytes = SystemEntropy.bytes(count: 16)
        bytes[0] = bytes[0] & 0x3F | 0x40
        return bytes
    }
}
