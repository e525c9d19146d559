import Sockets
import Synchronization

/// Work of Swift's concurrency, waited for by a thread that has nothing else to do.
enum Blocking {
    /// Blocks the calling thread until the work is done, and gives back what it returned or threw.
    static func wait<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        let done = try Gate()
        Task {
            do { outcome.set(.success(try await work())) } catch { outcome.set(.failure(error)) }
            done.open()
        }
        done.wait()
        return try outcome.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        private let result = Mutex<Result<Value, any Error>?>(nil)

        func set(_ result: Result<Value, any Error>) { self.result.withLock { $0 = result } }

        func get() throws -> Value {
            guard let result = result.withLock({ $0 }) else { preconditionFailure("set before the gate is opened") }
            return try result.get()
        }
    }
}
