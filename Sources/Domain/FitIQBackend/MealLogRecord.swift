import FitIQAPI

/// A meal log with its JSON, which is encoded when the log changes and not when it is read.
struct MealLogRecord: Sendable {
    let owner: UserID
    private(set) var log: MealLog
    /// What processing is to end with, as the script had it when it began.
    var outcome = MealRule.Outcome.parsed

    /// The object in lists, in the form of the union.
    private(set) var listItem: [UInt8] = []
    /// The body of the endpoints that answer with this log.
    private(set) var body: [UInt8] = []

    init(_ log: MealLog, owner: UserID, form: GuideMode) {
        self.log = log
        self.owner = owner
        encode(in: form)
    }

    var byteCount: Int { listItem.count + body.count }

    mutating func finish(_ progress: MealLog.Progress, form: GuideMode) {
        log.progress = progress
        encode(in: form)
    }

    private mutating func encode(in form: GuideMode) {
        listItem = log.object(in: .union)
        body = MealLog.body(of: form == .union ? listItem : log.object(in: form), in: form)
    }
}
