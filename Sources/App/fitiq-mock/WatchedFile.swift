/// A file that is looked at again and again, and taken when it has changed.
struct WatchedFile {
    let path: String
    private var seen: FileStamp?
    private var complaints: [String] = []

    /// - Parameter seen: the file as it was before it was read first.
    init(path: String, seen: FileStamp?) {
        self.path = path
        self.seen = seen
    }

    /// What is to be done after a look.
    enum Step: Equatable {
        /// The file has changed: it is to be read, and ``took(_:)`` to be called with what is wrong with it.
        case take
        /// It has not: these lines are to be told, if there are any.
        case tell([String])
    }

    /// Looks at the file.
    ///
    /// What is wrong with it is told once, and only when it has stayed so from one look to the next. That a file is half
    /// written, or gone while an editor puts another into its place, is no news.
    ///
    /// - Parameter stamp: the file as it is now; nil where there is none.
    mutating func look(_ stamp: FileStamp?) -> Step {
        guard stamp == seen else {
            seen = stamp
            complaints = stamp == nil ? [Messages.vanished(path)] : []
            return stamp == nil ? .tell([]) : .take
        }
        defer { complaints = [] }
        return .tell(complaints)
    }

    /// Takes note of what is wrong with the file that was taken.
    mutating func took(_ complaints: [String]) { self.complaints = complaints }
}
