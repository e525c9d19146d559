import FitIQAPI

/// The field lines that most responses share, encoded once a second.
struct ResponseFields {
    private var second = Int64.min
    /// `Content-Type` of JSON and `Date`.
    private(set) var json: [UInt8] = []
    /// `Date` alone.
    private(set) var date: [UInt8] = []

    mutating func update(to now: Timestamp) {
        guard now.secondsSinceEpoch != second else { return }
        second = now.secondsSinceEpoch
        let dateLine = "Date: \(now.httpDateText)\r\n"
        date = Array(dateLine.utf8)
        json = Array(("Content-Type: application/json; charset=utf-8\r\n" + dateLine).utf8)
    }
}
