#if !os(Linux)
    extension EventQueue {
        /// The mechanisms that this system has.
        public enum Kind: String, Sendable, CaseIterable {
            /// poll(2): the cost of a wait grows with what is watched.
            case poll

            /// The fastest one of this system.
            public static let platformDefault = Kind.poll
        }
    }

    /// The mechanism behind a queue; each operation returns 0 or an errno.
    struct EventQueueBackend {
        let set = PollSet()

        init(kind: EventQueue.Kind) throws(SocketError) {}

        func add(_ descriptor: Int32, generation: UInt32, interest: Interest) -> Int32 {
            set.add(descriptor, generation: generation, interest: interest)
        }

        func modify(_ descriptor: Int32, generation: UInt32, interest: Interest) {
            set.modify(descriptor, interest: interest)
        }

        func remove(_ descriptor: Int32) {
            set.remove(descriptor)
        }

        /// Waits once, for the timeout in nanoseconds or, if negative, for as long as it takes.
        func collect(timeout: Int64, into events: inout [CollectedEvent]) -> Int32 {
            set.collect(timeout: timeout, into: &events)
        }
    }
#endif
