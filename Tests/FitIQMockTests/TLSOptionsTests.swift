import FitIQAPI
import Foundation
import Sockets
import TLS
import TestSupport
import Testing

@testable import fitiq_mock

@Suite("TLS options")
struct TLSOptionsTests {
    private func failure(_ options: String..., port: UInt16 = 8080) throws -> Failure? {
        let options = try HostOptions.parse(options)
        let address = try SocketAddress(host: "127.0.0.1", port: port)
        return #expect(throws: Failure.self) { try options.secure(besides: address) }
    }

    @Test(
        "TLS options without --tls are rejected",
        arguments: [["--tls-port", "1"], ["--certificate", "c"], ["--key", "k"]])
    func onlyWithTLS(_ options: [String]) throws {
        let address = try SocketAddress(host: "127.0.0.1", port: 0)
        let options = (parsed: try HostOptions.parse(options), name: options[0])
        let failure = #expect(throws: Failure.self) { try options.parsed.secure(besides: address) }
        #expect(failure?.message == "\(options.name) requires --tls.")
    }

    @Test("A certificate requires a key")
    func together() throws {
        #expect(try failure("--tls", "--certificate", "c")?.message == Messages.certificateAndKey)
        #expect(try failure("--tls", "--key", "k")?.message == Messages.certificateAndKey)
        #expect(
            try failure("--tls", "--tls-port", "8080")?.message
                == "TLS needs a separate port: --port and --tls-port are both 8080.")
    }

    @Test("The error for a bad certificate or key names the file")
    func own() throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let folder = scratch["data"].path
        _ = try CertificateFiles(DataDirectory(path: folder)).current(at: FitIQMock.now)
        let (certificate, key) = (folder + "/localhost.pem", folder + "/localhost-key.pem")
        let other = folder + "/ca-key.pem"
        let plain = try SocketAddress(host: "::1", port: 0)
        let options = try HostOptions.parse(["--tls", "--certificate", certificate, "--key", key])
        let secure = try #require(try options.secure(besides: plain))
        #expect(try secure.ca == nil && secure.listening.address == SocketAddress(host: "::1", port: 8443))
        #expect(secure.listening.certificates == Array(try Data(contentsOf: URL(fileURLWithPath: certificate))))
        #expect(secure.listening.warnings(ca: nil, at: FitIQMock.now).isEmpty)
        let year: Int64 = 366 * 86_400 * 1_000_000_000
        let later = FitIQMock.now.advanced(byNanoseconds: 2 * year)
        #expect(secure.listening.warnings(ca: nil, at: later).first?.hasPrefix("the certificate expired") == true)
        let earlier = FitIQMock.now.advanced(byNanoseconds: -year)
        #expect(secure.listening.warnings(ca: nil, at: earlier) == [Messages.certificateNotYetValid])
        // The validity period includes its first and its last second.
        let facts = try #require(try CertificateFacts.read(pem: secure.listening.certificates).first)
        for (time, isValid) in [(facts.notBefore, true), (facts.notAfter, true), (facts.notAfter + 1, false)] {
            let warnings = secure.listening.warnings(ca: nil, at: Timestamp(secondsSinceEpoch: time))
            #expect(warnings.isEmpty == isValid, "\(time)")
        }
        var elsewhere = secure.listening
        elsewhere.address = try SocketAddress(host: "192.168.1.2", port: 8443)
        #expect(elsewhere.warnings(ca: nil, at: FitIQMock.now).isEmpty)
        #expect(
            elsewhere.warnings(ca: folder + "/ca.pem", at: FitIQMock.now)
                == [Messages.certificateOfLocalhost(not: "192.168.1.2")])

        let none = folder + "/none"
        for (own, ownKey, message) in [
            (certificate, other, "cannot use '\(other)': The key belongs to certificate 2 in the file;"),
            (certificate, certificate, "cannot use '\(certificate)': This file has no private key in PEM"),
            (key, key, "cannot use '\(key)': This file has no certificate in PEM"),
            (other, key, "cannot use '\(other)': This file has no certificate"),
            (none, key, "cannot read '\(none)': No such file or directory."),
        ] {
            let told = try #require(try failure("--tls", "--certificate", own, "--key", ownKey)).message
            #expect(told.hasPrefix(message), "\(told)")
        }
    }

    @Test("The messages about TLS options match the expected text")
    func messages() {
        #expect(
            Messages.certificateOfLocalhost(not: "192.168.1.2")
                == "the certificate is for localhost, 127.0.0.1 and ::1, so clients refuse https://192.168.1.2; "
                + "provide a certificate for this host with --certificate and --key")
        #expect(Messages.certificateExpired("2026") == "the certificate expired at 2026: clients will refuse it")
        #expect(Messages.howToTrust("fitiq-mock") == "'fitiq-mock certificate' explains how.")
        #expect(throws: (any Error).self) { try Certificate.parse(["--ca", "--pem"]) }
    }
}
