import Foundation
import Sockets
import TestSupport
import Testing
import Text

@testable import fitiq_mock

@Suite("Pipes in place of files")
struct PipeTests {
    @Test("A pipe can be read only where a pipe is allowed")
    func files() throws {
        #expect(try lendPipe("ab") { try InputFile.read($0, limit: 2, orInherited: true) } == Array("ab".utf8))
        let large = #expect(throws: Failure.self) {
            try lendPipe("abc") { _ = try InputFile.read($0, limit: 2, orInherited: true) }
        }
        #expect(large?.message.contains("is larger than") == true)
        #expect(throws: Failure.self) { try lendPipe("ab") { _ = try InputFile.read($0, limit: 2) } }
        #expect(!InputFile.exists("/") && !InputFile.exists("/dev/null/none"))
        #expect(InputFile.exists(URL.packageRoot.appending(path: "Package.swift").path))
    }

    @Test("A session on the command line may be a pipe, but a session in a scenario may not")
    func sessions() throws {
        let session = ServingCommandTests.session
        #expect(try lendPipe(session) { try SessionFile.read($0).session.entries.count } == 1)
        #expect(try lendPipe(session) { try SessionFile.recording($0, isTyped: true).plan.session.entries.count } == 1)
        #expect(throws: Failure.self) { try lendPipe(session) { _ = try SessionFile.recording($0) } }
    }

    @Test("A scenario, a state file and the list of known breaches may be pipes")
    func scenarios() throws {
        #expect(try lendPipe("name: piped\n") { try ScenarioPlan(source: .file($0)).load().name } == "piped")
        #expect(try lendPipe("name: piped\n") { Check.mistakes(in: $0) } == nil)
        let failure = #expect(throws: Failure.self) { try lendPipe("no state") { _ = try ScenarioPlan.StateFile($0) } }
        #expect(failure?.message.hasPrefix("cannot use '/dev/fd/") == true, "\(failure?.message ?? "")")
        let known = try lendPipe("ids/lowercase\n") { try ReportOptions.parse(["--known-broken", $0]).begin() }
        #expect(known.lines.count == 1)
    }

    @Test("A certificate, a key and an upstream's CA may be pipes")
    func certificates() throws {
        try ScratchFolder.lend { folder in
            let files = try CertificateFiles(DataDirectory(path: folder)).current(at: FitIQMock.now)
            let plain = try SocketAddress(host: "127.0.0.1", port: 0)
            let secure = try lendPipe(String(decoding: files.certificate, as: UTF8.self)) { certificate in
                try lendPipe(String(decoding: files.key, as: UTF8.self)) { key in
                    try HostOptions.parse(["--tls", "--certificate", certificate, "--key", key]).secure(besides: plain)
                }
            }
            #expect(secure?.listening.certificates == files.certificate)
            let upstream = try UpstreamURL("https://api.example.com")
            try lendPipe(String(decoding: files.ca, as: UTF8.self)) { _ = try RecordCommand.trust(upstream, $0) }
        }
    }
}
