import Foundation

/// A folder for the files of one test, which is removed behind it.
func inScratchFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "/sockets-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
}

/// What a file holds; nil where there is none.
func contents(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
}
