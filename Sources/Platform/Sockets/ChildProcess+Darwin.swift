#if !os(Linux)
    extension ChildProcess {
        /// The means of this system to keep hold of a program.
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
