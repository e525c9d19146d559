import HTTP1
import WebSocket

extension ConnectionObserver {
    /// The memory limits of observing a connection.
    public struct Limits: Sendable, Equatable {
        /// The maximum bytes kept of a body or a message; longer ones keep their beginning and their true size.
        public var body = 16 * 1024 * 1024
        /// The maximum bytes of a message; a longer one ends the observation of its direction with a note.
        public var message = 64 * 1024 * 1024
        /// The maximum bytes of a request or status line; more ends the observation with a note.
        public var startLine = 64 * 1024
        /// The maximum bytes of the field lines of a head; more ends the observation with a note.
        public var headerBlock = 1024 * 1024
        /// The maximum field lines of a head; more ends the observation with a note.
        public var fieldCount = 2000
        /// The maximum bytes of pipelined requests waiting for a response; more ends the observation with a note.
        public var pipelined = 4 * 1024 * 1024

        public init() {}

        var http: HTTP1.Limits {
            var limits = HTTP1.Limits()
            limits.requestLine = startLine
            limits.methodName = min(256, startLine / 2)
            limits.headerBlock = headerBlock
            limits.fieldCount = fieldCount
            // Bodies are truncated here, not refused; sizes have no more than 16 digits anyway.
            limits.body = Int.max / 2
            limits.chunkLine = 16 * 1024
            limits.leadingEmptyLines = 1000
            limits.pipelined = pipelined
            return limits
        }
    }
}
