import Sockets

/// A listener, and what is spoken there.
struct ProxyPort {
    let listener: Listener
    /// How the loop names it; above all places of pairs.
    let token: UInt64
    let isSecure: Bool

    init(_ listener: Listener, number: UInt64, isSecure: Bool) {
        self.listener = listener
        token = 1 << 40 + number
        self.isSecure = isSecure
    }
}
