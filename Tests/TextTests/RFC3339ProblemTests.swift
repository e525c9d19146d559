import Testing
import Text

@Suite("Explaining an invalid date-time")
struct RFC3339ProblemTests {
    @Test(
        "The explanation names the error and gives advice",
        arguments: [
            ("2025-03-01T00:00:00+0200", "An offset needs a colon between its hours and minutes: write +02:00."),
            ("2025-03-01T00:00:00.5-0330", "An offset needs a colon between its hours and minutes: write -03:30."),
            ("2025-03-01T00:00:00+02", "An offset needs a colon between its hours and minutes: write +02:00."),
            (
                "2025-03-01T00:00:00",
                "The time has no offset from UTC: end it with Z, or with an offset such as +02:00."
            ),
            ("2025-02-30T00:00:00Z", "Month 2 of 2025 has 28 days, so there is no day 30."),
            ("2024-02-30", "Month 2 of 2024 has 29 days, so there is no day 30."),
            ("2025-13-01T00:00:00Z", "There is no month 13."), ("2025-00-01", "There is no month 0."),
            ("2025-04-00T00:00:00Z", "Month 4 of 2025 has 30 days, so there is no day 0."),
            ("2025-03-01 00:00:00Z", "A 'T' must separate the date and the time."),
            ("2025-03-01T24:00:00Z", "The hours must be from 00 to 23; got 24."),
            ("2025-03-01T00:60:00Z", "The minutes must be from 00 to 59; got 60."),
            ("2025-03-01T00:00:61Z", "The seconds must be from 00 to 59; got 61."),
            ("2025-03-01T00:00Z", "The time has no seconds: write hh:mm:ss."),
        ])
    func problems(_ text: String, _ problem: String) {
        #expect(RFC3339.time(text) == nil)
        #expect(RFC3339.problem(text) == problem)
    }

    @Test(
        "There is no explanation for a valid date or for text that does not resemble a date",
        arguments: [
            "2025-03-01T00:00:00Z", "2025-03-01t00:00:00.123456789012z", "2025-03-01T23:59:60-12:30", "", "tomorrow",
            "2025-03-01",
            "2025",
            "762480000", "2025/03/01", "+025-03-01", "2025-03-01T00:00:00+2", "2025-03-01T00:00:00+02:0x", "３日",
            "3d ago",
        ])
    func none(_ text: String) { #expect(RFC3339.problem(text) == nil) }
}
