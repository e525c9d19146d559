import FitIQAPI
import Glibc
import MockServer

/// The server's loop without sockets, with a stopwatch for each of its turns.
///
/// A turn is what `Host` does between two polls of its sockets: it takes new bytes or a job's result, does what is due,
/// and sends. Jobs run between two turns and have their own times. As in `Host` they run on another thread, because the
/// thread that frees memory pays for it. The times are the threads' own (`CLOCK_THREAD_CPUTIME_ID`), so they do not
/// include what other programs take from the processor.
final class Turns {
    let engine: Engine
    private(set) var now = Timestamp(secondsSinceEpoch: 1_738_146_600)
    private(set) var times = Times()
    private var jobs: [Job] = []
    /// Touched connections for the next turns.
    private var unserved: ArraySlice<Connection> = []
    /// The number of connections to serve in a turn, and of those left from earlier turns, as in `Host`.
    private static let servedInTurn = 256
    /// The answers to concurrent requests.
    private var answers: [ConnectionID: Answer] = [:]

    /// The measurements since ``reset()``, in nanoseconds.
    struct Times {
        /// The turns of the loop.
        var turns = Series()
        /// The jobs next to it.
        var jobs = Series()
    }

    /// The count, the total and the maximum of an action's time.
    struct Series {
        private(set) var count = 0
        private(set) var sum: UInt64 = 0
        private(set) var longest: UInt64 = 0

        fileprivate mutating func add(_ time: UInt64) {
            (count, sum, longest) = (count + 1, sum + time, max(longest, time))
        }
    }

    init(_ configuration: Engine.Configuration) throws {
        engine = try Engine(configuration, now: now)
        engine.observesRequests = false
        engine.startJob = { [unowned self] in jobs.append($0) }
    }

    func reset() { times = Times() }

    /// The answer to a request.
    struct Answer {
        /// The first bytes, which include the status line.
        var head: [UInt8] = []
        /// The number of bytes.
        var byteCount = 0

        var status: Int { Int(String(decoding: head.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0 }
        var text: String { String(decoding: head, as: UTF8.self) }

        fileprivate mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
            if head.count < 4096 { head += bytes.prefix(4096) }
            byteCount += bytes.count
        }
    }

    func open() -> ConnectionID {
        guard let id = engine.open(at: now) else { preconditionFailure("The engine takes no connection.") }
        return id
    }

    /// Sends a request on a connection, and runs the loop until nothing is due.
    func exchange(_ request: [UInt8], on id: ConnectionID) -> Answer {
        var answer = Answer()
        var rest = request[...]
        while !rest.isEmpty {
            // The host's reading size.
            let piece = Array(rest.prefix(16 * 1024))
            rest = rest.dropFirst(piece.count)
            turn(&answer, of: id) { piece.withUnsafeBytes { engine.receive($0, on: id, at: now) } }
        }
        settle(&answer, of: id)
        return answer
    }

    /// Sends a request on its own connection, and closes that after the answer.
    func ask(_ request: [UInt8]) -> Answer {
        let id = open()
        let answer = exchange(request, on: id)
        engine.transportClosed(id, at: now)
        return answer
    }

    /// Sends requests on separate connections, all in one turn; the answers have the order of the requests.
    func askAtOnce(_ requests: [[UInt8]], within nanoseconds: Int64) -> [Answer] {
        let asked = requests.map { request in (id: open(), request: request) }
        for (id, _) in asked { answers[id] = Answer() }
        var unread = Answer()
        turn(&unread, of: nil) {
            for (id, request) in asked { request.withUnsafeBytes { engine.receive($0, on: id, at: now) } }
        }
        settle(&unread, of: nil)
        if nanoseconds > 0 { pass(nanoseconds: nanoseconds) }
        for (id, _) in asked { engine.transportClosed(id, at: now) }
        return asked.map { answers.removeValue(forKey: $0.id) ?? Answer() }
    }

    /// Does something on the loop, as its chores do, and runs it until nothing is due.
    func act(_ chore: (Engine, Timestamp) -> Void) {
        var unread = Answer()
        turn(&unread, of: nil) { chore(engine, now) }
        settle(&unread, of: nil)
    }

    /// Makes everything that is due within a time happen, each at its own time.
    func pass(nanoseconds: Int64) {
        var unread = Answer()
        let end = now.advanced(byNanoseconds: nanoseconds)
        while let due = engine.nextDeadline, due <= end {
            now = max(now, due)
            turn(&unread, of: nil) {}
        }
        now = end
        settle(&unread, of: nil)
    }

    /// Lets time pass without a turn of the loop, so that everything due meanwhile is late.
    func fallBehind(nanoseconds: Int64) {
        now = now.advanced(byNanoseconds: nanoseconds)
        var unread = Answer()
        settle(&unread, of: nil)
    }

    private func settle(_ answer: inout Answer, of id: ConnectionID?) {
        while true {
            if !jobs.isEmpty {
                let result = run(jobs.removeFirst())
                turn(&answer, of: id) { engine.finish(result, at: now) }
            } else if !unserved.isEmpty || engine.nextDeadline.map({ $0 <= now }) ?? false {
                turn(&answer, of: id) {}
            } else {
                return
            }
        }
    }

    /// Lets another thread run a job, and waits for it.
    private func run(_ job: Job) -> Job.Result {
        let errand = Errand(job)
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, { Errand.run($0) }, Unmanaged.passRetained(errand).toOpaque())
        guard status == 0, pthread_join(thread, nil) == 0, let (result, time) = errand.outcome else {
            preconditionFailure("The system has no room for another thread.")
        }
        times.jobs.add(time)
        return result
    }

    private func turn(_ answer: inout Answer, of id: ConnectionID?, _ arrive: () -> Void) {
        let start = threadNanoseconds()
        arrive()
        if let due = engine.nextDeadline, due <= now { engine.advance(to: now) }
        var room = Self.servedInTurn
        while true {
            let touched = engine.takeTouched()
            if touched.isEmpty { break }
            unserved += touched.dropFirst(room)
            for connection in touched.prefix(room) { serve(connection, &answer, isAsked: connection.id == id) }
            room = max(0, room - touched.count)
        }
        let late = unserved.prefix(Self.servedInTurn)
        unserved = unserved.dropFirst(late.count)
        for connection in late { serve(connection, &answer, isAsked: connection.id == id) }
        times.turns.add(threadNanoseconds() - start)
    }

    private func serve(_ connection: Connection, _ answer: inout Answer, isAsked: Bool) {
        while connection.hasOutput {
            let sent = connection.withOutput { bytes in
                // As much as a socket takes at once.
                let sent = min(bytes.count, 256 * 1024)
                if isAsked { answer.add(bytes.prefix(sent)) }
                answers[connection.id]?.add(bytes.prefix(sent))
                return sent
            }
            engine.sent(sent, on: connection.id, at: now)
        }
        if connection.ending == .close || connection.ending == .reset { engine.transportClosed(connection.id, at: now) }
    }
}

/// A job on its way to another thread and back; only one thread at a time holds it.
private final class Errand: @unchecked Sendable {
    private var job: Job?
    /// The job's result, and its duration.
    private(set) var outcome: (Job.Result, UInt64)?

    init(_ job: Job) { self.job = job }

    static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let errand = Unmanaged<Errand>.fromOpaque(context).takeRetainedValue()
        let start = threadNanoseconds()
        let result = errand.job?.run()
        // This thread frees the job's input.
        errand.job = nil
        errand.outcome = result.map { ($0, threadNanoseconds() - start) }
        return nil
    }
}

func threadNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
