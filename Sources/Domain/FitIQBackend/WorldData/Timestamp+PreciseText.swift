import FitIQAPI

extension Timestamp {
    /// RFC 3339 in UTC with as many digits of fraction as the nanoseconds need, none for whole seconds.
    ///
    /// For documents, which must not lose the order of what happened within a second; the wire has ``wireText``.
    public var preciseText: String {
        let seconds = wireText
        let nanoseconds = nanosecondsSinceEpoch - secondsSinceEpoch * 1_000_000_000
        guard nanoseconds != 0 else { return seconds }
        // A leading one keeps the zeros that follow the point.
        var digits = "\(1_000_000_000 + nanoseconds)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(seconds.dropLast()).\(digits)Z"
    }
}
