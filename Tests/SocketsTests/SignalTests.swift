import CLibrary
import Testing

@testable import Sockets

// Signals belong to the whole process, so each test uses its own.
@Suite("Event loop: signals")
struct SignalTests {
    @Test("The handler receives a signal on the loop's thread", arguments: EventQueue.Kind.allCases.map(\.rawValue))
    func delivered(_ name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let kind = try #require(EventQueue.Kind(rawValue: name))
            let loop = try EventLoop(queueKind: kind)
            try loop.watchSignals([SIGUSR1, SIGTERM])
            try loop.watchSignals([SIGINT, SIGUSR1])
            let calls = try loop.calls {
                $0.onTurn = { turns in
                    switch turns {
                    case 1: raiseHere(SIGUSR1)
                    case 2: raiseHere(SIGTERM)
                    case 3: kill(getpid(), SIGINT)
                    default: loop.stop()
                    }
                    return nil
                }
            }
            #expect(calls == [.turn, .signal(SIGUSR1), .turn, .signal(SIGTERM), .turn, .signal(SIGINT), .turn])
        }
    }

    @Test("Pending signals of one kind merge, and different signals all arrive")
    func merged() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            try loop.watchSignals([SIGUSR1, SIGUSR2])
            // Raise more signals than fit into the pipe.
            for _ in 0..<100_000 { raiseHere(SIGUSR1) }
            raiseHere(SIGUSR2)
            let calls = try loop.calls { $0.onSignal = { if $0 == SIGUSR2 { loop.stop() } } }
            #expect(calls == [.turn, .signal(SIGUSR1), .signal(SIGUSR2), .turn])
        }
    }

    @Test("A signal during a turn arrives in the next turn")
    func duringTurn() async {
        await #expect(processExitsWith: .success) {
            let (loop, pair) = (try EventLoop(), try Loopback())
            try loop.watchSignals([SIGUSR1])
            try loop.add(pair.server.descriptor, token: 1, interest: .write)
            let calls = try loop.calls {
                $0.onReadiness = { _ in
                    loop.remove(pair.server.descriptor)
                    raiseHere(SIGUSR1)
                }
                $0.onSignal = { _ in loop.stop() }
            }
            #expect(calls == [.turn, .ready(1), .turn, .signal(SIGUSR1), .turn])
        }
    }

    @Test("A signal inherited as blocked still arrives even if it was pending")
    func inheritedAsBlocked() async {
        await #expect(processExitsWith: .success) {
            var blocked = sigset_t()
            sigfillset(&blocked)
            #expect(pthread_sigmask(SIG_SETMASK, &blocked, nil) == 0)
            // Do not use raiseHere, which unblocks the signal.
            raise(SIGTERM)
            let loop = try EventLoop()
            try loop.watchSignals([SIGTERM])
            let calls = try loop.calls {
                $0.onSignal = { _ in loop.stop() }
                // End the loop even without the signal.
                $0.onTurn = { turns in
                    if turns > 1 { loop.stop() }
                    return .now()
                }
            }
            #expect(calls.contains(.signal(SIGTERM)))
        }
    }

    @Test("A loop handles a signal that was inherited as ignored unless it is SIGHUP")
    func inheritedAsIgnored() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_IGN)
            signal(SIGTERM, SIG_IGN)
            do {
                let loop = try EventLoop()
                try loop.watchSignals([SIGHUP, SIGTERM])
                raiseHere(SIGHUP)
                raiseHere(SIGTERM)
                let calls = try loop.calls { $0.onSignal = { if $0 == SIGTERM { loop.stop() } } }
                #expect(calls == [.turn, .signal(SIGTERM), .turn])
            }
            raiseHere(SIGHUP)
        }
    }

    @Test("A second loop cannot watch the same signal until the first is released")
    func oneWatcher() async {
        await #expect(processExitsWith: .success) {
            let second = try EventLoop()
            do {
                let first = try EventLoop()
                try first.watchSignals([SIGUSR1])
                let error = #expect(throws: SocketError.self) { try second.watchSignals([SIGUSR1]) }
                #expect(
                    error?.description
                        == "cannot watch signal \(SIGUSR1): another event loop in this process is watching it")
                withExtendedLifetime(first) {}
            }
            try second.watchSignals([SIGUSR1])
            raiseHere(SIGUSR1)
            #expect(try second.calls { $0.onSignal = { _ in second.stop() } } == [.turn, .signal(SIGUSR1), .turn])
        }
    }

    @Test("A released loop restores the signal's previous action")
    func restored() async {
        await #expect(processExitsWith: .signal(SIGUSR1)) {
            do {
                let loop = try EventLoop()
                try loop.watchSignals([SIGUSR1])
                raiseHere(SIGUSR1)
                withExtendedLifetime(loop) {}
            }
            raiseHere(SIGUSR1)
        }
    }

    @Test("Watching a signal that cannot be handled throws", arguments: [SIGKILL, SIGSTOP, 0, -1, 10_000] as [Int32])
    func unwatchable(_ signal: Int32) throws {
        let loop = try EventLoop()
        let error = #expect(throws: SocketError.self) { try loop.watchSignals([signal]) }
        #expect(error?.description == "cannot watch signal \(signal): no handler can be installed for it")
    }

    @Test("A program ignores SIGPIPE and SIGXFSZ unless it handles them")
    func brokenPipe() async {
        await #expect(processExitsWith: .success) {
            CurrentProcess.ignoreBrokenPipeSignal()
            raiseHere(SIGPIPE)
            CurrentProcess.ignoreFileSizeSignal()
            raiseHere(SIGXFSZ)
        }
        await #expect(processExitsWith: .exitCode(42)) {
            signal(SIGPIPE) { _ in _exit(42) }
            CurrentProcess.ignoreBrokenPipeSignal()
            raiseHere(SIGPIPE)
        }
    }
}
