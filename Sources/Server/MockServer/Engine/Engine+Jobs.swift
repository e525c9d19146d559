import FitIQAPI
import FitIQBackend
import HTTP1
import Scenarios

/// The unfinished jobs, and the values that a job will free.
struct Jobs {
    private var serial = 0
    /// The continuation of each job, by its number.
    private var unfinished: [Int: (Engine, any Sendable, Timestamp) -> Void] = [:]
    /// The bytes of requests that jobs hold, including requests whose clients have left.
    var heldBytes = 0
    /// Values to free off the loop when the turn ends.
    var discarded: [any Sendable] = []

    fileprivate mutating func add(_ then: @escaping (Engine, any Sendable, Timestamp) -> Void) -> Int {
        serial += 1
        unfinished[serial] = then
        return serial
    }

    fileprivate mutating func finish(_ number: Int) -> ((Engine, any Sendable, Timestamp) -> Void)? {
        unfinished.removeValue(forKey: number)
    }
}

/// Work off the loop: slow work is a function of values, and its result comes back as another input.
extension Engine {
    /// Does work off the loop, and continues with its result on the loop; without ``startJob`` both happen at once.
    ///
    /// - Parameters:
    ///   - work: A function of values; it runs on another thread, one job after another.
    ///   - then: Receives the engine, the result and the time; not called if the driver ends before.
    public func beside<Value: Sendable>(
        at now: Timestamp, _ work: @escaping @Sendable () -> Value,
        then: @escaping (Engine, Parcel<Value>, Timestamp) -> Void
    ) {
        guard let startJob else { return then(self, Parcel(work()), now) }
        let number = jobs.add { engine, value, now in
            guard let parcel = value as? Parcel<Value> else { preconditionFailure("A job brings its own result.") }
            then(engine, parcel, now)
        }
        startJob(Job(number: number) { Parcel(work()) })
    }

    public func finish(_ result: Job.Result, at now: Timestamp) {
        guard let then = jobs.finish(result.number) else { return }
        then(self, result.value, now)
    }

    /// Frees a value off the loop; the engine has to release it before the turn ends.
    func discard(_ value: some Sendable) {
        if startJob != nil { jobs.discarded.append(value) }
    }

    /// Hands over jobs.discarded: now that the calls of this turn have returned, nothing else refers to it.
    func freeDiscarded() {
        guard let startJob, !jobs.discarded.isEmpty else { return }
        let parcel = Parcel(jobs.discarded)
        jobs.discarded = []
        startJob(Job(number: 0) { _ = parcel.take() })
    }

    /// The most bytes that are read, written or freed on the loop itself: about a millisecond's work.
    ///
    /// Smaller work never waits for another world's job.
    static let largestWorkOnLoop = 64 * 1024

    // MARK: Requests

    /// Makes a request wait for its answer until a job is done.
    ///
    /// - Parameter bytes: How much of its body the job holds, even after its client has left.
    func awaitJob(for exchange: Exchange, holding bytes: Int = 0) -> AwaitedAnswer {
        exchange.connection.waiting = .forJob
        jobs.heldBytes += bytes
        account(exchange.connection)
        return AwaitedAnswer(head: exchange.head, connection: exchange.connection.id, jobBytes: bytes)
    }

    /// Answers a request whose job is done, and serves what arrived after it; does nothing if its client has left.
    func conclude(_ awaited: AwaitedAnswer, with result: Result<Answer, APIError>, at now: Timestamp) {
        jobs.heldBytes -= awaited.jobBytes
        guard let connection = connection(of: awaited) else { return }
        connection.waiting = nil
        touch(connection)
        guard connection.isServed else { return }
        lendOutput(to: connection)
        enter(defaultWorld, at: now)
        arm(connection, .idle, after: patience.idle, at: now)
        let answer: Answer
        do throws(APIError) {
            let made = try result.get()
            answer = connection.isSecure ? securing(made) : made
        } catch {
            answer = Answer(error, in: .union)
        }
        let outer = answering
        answering = connection
        reply(answer, from: answer.source, to: awaited.head, in: defaultWorld, on: connection, at: now)
        answering = outer
        goOn(connection, at: now)
    }

    /// The connection that waits for an answer; nil if its client has left.
    func connection(of awaited: AwaitedAnswer) -> Connection? {
        guard let connection = self[awaited.connection], connection.waiting == .forJob else { return nil }
        return connection
    }

    /// Serves what arrived on a connection while it waited.
    func goOn(_ connection: Connection, at now: Timestamp) {
        account(connection)
        guard connection.hasWaitingRequests, !isReadingPaused(connection), connection.ending == .none else { return }
        serveRequests(of: connection, at: now)
        account(connection)
    }
}

/// A request that a job works on.
struct AwaitedAnswer {
    let head: RequestHead
    let connection: ConnectionID
    /// How much of its body the job holds.
    let jobBytes: Int
}

/// Work that would block the loop for too long: a function of values that runs on another thread.
///
/// An engine hands it to ``Engine/startJob``. Any thread may run it; the result goes to ``Engine/finish(_:at:)``.
public struct Job: Sendable {
    let number: Int
    private let work: @Sendable () -> any Sendable

    init(number: Int, work: @escaping @Sendable () -> any Sendable) {
        self.number = number
        self.work = work
    }

    public func run() -> Result { Result(number: number, value: work()) }

    public struct Result: Sendable {
        let number: Int
        let value: any Sendable
    }
}
