import HTTP1
import WebSocket

extension ConnectionObserver {
    /// How much of a connection is kept in memory while it is observed.
    public struct Limits: Sendable, Equatable {
        /// The most bytes that are kept of a body or a message; of longer ones only the beginning is, and their true size.
        public var body = 16 * 1024 * 1024
        /// The most bytes of a message; a longer one ends the observation of its direction with a note.
        public var message = 64 * 1024 * 1024
        /// The most bytes of a request line, and of a status line; more ends the observation with a note.
        public var startLine = 64 * 1024
        /// The most bytes of the field lines of a head; more ends the observation with a note.
        public var headerBlock = 1024 * 1024
        /// The most field lines of a head; more ends the observation with a note.
        public var fieldCount = 2000
        /// The most bytes of later requests that wait while one is answered; more ends the observation with a note.
        public var pipelined = 4 * 1024 * 1024

        /// The defaults, to be changed field by field.
        public init() {}

        var http: HTTP1.Limits {
            var limits = HTTP1.Limits()
            limits.requestLine = startLine
            limits.methodName = min(256, startLine / 2)
            limits.headerBlock = headerBlock
            limits.fieldCount = fieldCount
            // Bodies are cut here, not refused; sizes have no more than 16 digits anyway.
            limits.body = Int.max / 2
            limits.chunkLine = 16 * 1024
            limits.leadingEmptyLines = 1000
            limits.pipelined = pipelined
            return limits
        }
    }
}
