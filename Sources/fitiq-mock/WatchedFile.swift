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

    /// Looks at the file.
    ///
    /// - Parameters:
    ///   - stamp: the file as it is now; nil where there is none.
    ///   - take: takes the file, which has changed, and returns what is wrong with it.
    /// - Returns: what is wrong with the file: once, and only when it has stayed so from one look to the next. That a file
    ///   is half written, or gone while an editor puts another into its place, is no news.
    mutating func look(_ stamp: FileStamp?, take: () -> [String]) -> [String] {
        guard stamp == seen else {
            seen = stamp
            complaints = stamp == nil ? [Messages.vanished(path)] : take()
            return []
        }
        defer { complaints = [] }
        return complaints
    }
}
