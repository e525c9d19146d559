#if os(Linux)
    import CLibrary
    import CPlatform
    import Synchronization

    /// A program under a guardian, a separate process (guardian_linux.c).
    ///
    /// The guardian finds all descendants of the program, including daemons, and ends them even if this process is
    /// killed. This process could do the same (prctl(2), `PR_SET_CHILD_SUBREAPER`), but could not tell which program an
    /// orphan came from.
    final class ChildUnderGuardian: ChildKeeper {
        let identifier: Int32
        let exitDescriptor: Int32
        private let guardian: pid_t
        private let state = Mutex(State())

        private struct State {
            var outcome: ChildProcess.Outcome?
            var isClosed = false
        }

        /// The guardian gives up 5 s after SIGKILL; if no message has arrived by this deadline, the guardian is not
        /// responding.
        private static let patience = Duration.seconds(7)

        init(_ command: [String], _ environment: [String], _ streams: ChildProcess.Streams) throws(ChildProcessError) {
            var control: Int32 = -1
            let numbers = [streams.input, streams.output, streams.errors].map { stream -> Int32 in
                switch stream {
                case .inherited: CPLATFORM_STREAM_INHERITED
                case .null: CPLATFORM_STREAM_NULL
                case .descriptor(let descriptor): descriptor
                }
            }
            guardian = ChildProcess.withCStrings(command) { arguments in
                ChildProcess.withCStrings(environment) { variables in
                    cplatform_start_guarded(arguments, variables, numbers, &control)
                }
            }
            guard guardian > 0 else { throw ChildProcessError(.start(command[0]), code: -guardian) }
            exitDescriptor = control
            var message = cplatform_guard_message()
            let isStarted = cplatform_receive_from_guardian(control, &message) == 1 && message.value > 0
            identifier = message.value
            guard isStarted else {
                close(control)
                reap(guardian)
                throw ChildProcessError(.start(command[0]), code: message.value < 0 ? -message.value : ECHILD)
            }
        }

        func outcome() -> ChildProcess.Outcome {
            if let known = state.withLock({ $0.outcome }) { return known }
            // Killing the guardian also kills the program.
            let outcome = receive(CPLATFORM_GUARD_ENDED).map(ChildProcess.Outcome.init) ?? .signalled(Int(SIGKILL))
            state.withLock { $0.outcome = outcome }
            return outcome
        }

        func end(grace: Duration) -> ChildEnd {
            let deadline = MonotonicInstant.now().advanced(by: grace).advanced(by: Self.patience)
            tell(grace: grace)
            let outcome = waits(until: deadline) ? outcome() : .signalled(Int(SIGKILL))
            let isComplete = waits(until: deadline) && receive(CPLATFORM_GUARD_FINISHED) == 0
            if !isComplete { send(SIGKILL, to: guardian) }
            state.withLock { state in
                state.isClosed = true
                close(exitDescriptor)
            }
            reap(guardian)
            return ChildEnd(outcome: outcome, isComplete: isComplete)
        }

        func kill() { tell(grace: .zero) }

        private func tell(grace: Duration) {
            let milliseconds = grace / .milliseconds(1)
            var message = cplatform_guard_message(
                kind: CPLATFORM_GUARD_END, value: Int32(max(0, min(milliseconds, 86_400_000))))
            state.withLock { state in
                if !state.isClosed { cplatform_send(exitDescriptor, &message, MemoryLayout.size(ofValue: message)) }
            }
        }

        private func waits(until deadline: MonotonicInstant) -> Bool {
            SingleDescriptorPoll.wait(for: .read, on: exitDescriptor, until: deadline) == nil
        }

        /// The value of the guardian's next message; nil if the message is of a different kind.
        private func receive(_ kind: Int32) -> Int32? {
            var message = cplatform_guard_message()
            let isReceived = cplatform_receive_from_guardian(exitDescriptor, &message) == 1
            return isReceived && message.kind == kind ? message.value : nil
        }
    }

    /// Calls kill(2), which the method of the same name shadows.
    private func send(_ signal: Int32, to process: pid_t) { kill(process, signal) }
#endif
