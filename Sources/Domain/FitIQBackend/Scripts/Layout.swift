/// The time at which the next thing of a script happens.
///
/// A chunk comes when the pace wants it, or so long after what happened before as it says itself; a pause comes on top.
/// What is not said takes no time of its own, and an answer ends when its next chunk would have come.
struct Layout {
    /// Nanoseconds since the question's turn came, at most ``AnswerScript/longestTimeline``.
    private(set) var offset: Int64 = 0
    /// What the pace has between the last chunk and the next.
    private var gap: Int64 = 0
    private var pause: Int64 = 0
    private let isInstant: Bool

    init(isInstant: Bool) {
        self.isInstant = isInstant
    }

    /// An answer begins.
    mutating func begin(after gap: Int64) {
        self.gap = gap
    }

    mutating func pause(_ duration: Int64) {
        pause = min(pause + duration, AnswerScript.longestTimeline)
    }

    /// A chunk is said; `gap` is what the pace has behind it.
    mutating func speak(after: Int64?, gap next: Int64) {
        wait(after ?? gap)
        gap = next
    }

    /// Something happens beside the chunks.
    mutating func stop() {
        wait(0)
    }

    /// The answer ends.
    mutating func end() {
        wait(gap)
        gap = 0
    }

    private mutating func wait(_ duration: Int64) {
        guard !isInstant else { return }
        // Each is at most the longest timeline, so that the sum of three cannot overflow.
        offset = min(offset + pause + duration, AnswerScript.longestTimeline)
        pause = 0
    }
}
