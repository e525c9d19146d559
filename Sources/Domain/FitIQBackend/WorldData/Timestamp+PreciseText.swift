import FitIQAPI

extension Timestamp {
    /// RFC 3339 in UTC with as many digits of fraction as the nanoseconds need, none for whole seconds.
    ///
    /// For documents, which must not lose the order of what happened within a second; the wire has ``wireText``.
    public var preciseText: String {
        guard nanosecondsSinceEpoch != secondsSinceEpoch * 1_000_000_000 else { return wireText }
        var text = nanosecondText.dropLast()
        while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
        return text + "Z"
    }
}
