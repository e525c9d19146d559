import Logging

/// What a program does when it ends: all of it, whatever fails.
///
/// The first failure decides the exit code; the others are logged.
struct Conclusions {
    private let logger: Logger
    private var first: Failure?

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Does one thing; whether it went well.
    @discardableResult
    mutating func add(_ body: () throws(Failure) -> Void) -> Bool {
        do throws(Failure) {
            try body()
            return true
        } catch {
            if first == nil {
                first = error
            } else if !error.message.isEmpty {
                logger.error("\(error.message)")
            }
            return false
        }
    }

    /// Throws the first failure, if there was one.
    func tell() throws(Failure) {
        if let first { throw first }
    }
}
