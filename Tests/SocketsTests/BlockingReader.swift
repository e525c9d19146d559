import Foundation
import Synchronization

@testable import Sockets

/// Reads a socket to its end on its own thread.
final class BlockingReader: Sendable {
    private let socket: Socket
    private let bytes = Mutex<[UInt8]>([])
    private let done = DispatchSemaphore(value: 0)

    init(_ socket: Socket) { self.socket = socket }

    func start() {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while (try? socket.waitUntil(.read)) != nil,
                case .bytes(let count) = buffer.withUnsafeMutableBytes({ socket.read(into: $0) })
            {
                bytes.withLock { $0.append(contentsOf: buffer[..<count]) }
            }
            done.signal()
        }
    }

    /// The received bytes, once the stream has ended.
    func finish() -> [UInt8] {
        done.wait()
        return bytes.withLock { $0 }
    }
}
