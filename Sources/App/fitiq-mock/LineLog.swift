import FitIQAPI
import Logging
import Sockets
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A log on standard error that never waits: a reader that has stopped reading must not stop the server.
///
/// A line is cut to 4,096 bytes, which a pipe that polls writable takes at once (pipe(7), PIPE_BUF). Lines that find no room are
/// dropped, and the next one that finds some says how many.
struct LineLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice
    private let output = Output()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let time = Timestamp(nanosecondsSinceEpoch: WallClock.nanosecondsSinceEpoch()).wireText
        output.write("\(time) \(event.level) \(event.message)")
    }

    private final class Output: Sendable {
        private let dropped = Atomic<Int>(0)

        func write(_ line: String) {
            let count = dropped.load(ordering: .relaxed)
            let note = count == 0 ? "" : "(\(count) lines before this one found no room) "
            var bytes = Array((note + line).utf8.prefix(4095))
            bytes.append(UInt8(ascii: "\n"))
            var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            let hasRoom = poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLOUT) != 0
            if hasRoom, Self.writeAll(bytes) {
                dropped.store(0, ordering: .relaxed)
            } else {
                dropped.add(1, ordering: .relaxed)
            }
        }

        private static func writeAll(_ bytes: [UInt8]) -> Bool {
            #if canImport(Darwin)
                Darwin.write(STDERR_FILENO, bytes, bytes.count) == bytes.count
            #elseif canImport(Musl)
                Musl.write(STDERR_FILENO, bytes, bytes.count) == bytes.count
            #else
                Glibc.write(STDERR_FILENO, bytes, bytes.count) == bytes.count
            #endif
        }
    }
}
