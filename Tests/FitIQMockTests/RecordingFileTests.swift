import Foundation
import Hosting
import Logging
import TestSupport
import Testing
import Traffic

@testable import fitiq_mock

@Suite("The recording's file")
struct RecordingFileTests {
    private func begin(_ path: String, replacing: Bool?) throws(Failure) {
        let tap = try SessionTap.begin(
            SessionRecorder.Settings(creatorVersion: "1"), to: path, of: "server", replacing: replacing,
            Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        tap.discard()
    }

    @Test("An existing file is replaced only on request")
    func existing() throws {
        try ScratchFolder.lend { folder in
            let path = folder + "/session.har"
            try Data("{}".utf8).write(to: URL(filePath: path))
            #expect(throws: Never.self) { try begin(path, replacing: true) }
            let refused = #expect(throws: Failure.self) { try begin(path, replacing: false) }
            #expect(refused?.message == Messages.outputExists(path))
            // There is no option that would allow replacing the file.
            let other = #expect(throws: Failure.self) { try begin(path, replacing: nil) }
            #expect(other?.message == Messages.recordingExists(path))
            #expect(contents(path) == "{}")
        }
    }
}
