import TestSupport

/// Passes a new folder to an asynchronous test, and removes the folder afterwards.
func withFolder<Result>(_ body: (ScratchFolder) async throws -> Result) async throws -> Result {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    return try await body(folder)
}
