import Testing

/// Stories in which other programs are clients of the binary that users run.
///
/// The suites of this file run at the same time, and each runs its tests one after another, because most tests start a
/// server and several programs, and some wait by the system's clock. The suites take about equally long: keep the
/// balance when you add a story.
@Suite("Peers", .serialized, .timeLimit(.minutes(15)))
enum Peers {}

/// The commands that users type, their files and documents.
@Suite("Commands", .serialized, .timeLimit(.minutes(15)))
enum CommandPeers {}

/// Builds of other packages, test frameworks, and what is released.
@Suite("Builds", .serialized, .timeLimit(.minutes(15)))
enum BuildingPeers {}

/// Stories in Chromium.
@Suite("Browsers", .serialized, .timeLimit(.minutes(15)))
enum BrowserPeers {}

/// Recordings, fleets and whole clients.
@Suite("Long peer stories", .serialized, .timeLimit(.minutes(15)))
enum LongPeers {}

/// Attacks on the server.
@Suite("Attacks by peers", .serialized, .timeLimit(.minutes(15)))
enum AttackingPeers {}

/// Searches for answers and frames that contradict a description or a protocol.
@Suite("Searches by peers", .serialized, .timeLimit(.minutes(15)))
enum SearchingPeers {}

/// Searches for mistakes in clients.
@Suite("Explorations of peers", .serialized, .timeLimit(.minutes(15)))
enum ExploringPeers {}
