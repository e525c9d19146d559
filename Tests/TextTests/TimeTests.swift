import Foundation
import Testing

@testable import Text

@Suite("Civil time")
struct CivilTimeTests {
    @Test("Dates across a thousand years match Foundation's calendar")
    func calendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        // Check every eleventh day from 1600-01-01 to 3000-01-01.
        for days in stride(from: Int64(-135_140), through: 376_200, by: 11) {
            let seconds = days * 86_400 + 86_399 * (days & 1)
            let time = CivilTime(secondsSinceEpoch: seconds)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second, .weekday],
                from: Date(timeIntervalSince1970: TimeInterval(seconds)))
            let isSame =
                Int64(parts.year ?? 0) == time.date.year && Int64(parts.month ?? 0) == time.date.month
                && Int64(parts.day ?? 0) == time.date.day && Int64(parts.hour ?? 0) == time.hour
                && Int64(parts.minute ?? 0) == time.minute && Int64(parts.second ?? 0) == time.second
                && Int64(parts.weekday ?? 0) == time.weekday + 1
            #expect(isSame, "day \(days)")
        }
    }

    @Test("Every day of eleven centuries around each seam round-trips in order")
    func roundTrip() {
        for start: Int64 in [-900_000, -719_468, -25_567, 2_732_896] {
            var last: CivilDate?
            for days in start..<(start + 100_000) {
                let date = CivilDate(daysSinceEpoch: days)
                if date.daysSinceEpoch != days { Issue.record("day \(days)") }
                if let last {
                    let isNextDay = date.day == last.day + 1 && date.month == last.month && date.year == last.year
                    let isFirst =
                        date.day == 1 && last.day == CivilDate.length(ofMonth: last.month, year: last.year)
                        && (date.month == last.month % 12 + 1) && date.year == last.year + (last.month == 12 ? 1 : 0)
                    if !isNextDay && !isFirst { Issue.record("day \(days)") }
                }
                last = date
            }
        }
    }

    @Test(
        "The parser rejects dates that the calendar does not have",
        arguments: [
            (2025, 1, 29, true), (2024, 2, 29, true), (2023, 2, 29, false), (1900, 2, 29, false), (2000, 2, 29, true),
            (2025, 4, 31, false), (2025, 12, 31, true), (2025, 13, 1, false), (2025, 0, 1, false), (2025, 1, 0, false),
            (0, 2, 29, true),
        ] as [(Int64, Int64, Int64, Bool)])
    func dates(_ year: Int64, _ month: Int64, _ day: Int64, _ exists: Bool) {
        #expect((CivilDate(year: year, month: month, day: day) != nil) == exists)
    }
}

@Suite("RFC 3339")
struct RFC3339Tests {
    @Test(
        "The parser reads a time with its fraction and offset",
        arguments: [
            ("1970-01-01T00:00:00Z", 0, 0), ("2025-01-29T10:30:00Z", 1_738_146_600, 0),
            ("2025-01-29t10:30:00z", 1_738_146_600, 0), ("2025-01-29T11:30:00+01:00", 1_738_146_600, 0),
            ("2025-01-29T09:00:00-01:30", 1_738_146_600, 0), ("2025-01-29T10:30:00.25Z", 1_738_146_600, 250_000_000),
            ("2025-01-29T10:30:00.1234567899Z", 1_738_146_600, 123_456_789), ("1990-12-31T23:59:60Z", 662_688_000, 0),
            ("0000-01-01T00:00:00Z", -62_167_219_200, 0), ("9999-12-31T23:59:59Z", 253_402_300_799, 0),
        ] as [(String, Int64, Int64)])
    func reads(_ text: String, _ seconds: Int64, _ nanoseconds: Int64) {
        let time = RFC3339.time(text)
        #expect(time?.secondsSinceEpoch == seconds && time?.nanoseconds == nanoseconds)
        #expect(time?.isLeapSecond == text.contains(":60"))
    }

    @Test(
        "The parser rejects strings that are not times",
        arguments: [
            "", "2025-01-29", "2025-01-29T10:30:00", "2025-01-29 10:30:00Z", "2025-02-29T00:00:00Z",
            "2025-13-01T00:00:00Z", "2025-00-01T00:00:00Z", "2025-01-29T24:00:00Z", "2025-01-29T10:60:00Z",
            "2025-01-29T10:30:61Z", "2025-01-29T10:30:00.Z", "2025-01-29T10:30:00+24:00", "2025-01-29T10:30:00+0100",
            "2025-01-29T10:30:00Z ", " 2025-01-29T10:30:00Z", "25-01-29T10:30:00Z", "2025-01-29T10:30Z",
            "+025-01-29T10:30:00Z", "2025-01-29T10:30:00.5", "2025/01/29T10:30:00Z", "2025-01-29T10:30:00+01:60",
        ])
    func refuses(_ text: String) { #expect(RFC3339.time(text) == nil) }

    @Test("The search accepts a time without an offset but not a time without seconds")
    func withoutOffset() {
        let bytes = Array("2025-01-29T10:30:00".utf8)
        #expect(bytes.withUnsafeBufferPointer { RFC3339.time(at: 0, in: $0) } != nil)
        #expect(bytes.dropLast().withUnsafeBufferPointer { RFC3339.time(at: 0, in: $0) } == nil)
    }

    @Test(
        "The search finds the end of a time within text",
        arguments: [
            ("x2025-01-29T10:30:00Zx", 20), ("x2025-01-29 10:30:00 x", 19), ("x2025-01-29T10:30:00.5+01:00", 27),
            ("x2025-01-29T10:30:00.", 19), ("x2025-01-29T10:30:00+25:00", 19), ("x2025-01-29T10:30:0", nil),
            ("x2025-99-29T10:30:00Z", nil), ("x", nil), ("x2025-01-29T10:30:00.5", 21),
        ] as [(String, Int?)])
    func within(_ text: String, _ length: Int?) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { RFC3339.time(at: 1, in: $0)?.length } == length)
    }

    @Test(
        "The parser reads dates",
        arguments: [("1970-01-02", 1), ("2000-02-29", 11_016), ("1900-02-29", nil), ("1970-1-2", nil)]
            as [(String, Int64?)])
    func days(_ text: String, _ days: Int64?) { #expect(RFC3339.days(text) == days) }

    @Test(
        "A printed time parses to the same value",
        arguments: [-62_167_219_200, -1, 0, 951_782_400, 253_402_300_799] as [Int64])
    func roundTrip(_ seconds: Int64) {
        #expect(RFC3339.time(RFC3339.text(secondsSinceEpoch: seconds))?.secondsSinceEpoch == seconds)
        for nanoseconds in [Int64(0), 1, 250_000_000, 999_999_999] {
            let text = RFC3339.text(secondsSinceEpoch: seconds, nanoseconds: nanoseconds)
            #expect(text.utf8.count == 30)
            #expect(RFC3339.time(text)?.secondsSinceEpoch == seconds)
            #expect(RFC3339.time(text)?.nanoseconds == nanoseconds)
        }
    }

    @Test("The formatter prints nanoseconds only if there are any")
    func writes() {
        #expect(RFC3339.text(secondsSinceEpoch: 1_738_146_600) == "2025-01-29T10:30:00Z")
        #expect(RFC3339.text(secondsSinceEpoch: -1, nanoseconds: 5) == "1969-12-31T23:59:59.000000005Z")
    }
}

@Suite("Durations")
struct DurationTests {
    private static let longest: Int64 = 366 * 86_400 * 1_000_000_000

    @Test(
        "The parser reads a duration's number and unit exactly",
        arguments: [
            ("0", 0), ("0s", 0), ("1ns", 1), ("1us", 1000), ("1ms", 1_000_000), ("1s", 1_000_000_000),
            ("1m", 60_000_000_000), ("1h", 3_600_000_000_000), ("1d", 86_400_000_000_000), ("1.5s", 1_500_000_000),
            ("0.5m", 30_000_000_000), ("0.000000001s", 1), ("0.1us", 100), ("1.50us", 1500), ("250ms", 250_000_000),
            ("366d", 31_622_400_000_000_000), ("31622400000000000ns", 31_622_400_000_000_000), ("007s", 7_000_000_000),
            ("1.00ns", 1), ("0.1d", 8_640_000_000_000),
        ] as [(String, Int64)])
    func reads(_ text: String, _ expected: Int64) {
        #expect(Durations.nanoseconds(text, atMost: Self.longest) == expected)
    }

    @Test(
        "The parser rejects strings that are not durations",
        arguments: [
            "", "1", "s", "1.s", ".5s", "-1s", "+1s", "1 s", "1S", "1sec", "1h30m", "1e3s", "0.1ns", "1.0000000001s",
            "367d", "366.1d", "31622400000000001ns", "99999999999999999999s", "9223372036854775807d", "1,5s", "٣s",
            String(repeating: "0", count: 100) + "s",
        ])
    func refuses(_ text: String) { #expect(Durations.nanoseconds(text, atMost: Self.longest) == nil) }

    @Test(
        "The parser accepts durations up to the largest integer",
        arguments: [
            ("9223372036854775807ns", .max), ("9223372036.854775807s", .max), ("9223372036854775808ns", nil),
            ("9223372036.854775808s", nil), ("9223372036854775807.9s", nil), ("99999999999999999999d", nil),
        ] as [(String, Int64?)])
    func largestNumber(_ text: String, _ expected: Int64?) {
        #expect(Durations.nanoseconds(text, atMost: .max) == expected)
    }

    @Test(
        "The formatter prints a whole span in its largest exact unit",
        arguments: [
            (0, "0"), (1, "1ns"), (1500, "1500ns"), (90_000_000_000, "90s"), (60_000_000_000, "1m"),
            (86_400_000_000_000, "1d"), (250_000_000, "250ms"), (3_000, "3us"),
        ] as [(Int64, String)])
    func whole(_ nanoseconds: Int64, _ text: String) {
        #expect(Durations.whole(nanoseconds) == text)
        #expect(Durations.nanoseconds(text, atMost: Self.longest) == nanoseconds)
    }

    @Test("The formatter can be limited to a largest unit")
    func largest() {
        #expect(Durations.whole(172_800_000_000_000, largest: .hours) == "48h")
        #expect(Durations.whole(60_000_000_000, largest: .seconds) == "60s")
    }

    @Test(
        "The formatter truncates seconds to milliseconds",
        arguments: [
            (0, "0", "0.000"), (999_999_999, "0.999", "0.999"), (1_000_000_000, "1", "1.000"),
            (1_950_000_000, "1.95", "1.950"), (200_000_000, "0.2", "0.200"), (100_000_000_000, "100", "100.000"),
            (-1_950_000_000, "-1.95", "-1.950"), (-1, "0", "0.000"), (1_001_999_999, "1.001", "1.001"),
        ] as [(Int64, String, String)])
    func seconds(_ nanoseconds: Int64, _ text: String, _ fixed: String) {
        #expect(Durations.seconds(nanoseconds) == text)
        #expect(Durations.fixedSeconds(nanoseconds) == fixed)
    }

    @Test("The formatter prints tenths of a millisecond only below 10 ms")
    func milliseconds() {
        let rows: [(Int64, String)] = [
            (0, "0"), (99_999, "0"), (100_000, "0.1"), (4_400_000, "4.4"), (9_999_999, "9.9"), (10_000_000, "10"),
            (250_900_000, "250"),
        ]
        for (nanoseconds, text) in rows { #expect(Durations.milliseconds(nanoseconds) == text) }
    }

    @Test(
        "The formatter prints exact durations in the largest fitting unit",
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1000, "1 µs"), (1_500, "1.5 µs"), (250_000_000, "250 ms"),
            (1_000_000_000, "1 s"), (1_500_000_000, "1.5 s"), (10_000_000_001, "10.000000001 s"),
            (90_000_000_000, "90 s"), (1_050_000_000, "1.05 s"),
        ] as [(Int64, String)])
    func exact(_ nanoseconds: Int64, _ text: String) { #expect(Durations.exact(nanoseconds) == text) }

    @Test("A Duration converts to nanoseconds by truncation")
    func nanoseconds() {
        #expect(Duration.milliseconds(1500).nanoseconds == 1_500_000_000)
        #expect(Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).nanoseconds == 1)
        #expect(Duration.seconds(-1).nanoseconds == -1_000_000_000)
    }
}
