import Sockets

/// What an adapter did wrong, with what it was sent and what came back.
public struct AdapterError: Error, Sendable, Equatable {
    /// What went wrong.
    public let reason: Reason
    /// The command that it was about; empty where there was none.
    public let command: String
    /// What was sent.
    let sent: [UInt8]
    /// What came back, where anything did.
    let received: [UInt8]?
    /// What should have come back.
    let expectation: String

    /// What can go wrong.
    public enum Reason: Sendable, Hashable {
        /// It cannot be started, or not be spoken with: the system's words.
        case notStarted(String)
        /// It ended, and how.
        case ended(String)
        /// It closed its standard output, and runs on.
        case closedOutput
        /// It did not answer in time.
        case late
        /// Its line has no end within the limit.
        case tooLong
        /// It has ended, or was ended, before this command.
        case notRunning
        /// It says that it does not do such a thing.
        case unsupported
        /// It says that it could not do it, in its own words.
        case refused(String)
        /// It wrote a line that nobody asked for.
        case unasked
        /// Its answer cannot be read, and why.
        case badAnswer(String)
    }

    init(_ reason: Reason, to command: AdapterCommand? = nil, received: [UInt8]? = nil) {
        self.reason = reason
        self.command = command?.name ?? ""
        sent = command?.line ?? []
        self.received = received
        expectation = command?.expectation ?? ""
    }

    init(_ error: AnswerError, to command: AdapterCommand, received: [UInt8]) {
        let reason: Reason =
            switch error {
            case .unsupported: .unsupported
            case .refused(let text): .refused(text)
            default: .badAnswer(error.description)
            }
        self.init(reason, to: command, received: received)
    }

    /// Whether the adapter only cannot do what was asked, so that cases which need it are left out.
    public var isUnsupported: Bool { reason == .unsupported }

    /// Whether it is an answer, if one that says no: the next command will be answered too.
    var isAnswer: Bool {
        switch reason {
        case .unsupported, .refused: true
        default: false
        }
    }
}
