#if os(Linux)
    extension EventQueue {
        public enum Kind: String, Sendable, CaseIterable {
            /// epoll(7): the cost of a wait grows with the number of ready descriptors.
            case epoll
            /// poll(2): the cost of a wait grows with the number of watched descriptors.
            case poll

            public static let platformDefault = Kind.epoll
        }
    }

    /// The mechanism of a queue; each operation returns 0 or an errno.
    enum EventQueueBackend {
        case epoll(EpollSet)
        case poll(PollSet)

        init(kind: EventQueue.Kind) throws(SocketError) {
            switch kind {
            case .epoll: self = .epoll(try EpollSet())
            case .poll: self = .poll(PollSet())
            }
        }

        func add(_ descriptor: Int32, generation: UInt32, interest: Interest) -> Int32 {
            switch self {
            case .epoll(let set): set.add(descriptor, generation: generation, interest: interest)
            case .poll(let set): set.add(descriptor, generation: generation, interest: interest)
            }
        }

        func modify(_ descriptor: Int32, generation: UInt32, interest: Interest) {
            switch self {
            case .epoll(let set): set.modify(descriptor, generation: generation, interest: interest)
            case .poll(let set): set.modify(descriptor, interest: interest)
            }
        }

        func remove(_ descriptor: Int32) {
            switch self {
            case .epoll(let set): set.remove(descriptor)
            case .poll(let set): set.remove(descriptor)
            }
        }

        /// Waits once, for the timeout in nanoseconds or, if negative, without limit.
        func collect(timeout: Int64, into events: inout [CollectedEvent]) -> Int32 {
            switch self {
            case .epoll(let set): set.collect(timeout: timeout, into: &events)
            case .poll(let set): set.collect(timeout: timeout, into: &events)
            }
        }
    }
#endif
