import TestSupport

/// Lends a folder to a test that awaits something; it is removed afterwards.
func withFolder<Result>(_ body: (ScratchFolder) async throws -> Result) async throws -> Result {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    return try await body(folder)
}
