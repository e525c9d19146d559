import Testing

@testable import Scenarios

@Suite("Durations")
struct DurationTests {
    @Test(
        "A number and a unit, exactly",
        arguments: [
            ("0", 0), ("0s", 0), ("1ns", 1), ("1us", 1000), ("1ms", 1_000_000), ("1s", 1_000_000_000),
            ("1m", 60_000_000_000), ("1h", 3_600_000_000_000), ("1d", 86_400_000_000_000), ("1.5s", 1_500_000_000),
            ("0.5m", 30_000_000_000), ("0.000000001s", 1), ("0.1us", 100), ("1.50us", 1500), ("250ms", 250_000_000),
            ("366d", 31_622_400_000_000_000), ("31622400000000000ns", 31_622_400_000_000_000), ("007s", 7_000_000_000),
            ("1.00ns", 1), ("0.1d", 8_640_000_000_000),
        ] as [(String, Int64)])
    func reads(_ text: String, _ expected: Int64) { #expect(DurationText.nanoseconds(text) == expected) }

    @Test(
        "Anything else",
        arguments: [
            "", "1", "s", "1.s", ".5s", "-1s", "+1s", "1 s", "1S", "1sec", "1h30m", "1e3s", "0.1ns", "1.0000000001s",
            "367d", "366.1d", "31622400000000001ns", "99999999999999999999s", "9223372036854775807d", "1,5s", "٣s",
            String(repeating: "0", count: 100) + "s",
        ])
    func refuses(_ text: String) { #expect(DurationText.nanoseconds(text) == nil) }
}
