import Foundation
import Synchronization

/// Reads a program's output from a pipe, piece by piece, until the program has ended.
///
/// A thread waits for output. The systems' event queues would not work: a program started in the meantime may have
/// inherited the pipe, and would then keep an event alive whose descriptor was closed here and now belongs to another
/// file.
final class OutputPipe: Sendable {
    private let descriptor: Int32
    private let take: Mutex<(@Sendable (Data?) -> Void)?>
    private let pipe: Pipe

    /// - Parameter take: receives the output, and nil at its end.
    init(_ pipe: Pipe, _ take: @escaping @Sendable (Data?) -> Void) {
        self.pipe = pipe
        self.take = Mutex(take)
        descriptor = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        Thread.detachNewThread { [self] in
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            repeat { _ = poll(&wait, 1, -1) } while drain()
        }
    }

    /// Finishes reading once the program has ended and the pipe contains all output.
    func finish() {
        if drain() { end() }
    }

    /// Reads the contents of the pipe; returns false at its end.
    private func drain() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let isOver: Bool? = take.withLock { take in
                guard let told = take else { return true }
                let count = read(descriptor, &chunk, chunk.count)
                if count > 0 { told(Data(chunk[..<count])) }
                if count < 0 { return errno == EINTR ? nil : false }
                return count == 0 ? true : nil
            }
            guard let isOver else { continue }
            if isOver { end() }
            return !isOver
        }
    }

    private func end() {
        let told = take.withLock { take in
            defer { take = nil }
            return take
        }
        told?(nil)
    }
}
