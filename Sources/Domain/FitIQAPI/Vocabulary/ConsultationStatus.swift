/// Where a consultation is in its life; only an active one can be chatted in.
public enum ConsultationStatus: String, CaseIterable, Sendable, Hashable {
    /// Open for chat; counts towards the limit of ten.
    case active
    /// Ended by the backend; no endpoint of the guides leads here.
    case completed
    /// Put away by the user through the archive endpoint.
    case archived
}
