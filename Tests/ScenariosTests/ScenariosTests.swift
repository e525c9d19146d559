/// The text of the error that reading throws; empty if it throws none.
func refusal(_ read: () throws -> some Any) -> String {
    do {
        _ = try read()
        return ""
    } catch { return "\(error)" }
}
