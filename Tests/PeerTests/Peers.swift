import Testing

/// Stories that other programs play as clients, against the binary that users run.
///
/// They run one after another, because some measure time. The three suites take about equally long; keep it so when you
/// add a story.
@Suite("Peers", .serialized, .timeLimit(.minutes(15)))
enum Peers {}

/// Slow stories, one after another, concurrently with the others.
@Suite("Long stories of peers", .serialized, .timeLimit(.minutes(15)))
enum LongPeers {}

/// Searches for mistakes, in the server or in clients, one after another, concurrently with the others.
@Suite("Searches by peers", .serialized, .timeLimit(.minutes(15)))
enum SearchingPeers {}
