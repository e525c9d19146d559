import Testing

/// Stories in which other programs are clients of the binary that users run.
///
/// The stories run one after another, because some measure time. The three suites take about equally long; keep the
/// balance when you add a story.
@Suite("Peers", .serialized, .timeLimit(.minutes(15)))
enum Peers {}

/// Slow stories; they run one after another, but concurrently with the other suites.
@Suite("Long peer stories", .serialized, .timeLimit(.minutes(15)))
enum LongPeers {}

/// Searches for mistakes in the server or in clients; they run one after another, but concurrently with the other
/// suites.
@Suite("Searches by peers", .serialized, .timeLimit(.minutes(15)))
enum SearchingPeers {}
