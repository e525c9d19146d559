import Foundation
import Testing

@testable import fitiq_mock

@Suite("Writing a file as a whole")
struct AtomicFileTests {
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/fitiq-mock-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("An old file is replaced, and no draft is left")
    func replaces() throws {
        try Self.withFolder { folder in
            try AtomicFile.write(Array("old and long".utf8), to: folder + "/a")
            try AtomicFile.write(Array("new".utf8), to: folder + "/a")
            #expect(FileManager.default.contents(atPath: folder + "/a") == Data("new".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
        }
    }

    @Test("A link stays one: what it leads to is written, be it a file or a device")
    func link() throws {
        try Self.withFolder { folder in
            for target in [folder + "/target", "/dev/null"] {
                let link = folder + "/link"
                try? FileManager.default.removeItem(atPath: link)
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
                try AtomicFile.write(Array("new".utf8), to: link)
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
            }
            #expect(FileManager.default.contents(atPath: folder + "/target") == Data("new".utf8))
        }
    }

    @Test("A folder is refused, and so is a file in a folder that there is not")
    func refused() throws {
        try Self.withFolder { folder in
            #expect(throws: Failure.self) { try AtomicFile.write([1], to: folder) }
            #expect(throws: Failure.self) { try AtomicFile.write([1], to: folder + "/none/a") }
        }
    }
}
