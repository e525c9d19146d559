/// Work that would block the loop for too long: a function of values that runs on another thread.
///
/// An engine hands it to ``Engine/startJob``. Any thread may run it; the result goes to ``Engine/finish(_:at:)``.
public struct Job: Sendable {
    let number: Int
    private let work: @Sendable () -> any Sendable

    init(number: Int, work: @escaping @Sendable () -> any Sendable) {
        self.number = number
        self.work = work
    }

    /// Does the work.
    public func run() -> Result { Result(number: number, value: work()) }

    /// What came of a job.
    public struct Result: Sendable {
        let number: Int
        let value: any Sendable
    }
}
