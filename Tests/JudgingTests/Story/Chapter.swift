import FitIQAPI
import Testing

@testable import Judging

/// A story, and the expected verdicts.
struct Chapter: Sendable, CustomTestStringConvertible {
    let name: String
    let told: Told
    let story: Story
    let mode: GuideMode
    /// The end of the time that is judged, in seconds; nil for the last entry.
    let end: Double?

    /// Tells a story.
    init(
        _ name: String, _ told: Told, in mode: GuideMode = .union, end: Double? = nil,
        tell: (inout Story) -> Void
    ) {
        self.name = name
        self.told = told
        self.mode = mode
        self.end = end
        story = Story(tell)
    }

    var testDescription: String { name }

    /// Whether the verdict on an obligation is as expected.
    func check(_ id: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(story.verdict(id, in: mode, end: end) == told, sourceLocation: location)
    }
}
