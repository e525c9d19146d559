import CLibrary
import Judging
import MockServer
import Sockets
import Synchronization

/// Runs a command in all scenarios of a plan, in several at once, while the main thread listens for signals.
struct VerifyJobs: Sendable {
    let run: VerifyRun
    let plan: VerifyPlan
    /// The most scenarios at once.
    let count: Int

    fileprivate struct State {
        /// The first scenario that was not begun.
        var next = 0
        var runs: [Int: Report.Run] = [:]
        var journal = ReportJournal()
        var failure: Failure?
        var threadCount = 0
    }

    /// Waits for all scenarios, or for those that had ended when a signal came.
    ///
    /// - Throws: The first failure of a scenario; the others are ended.
    func wait(_ watch: CommandWatch) throws(Failure) -> (runs: [Report.Run], journal: ReportJournal, signal: Int32?) {
        let state = Shared()
        let mailbox = watch.mailbox
        for number in 0..<min(count, plan.scenarios.count) {
            state.content.withLock { $0.threadCount += 1 }
            do throws(SocketError) {
                try SystemThread.start { [self] in
                    work(state)
                    if state.content.withLock({ $0.threadCount == 0 }) { mailbox.requestStop() }
                }
            } catch {
                state.content.withLock { $0.threadCount -= 1 }
                // Fewer will do.
                if number > 0 { break }
                throw .running(error)
            }
        }
        var signal: Int32?
        while state.content.withLock({ $0.threadCount > 0 }) {
            let event = try watch.wait(until: .now().advanced(by: .seconds(3600)))
            guard case .signal(let number) = event, signal == nil else { continue }
            signal = number
            run.stop.open()
        }
        let (runs, journal, failure) = state.content.withLock { state in
            let runs = state.runs.sorted { $0.key < $1.key }
            return (runs.map(\.value), state.journal.renumbered(runs.map(\.key)), state.failure)
        }
        if let failure { throw failure }
        if let signal, runs.isEmpty { throw .interrupted(by: signal) }
        return (runs, journal, signal)
    }

    private final class Shared: Sendable { let content = Mutex(State()) }

    /// Runs one scenario after the other until none is left.
    private func work(_ shared: Shared) {
        while let index = shared.content.withLock({ $0.take(of: plan.scenarios.count) }) {
            let result = Result { () throws(Failure) in
                try run.run(plan.scenarios[index], named: plan.names[index], index: index)
            }
            shared.content.withLock { state in
                switch result {
                case .success(nil): state.next = .max
                case .success((let run, let entries)?):
                    state.runs[index] = run
                    for entry in entries { state.journal.append(entry, ofRun: index) }
                case .failure(let failure):
                    state.failure = state.failure ?? failure
                    state.next = .max
                }
            }
            if case .failure = result { run.stop.open() }
        }
        shared.content.withLock { $0.threadCount -= 1 }
    }
}

extension VerifyJobs.State {
    fileprivate mutating func take(of count: Int) -> Int? {
        guard next < count else { return nil }
        defer { next += 1 }
        return next
    }
}

/// What a command writes while others run beside it: kept in nameless files until it has ended.
final class CommandOutput: Sendable {
    private let output: Int32
    private let errors: Int32
    /// Held while the output of a command is shown, so that outputs do not mix.
    private static let turn = Mutex(())

    init() throws(Failure) {
        output = try Self.namelessFile()
        do throws(Failure) {
            errors = try Self.namelessFile()
        } catch {
            close(output)
            throw error
        }
    }

    deinit {
        close(output)
        close(errors)
    }

    var streams: ChildProcess.Streams { .init(output: .descriptor(output), errors: .descriptor(errors)) }

    /// Writes it to this process's own output, all of it at once.
    func show() {
        Self.turn.withLock { _ in
            Self.copy(output, StandardOutput.write)
            StandardOutput.flush()
            Self.copy(errors) { bytes in _ = DescriptorOutput.writeAll(bytes, to: STDERR_FILENO) }
        }
    }

    private static func copy(_ file: Int32, _ write: ([UInt8]) -> Void) {
        var position: off_t = 0
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = pread(file, &piece, piece.count, position)
            guard count > 0 else { return }
            write(Array(piece[..<count]))
            position += off_t(count)
        }
    }

    private static func namelessFile() throws(Failure) -> Int32 {
        let folder = System.variable("TMPDIR") ?? "/tmp"
        var path = Array("\(folder)/fitiq-mock-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { throw .running(Messages.noOutputFile(String(cString: strerror(errno)))) }
        unlink(path)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        return file
    }
}
