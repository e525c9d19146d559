import Foundation
import Synchronization

/// What a program writes to a pipe, as a stream of data that ends with the program.
///
/// The pipe's own end is not waited for: it may come late, where another program that was started meanwhile has the pipe too.
final class OutputPipe: Sendable {
    private let descriptor: Int32
    private let output: Mutex<AsyncStream<Data>.Continuation>
    private let pipe: Pipe

    init(_ pipe: Pipe, into output: AsyncStream<Data>.Continuation) {
        self.pipe = pipe
        self.output = Mutex(output)
        descriptor = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            guard self?.drain() != true else { return }
            handle.readabilityHandler = nil
            self?.output.withLock { $0.finish() }
        }
    }

    /// Ends the stream, once the program has: all that it wrote is in the pipe by then.
    func finish() {
        pipe.fileHandleForReading.readabilityHandler = nil
        _ = drain()
        output.withLock { $0.finish() }
    }

    /// Takes what the pipe holds; false where it has ended.
    private func drain() -> Bool {
        output.withLock { output in
            var chunk = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = read(descriptor, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 }
                output.yield(Data(chunk[..<count]))
            }
        }
    }
}
