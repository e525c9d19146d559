import ContractSuite
import Sockets

/// Runs blocking work on its own thread: Swift's tasks share few threads, and other tests need them.
///
/// Put expectations outside of it, because that thread does not know its test.
func offPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await SystemThread.result(of: work) { (error: SocketError) -> any Error in error }
}
