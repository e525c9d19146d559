import Foundation

extension Process {
    /// Runs, and returns the exit status, or the negated number of the signal that ended the program.
    ///
    /// Cancelling the test, as its time limit does, terminates the program and throws. It does not wait for the end
    /// then, because Foundation detects that by a descriptor that all descendants inherit; a descendant that outlives a
    /// killed parent keeps it open.
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
