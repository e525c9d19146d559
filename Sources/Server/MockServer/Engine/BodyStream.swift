import HTTP1

/// A long answer in progress: its unsent head, and the source of its body.
final class BodyStream {
    let source: any BodySource
    /// The answer; nil once its head is sent.
    @exclusivity(unchecked) var unsent: (answer: Answer, head: RequestHead, world: World)?
    @exclusivity(unchecked) var isQueued = false
    /// Whether the source is waiting for ``Engine/wakeStreams()``.
    @exclusivity(unchecked) var isWaiting = false

    init(_ source: any BodySource, _ answer: Answer, to head: RequestHead, in world: World) {
        self.source = source
        unsent = (answer, head, world)
    }
}

/// The long answers in progress.
///
/// A loop turn produces one slice or several small slices, starting with the reader that has waited longest, and then
/// serves all other connections. A large answer therefore does not block the loop longer than a small one.
struct StreamQueue {
    /// The connections that get a slice next, starting with the connection that has waited longest.
    var waiting: [ConnectionID] = []
    /// The connections whose source is waiting for a paused world, a moving clock or an entry.
    var idle: [ConnectionID] = []
    /// The connections whose answer keeps journal entries.
    var journalReaders: Set<ConnectionID> = []
    /// The budget for all slices in a turn: 64 KiB, or about half a millisecond of work.
    var sliceSize = 64 * 1024
    var buffer: [UInt8] = []
}
