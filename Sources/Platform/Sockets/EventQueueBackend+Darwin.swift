#if !os(Linux)
    extension EventQueue {
        public enum Kind: String, Sendable, CaseIterable {
            /// poll(2): the cost of a wait grows with the number of watched descriptors.
            case poll

            public static let platformDefault = Kind.poll
        }
    }

    /// The mechanism of a queue; each operation returns 0 or an errno.
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

        /// Waits once, for the timeout in nanoseconds or, if negative, without limit.
        func collect(timeout: Int64, into events: inout [CollectedEvent]) -> Int32 {
            set.collect(timeout: timeout, into: &events)
        }
    }
#endif
