import Text

/// How much a scenario may hold; each limit has its refusal (docs/limits.md).
public enum ScenarioLimits {
    /// Bytes of a file, 16 MiB.
    public static let fileBytes = 16 * 1024 * 1024
    /// Values of a YAML document, those that aliases repeat counted each time.
    public static let nodes = 200_000
    /// Values of a file that is JSON, as exports are, which have more than eight bytes for each.
    public static let valuesOfJSON = fileBytes / 8
    /// How deep lists and mappings may be nested.
    public static let depth = 64
    /// Mistakes that are reported; the rest is counted.
    public static let mistakes = 50

    /// Users of a scenario.
    public static let users = 100_000
    /// Goals of a user.
    public static let goals = 1000
    /// Consultations of a user, whatever their status.
    public static let consultations = 1_000_000
    /// Active consultations of a user (consultation-websocket).
    public static let activeConsultations = 10
    /// Messages of a consultation, made-up ones included.
    public static let messages = 10_000
    /// Meal logs of a user.
    public static let mealLogs = 10_000
    /// Foods of a meal.
    public static let items = 50

    /// Rules for answers, and rules for meals.
    public static let rules = 1000
    /// Instructions of all regular expressions of a scenario together: what a long message may cost the loop.
    public static let patternInstructions = 20_000
    /// Names for pauses.
    public static let pauses = 1000
    /// Steps of an answer, the chunks of a burst counted each.
    public static let steps = 10_000
    /// Bytes of all texts of an answer, 256 KiB.
    public static let answerBytes = 256 * 1024
    /// What a built-in answer counts for among them: more than any has.
    public static let builtInAnswerBytes = 512
    /// Bytes of what an assistant or the system said, 1 MiB.
    public static let messageBytes = 1024 * 1024
    /// Bytes of other texts, as in requests.
    public static let textBytes = 16 * 1024

    /// Bytes of the path of a session.
    public static let sessionPath = 4096
    /// How many times as fast as recorded a session is played back.
    public static let replaySpeed = 0.001...1000.0

    /// The longest duration, 366 days, in nanoseconds.
    public static let longestDuration: Int64 = 366 * 86_400_000_000_000

    /// Reads a duration such as `1.5s`, in nanoseconds; nil for anything else, and for a longer one.
    package static func duration(_ text: String) -> Int64? { Durations.nanoseconds(text, atMost: longestDuration) }
}
