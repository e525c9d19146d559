import FitIQAPI
import Glibc
import MockServer

/// The server's loop without sockets, in one thread, with a stopwatch for each of its turns.
///
/// A turn is what `Host` does between two looks at its sockets: it takes what arrived, does what is due, and sends. The time
/// is the thread's own (`CLOCK_THREAD_CPUTIME_ID`): what other programs take from the processor is not the server's hold.
final class Turns {
    let engine: Engine
    private(set) var now = Timestamp(secondsSinceEpoch: 1_738_146_600)
    /// The longest turn since ``reset()``, in nanoseconds, and how many there were.
    private(set) var longest: UInt64 = 0
    private(set) var count = 0

    init(_ configuration: Engine.Configuration) throws { engine = try Engine(configuration, now: now) }

    func reset() { (longest, count) = (0, 0) }

    /// What a request was answered with.
    struct Answer {
        /// The first bytes, among them the status line.
        var head: [UInt8] = []
        /// How many bytes there were.
        var byteCount = 0
        /// The thread's time from the request to the last byte, in nanoseconds.
        var nanoseconds: UInt64 = 0

        var status: Int { Int(String(decoding: head.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0 }
        var text: String { String(decoding: head, as: UTF8.self) }
    }

    func open() -> ConnectionID {
        guard let id = engine.open(at: now) else { preconditionFailure("The engine takes no connection.") }
        return id
    }

    /// Asks, on a connection, and runs the loop until nothing is due.
    func exchange(_ request: [UInt8], on id: ConnectionID) -> Answer {
        let start = threadNanoseconds()
        var answer = Answer()
        var rest = request[...]
        while !rest.isEmpty {
            // What the host reads in one go.
            let piece = Array(rest.prefix(16 * 1024))
            rest = rest.dropFirst(piece.count)
            turn(&answer, of: id) { piece.withUnsafeBytes { self.engine.receive($0, on: id, at: self.now) } }
        }
        while let due = engine.nextDeadline, due <= now { turn(&answer, of: id) {} }
        answer.nanoseconds = threadNanoseconds() - start
        return answer
    }

    /// Has everything happen that is due within a time.
    func pass(nanoseconds: Int64) {
        var unread = Answer()
        let end = now.advanced(byNanoseconds: nanoseconds)
        while let due = engine.nextDeadline, due <= end {
            now = max(now, due)
            turn(&unread, of: nil) {}
        }
        now = end
    }

    private func turn(_ answer: inout Answer, of id: ConnectionID?, _ arrive: () -> Void) {
        let start = threadNanoseconds()
        arrive()
        if let due = engine.nextDeadline, due <= now { engine.advance(to: now) }
        while true {
            let touched = engine.takeTouched()
            if touched.isEmpty { break }
            for connection in touched { serve(connection, &answer, isAsked: connection.id == id) }
        }
        longest = max(longest, threadNanoseconds() - start)
        count += 1
    }

    private func serve(_ connection: Connection, _ answer: inout Answer, isAsked: Bool) {
        while connection.hasOutput {
            let sent = connection.withOutput { bytes in
                // As much as a socket takes at once.
                let sent = min(bytes.count, 256 * 1024)
                if isAsked {
                    if answer.head.count < 4096 { answer.head += bytes.prefix(4096) }
                    answer.byteCount += sent
                }
                return sent
            }
            engine.sent(sent, on: connection.id, at: now)
        }
        if connection.ending == .close || connection.ending == .reset { engine.transportClosed(connection.id, at: now) }
    }
}

func threadNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
