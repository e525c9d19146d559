import FitIQAPI

/// The field lines that most responses share, encoded once a second.
struct ResponseFields {
    private var second = Int64.min
    /// `Content-Type` of JSON and `Date`.
    private(set) var json: [UInt8] = []

    mutating func update(to now: Timestamp) {
        guard now.secondsSinceEpoch != second else { return }
        second = now.secondsSinceEpoch
        json = Array("Content-Type: \(Answer.json)\r\nDate: \(now.httpDateText)\r\n".utf8)
    }
}
