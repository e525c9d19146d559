import ContractSuite
import Sockets

/// Runs blocking work on a separate thread, because Swift's tasks share a few threads, which other tests need.
///
/// Put expectations outside the closure, because its thread is not associated with a test.
func offPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await SystemThread.result(of: work) { (error: SocketError) -> any Error in error }
}
