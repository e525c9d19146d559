import Foundation

extension Process {
    /// Runs the program and returns its exit status, or the negated number of the signal that terminated it.
    ///
    /// Cancelling the test, as its time limit does, terminates the program and throws without waiting for the end.
    /// Foundation detects the end through a descriptor that all descendants inherit, and a descendant that outlives a
    /// killed parent keeps the descriptor open.
    package func runToItsEnd() async throws -> Int32 {
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        terminationHandler = { end.yield($0.outcome) }
        try run()
        return try await withTaskCancellationHandler {
            for await status in ends { return status }
            throw CancellationError()
        } onCancel: {
            if isRunning { terminate() }
        }
    }

    package var outcome: Int32 { terminationReason == .exit ? terminationStatus : -terminationStatus }
}
