import Testing

/// Stories told by clients that nobody here wrote, to the binary that users run.
///
/// One after another: they compete for the time that some of them measure.
@Suite("Peers", .serialized, .timeLimit(.minutes(15)))
enum Peers {}
