import Testing

/// Stories played by foreign clients, against the binary that users run.
///
/// One after another: they compete for the time that some of them measure. The three rows take about as long; a story
/// goes where that stays so.
@Suite("Peers", .serialized, .timeLimit(.minutes(15)))
enum Peers {}

/// Stories that take much time, one after another beside the others.
@Suite("Long stories of peers", .serialized, .timeLimit(.minutes(15)))
enum LongPeers {}

/// Searches for what is wrong, in the server or in clients, one after another beside the others.
@Suite("Searches by peers", .serialized, .timeLimit(.minutes(15)))
enum SearchingPeers {}
