import Testing

/// Stories played by foreign clients, against the binary that users run.
///
/// One after another: they compete for the time that some of them measure.
@Suite("Peers", .serialized, .timeLimit(.minutes(15)))
enum Peers {}

/// Stories that measure no time and take much of it, one after another beside the others.
@Suite("Long stories of peers", .serialized, .timeLimit(.minutes(15)))
enum LongPeers {}
