import FitIQAPI

extension Host {
    /// Somebody who reads along on every connection, behind TLS and before the engine: what really went over the wire.
    ///
    /// All calls come on the loop's thread, with the engine's time. A connection has its number from ``opened`` to ``ended``; one
    /// whose TLS cannot be agreed on is never told of.
    public struct Tap {
        /// A connection can be used; the scheme is `http` or `https`.
        public var opened: (_ connection: UInt64, _ scheme: String) -> Void
        /// Bytes have arrived, decrypted.
        public var clientSent: (_ bytes: UnsafeRawBufferPointer, _ connection: UInt64, _ time: Timestamp) -> Void
        /// Bytes were sent, or encrypted to be sent next.
        public var serverSent: (_ bytes: UnsafeRawBufferPointer, _ connection: UInt64, _ time: Timestamp) -> Void
        /// One side sends no more.
        public var finished: (_ connection: UInt64, _ byServer: Bool, _ time: Timestamp) -> Void
        /// The connection is gone, and one side ended it.
        public var ended: (_ connection: UInt64, _ byServer: Bool, _ isReset: Bool, _ time: Timestamp) -> Void
        /// A turn of the loop is over: now there is time to write down what was read.
        public var turnEnded: () -> Void

        /// Reads along with these functions.
        public init(
            opened: @escaping (_ connection: UInt64, _ scheme: String) -> Void,
            clientSent: @escaping (_ bytes: UnsafeRawBufferPointer, _ connection: UInt64, _ time: Timestamp) -> Void,
            serverSent: @escaping (_ bytes: UnsafeRawBufferPointer, _ connection: UInt64, _ time: Timestamp) -> Void,
            finished: @escaping (_ connection: UInt64, _ byServer: Bool, _ time: Timestamp) -> Void,
            ended: @escaping (_ connection: UInt64, _ byServer: Bool, _ isReset: Bool, _ time: Timestamp) -> Void,
            turnEnded: @escaping () -> Void
        ) {
            self.opened = opened
            self.clientSent = clientSent
            self.serverSent = serverSent
            self.finished = finished
            self.ended = ended
            self.turnEnded = turnEnded
        }
    }
}
