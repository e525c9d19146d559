import Foundation
import Sockets
import TestSupport
import Testing

@testable import fitiq_mock

@Suite("Certificates that are created on first use")
struct CertificateFilesTests {
    private static let day: Int64 = 86_400 * 1_000_000_000

    /// Passes the path of a folder that does not exist yet and whose parent does not exist either.
    private static func withFolder(_ body: (String) throws -> Void) throws {
        try ScratchFolder.lend { try body($0 + "/a/b") }
    }

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("Only the owner can read the keys and the folder")
    func firstUse() throws {
        try Self.withFolder { folder in
            let files = CertificateFiles(DataDirectory(path: folder))
            let made = try files.current(at: FitIQMock.now)
            let modes = try ["", "/ca-key.pem", "/localhost-key.pem"].map { try Self.mode(folder + $0) }
            #expect(modes == [0o700, 0o600, 0o600])
            // Certificates are not secret; the user's umask may restrict files further.
            let plain = folder + "/plain"
            close(open(plain, O_CREAT | O_WRONLY, 0o666))
            let readers = try #require(try Self.mode(plain)) & 0o044
            try FileManager.default.removeItem(atPath: plain)
            for name in ["/ca.pem", "/localhost.pem"] {
                #expect(try #require(try Self.mode(folder + name)) & 0o044 == readers, "\(name)")
            }
            #expect(made.caPath == folder + "/ca.pem")
            #expect(FileManager.default.contents(atPath: made.caPath) == Data(made.ca))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                    == ["ca-key.pem", "ca.pem", "localhost-key.pem", "localhost.pem", "lock"])
            #expect(try files.current(at: FitIQMock.now) == made)
        }
    }

    @Test("Concurrent first starts in a new folder create only one CA and one certificate", arguments: 0..<5)
    func atOnce(_: Int) throws {
        try Self.withFolder { folder in
            let found = Found()
            // Use separate threads, because blocking on a lock must not occupy the few threads that all tests share.
            let ended = DispatchGroup()
            for _ in 0..<8 {
                ended.enter()
                Thread.detachNewThread {
                    found.add(Result { try CertificateFiles(DataDirectory(path: folder)).current(at: FitIQMock.now) })
                    ended.leave()
                }
            }
            ended.wait()
            let all = try found.all.map { try $0.get() }
            #expect(all.count == 8 && all.allSatisfy { $0 == all[0] })
        }
    }

    @Test(
        "The certificate and the CA are renewed shortly before they expire",
        arguments: [
            (0, true, true), (360, true, true), (370, false, true), (3_600, false, true), (3_640, false, false),
        ])
    func renewal(days: Int64, keepsCertificate: Bool, keepsCA: Bool) throws {
        try Self.withFolder { folder in
            let files = CertificateFiles(DataDirectory(path: folder))
            let now = FitIQMock.now
            let (made, then) = (try files.current(at: now), now.advanced(byNanoseconds: days * Self.day))
            let later = try files.current(at: then)
            #expect((later.certificate == made.certificate, later.ca == made.ca) == (keepsCertificate, keepsCA))
            #expect(try files.current(at: then) == later)
        }
    }

    @Test(
        "Only missing, truncated or foreign certificate files are replaced",
        arguments: ["ca.pem", "ca-key.pem", "localhost.pem", "localhost-key.pem"], Damage.allCases)
    func damage(name: String, damage: Damage) throws {
        try Self.withFolder { folder in
            let files = CertificateFiles(DataDirectory(path: folder))
            let made = try files.current(at: FitIQMock.now)
            let path = folder + "/" + name
            let bytes = try #require(FileManager.default.contents(atPath: path))
            switch damage {
            case .missing: try FileManager.default.removeItem(atPath: path)
            case .empty: try Data().write(to: URL(fileURLWithPath: path))
            case .cut: try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
            case .foreign:
                let other = CertificateFiles(DataDirectory(path: folder + "/other"))
                _ = try other.current(at: FitIQMock.now)
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.copyItem(atPath: folder + "/other/" + name, toPath: path)
            case .interrupted: try Data("x".utf8).write(to: URL(fileURLWithPath: path + ".new"))
            }
            let isWhole = damage == .interrupted
            if name.hasPrefix("ca"), !isWhole, !(name == "ca.pem" && damage == .missing) {
                let damaged = FileManager.default.contents(atPath: path)
                let failure = #expect(throws: Failure.self) { try files.current(at: FitIQMock.now) }
                let start = "the CA that your clients trust is damaged: "
                #expect(failure?.exitCode == 2 && failure?.message.hasPrefix(start) == true, "\(failure as Any)")
                let advice = ". Restore '\(folder)/ca.pem' and '\(folder)/ca-key.pem', or remove both"
                #expect(failure?.message.contains(advice) == true)
                #expect(FileManager.default.contents(atPath: path) == damaged)
                for name in ["/ca.pem", "/ca-key.pem"] { try? FileManager.default.removeItem(atPath: folder + name) }
            }
            let mended = try files.current(at: FitIQMock.now)
            #expect((mended.ca == made.ca) == (isWhole || !name.hasPrefix("ca")))
            #expect((mended.certificate == made.certificate) == isWhole)
            #expect(try files.current(at: FitIQMock.now) == mended)
        }
    }

    @Test("The user gets a warning only about a readable key or an expiring CA")
    func warnings() throws {
        try Self.withFolder { folder in
            var (files, warnings) = (CertificateFiles(DataDirectory(path: folder)), [String]())
            files.warn = { warnings.append($0) }
            let now = FitIQMock.now
            for _ in 0..<2 { _ = try files.current(at: now) }
            #expect(warnings == [])
            chmod(folder + "/ca-key.pem", 0o640)
            _ = try files.current(at: now)
            #expect(warnings == [Messages.openAuthorityKey(folder + "/ca-key.pem")])
            chmod(folder + "/ca-key.pem", 0o600)
            _ = try files.current(at: now.advanced(byNanoseconds: 3_640 * Self.day))
            #expect(warnings.count == 2 && warnings.last?.hasPrefix("created a new CA, because") == true, "\(warnings)")
        }
    }

    enum Damage: CaseIterable { case missing, empty, cut, foreign, interrupted }

    @Test(
        "The environment or, failing that, the system's convention determines the certificate folder",
        arguments: [
            (["FITIQ_MOCK_DATA_DIR": "/d", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/d"),
            (["FITIQ_MOCK_DATA_DIR": "", "XDG_DATA_HOME": "", "HOME": "/h"], "/h/.local/share/fitiq-mock"),
            (["XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/fitiq-mock"),
            (["XDG_DATA_HOME": "relative", "HOME": "/h"], "/h/.local/share/fitiq-mock"),
        ])
    func place(environment: [String: String], path: String) throws {
        #if canImport(Darwin)
            guard environment["FITIQ_MOCK_DATA_DIR"] == "/d" else { return }
        #endif
        #expect(try DataDirectory(environment: { environment[$0] }).path == path)
    }

    @Test("Without a home folder or write access, the command fails with a message")
    func nowhere() throws {
        let nowhere = #expect(throws: Failure.self) { try DataDirectory(environment: { _ in nil }) }
        #expect(nowhere?.message == Messages.noDataDirectory)
        let denied = #expect(throws: Failure.self) {
            try CertificateFiles(DataDirectory(path: "/dev/null/x")).current(at: FitIQMock.now)
        }
        #expect(denied?.message == "cannot write to '/dev/null/x': Not a directory." && denied?.exitCode == 2)
    }

    @Test("A path in the current folder is shown in full")
    func relative() {
        #expect(DataDirectory(path: "data")["ca.pem"] == FileManager.default.currentDirectoryPath + "/data/ca.pem")
    }

    /// The threads' results.
    private final class Found: @unchecked Sendable {
        private let lock = NSLock()
        private var results: [Result<CertificateFiles.Current, any Error>] = []

        func add(_ result: Result<CertificateFiles.Current, any Error>) { lock.withLock { results.append(result) } }
        var all: [Result<CertificateFiles.Current, any Error>] { lock.withLock { results } }
    }
}
