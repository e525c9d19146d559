import Hosting
import Sockets
import TLS

@testable import MockServer

enum SecureIdentity {
    static var ca: [UInt8] { authority.certificate }

    private static let now = WallClock.nanosecondsSinceEpoch() / 1_000_000_000
    private static let authority = unfailing { () throws(TLSError) in
        try CertificateAuthority.make(subject: "Tests", now: now, serial: [1])
    }
    private static let server = unfailing { () throws(TLSError) in
        try authority.issue(for: CertificateName.local, now: now, serial: [2])
    }

    static func listening(on name: String = "127.0.0.1") throws -> SecureEndpoint {
        SecureEndpoint(
            address: try SocketAddress(host: name, port: 0), certificates: server.certificates, key: server.key,
            advice: "See the manual.")
    }

    private static func unfailing<Value>(_ body: () throws(TLSError) -> Value) -> Value {
        do throws(TLSError) {
            return try body()
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
