#if !os(Linux)
    extension ChildProcess {
        /// How this system keeps track of a program.
        enum Keeping: CaseIterable {
            /// A process group, which programs can leave.
            case group

            static let platformDefault = Keeping.group

            func start(
                _ command: [String], _ environment: [String], _ streams: Streams
            ) throws(ChildProcessError) -> any ChildKeeper {
                try ChildInGroup(command, environment, streams)
            }
        }
    }
#endif
