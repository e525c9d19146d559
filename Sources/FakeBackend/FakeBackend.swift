import Testing

/// A world of its own for a test: where its backend is, and what its client did there.
public struct FakeBackend: Sendable {}
