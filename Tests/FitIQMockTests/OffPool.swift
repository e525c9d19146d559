import ContractSuite
import Sockets

/// Runs what blocks on a thread of its own: the threads of Swift's tasks are few, and other tests need them.
///
/// Expectations belong outside of it: on that thread nobody knows which test they are part of.
func offPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await SystemThread.result(of: work) { (error: SocketError) -> any Error in error }
}
