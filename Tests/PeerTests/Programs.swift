import Foundation
import TestSupport
import Testing

/// The programs that the stories need.
enum Programs {
    /// The package's scripts for foreign clients.
    static let peers = URL.packageRoot.appending(path: "Tests/PeerTests/peers")

    /// The sessions that scripts/record-sessions records.
    static let sessions = URL.fixtures.appending(path: "sessions")

    /// The binary under test, which the build puts next to the test bundle.
    static func fitiqMock() throws -> URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let directory = bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
        let program = directory.appendingPathComponent("fitiq-mock")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Missing(what: "the binary \(program.path)")
        }
        return program
    }

    static func curl() throws -> URL { try named("curl") }

    /// Finds a program that is installed on the system.
    static func named(_ name: String) throws -> URL {
        let directories = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        let places = directories.map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
        guard let program = places.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw Missing(what: name)
        }
        return program
    }

    /// A Python with the clients from `requirements.txt`.
    static func python() throws -> URL {
        guard let path = ProcessInfo.processInfo.environment["FITIQ_MOCK_TEST_PYTHON"] else {
            throw Missing(what: "a Python with foreign clients (FITIQ_MOCK_TEST_PYTHON)")
        }
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Missing(what: "the Python \(path) that FITIQ_MOCK_TEST_PYTHON names")
        }
        return URL(fileURLWithPath: path)
    }

    /// A program from the environment with the recorders from `recorders.txt`.
    static func recorder(_ name: String) throws -> URL {
        guard let folder = ProcessInfo.processInfo.environment["FITIQ_MOCK_TEST_RECORDERS"] else {
            throw Missing(what: "an environment with recorders (FITIQ_MOCK_TEST_RECORDERS)")
        }
        let program = URL(fileURLWithPath: folder).appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Missing(what: "the recorder \(program.path)")
        }
        return program
    }

    /// A Chromium or Chrome; nil if none could be installed.
    static let chromium = ProcessInfo.processInfo.environment["FITIQ_MOCK_TEST_CHROMIUM"]

    /// The reason for skipping a test if Chromium is missing.
    static let noChromium: Comment =
        "There is no Chromium. scripts/test installs Debian's; elsewhere FITIQ_MOCK_TEST_CHROMIUM names one."

    /// The error for a missing program that the stories need.
    struct Missing: Error, CustomStringConvertible {
        let what: String
        var description: String {
            "\(what) is missing. Run ./scripts/test --filter PeerTests: it installs what these tests need."
        }
    }
}
