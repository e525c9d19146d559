import Foundation
import Testing

@testable import FitIQAPI

@Suite("Timestamps") struct TimestampTests {
    static let table: [(Int64, String, String)] = [
        (0, "1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
        (1_738_146_600, "2025-01-29T10:30:00Z", "Wed, 29 Jan 2025 10:30:00 GMT"),
        // RFC 9110 §5.6.7 contains this example.
        (784_111_777, "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "2000-02-29T00:00:00Z", "Tue, 29 Feb 2000 00:00:00 GMT"),
        (951_868_799, "2000-02-29T23:59:59Z", "Tue, 29 Feb 2000 23:59:59 GMT"),
        (951_868_800, "2000-03-01T00:00:00Z", "Wed, 01 Mar 2000 00:00:00 GMT"),
        (1_709_164_800, "2024-02-29T00:00:00Z", "Thu, 29 Feb 2024 00:00:00 GMT"),
        (-2_203_891_201, "1900-02-28T23:59:59Z", "Wed, 28 Feb 1900 23:59:59 GMT"),
        (-2_203_891_200, "1900-03-01T00:00:00Z", "Thu, 01 Mar 1900 00:00:00 GMT"),
        (4_107_542_399, "2100-02-28T23:59:59Z", "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "2100-03-01T00:00:00Z", "Mon, 01 Mar 2100 00:00:00 GMT"),
        (2_147_483_647, "2038-01-19T03:14:07Z", "Tue, 19 Jan 2038 03:14:07 GMT"),
        (2_147_483_648, "2038-01-19T03:14:08Z", "Tue, 19 Jan 2038 03:14:08 GMT"),
        (9_000_000_000, "2255-03-14T16:00:00Z", "Wed, 14 Mar 2255 16:00:00 GMT"),
        (-9_000_000_000, "1684-10-19T08:00:00Z", "Thu, 19 Oct 1684 08:00:00 GMT"),
    ]

    @Test("JSON has ISO 8601 timestamps in UTC, and header fields have HTTP dates", arguments: table)
    func text(seconds: Int64, wireText: String, httpDate: String) {
        let time = Timestamp(secondsSinceEpoch: seconds)
        #expect(time.wireText == wireText && time.httpDateText == httpDate && time.secondsSinceEpoch == seconds)
    }

    @Test("A timestamp rounds fractions of a second down", arguments: [Int64(0), 1, 500_000_000, 999_999_999])
    func fractions(nanoseconds: Int64) {
        for (seconds, wireText, httpDate) in Self.table {
            let time = Timestamp(secondsSinceEpoch: seconds).advanced(byNanoseconds: nanoseconds)
            #expect(time.secondsSinceEpoch == seconds && time.wireText == wireText && time.httpDateText == httpDate)
        }
    }

    @Test("Timestamps can represent both ends of their range")
    func extremes() {
        #expect(Timestamp(nanosecondsSinceEpoch: .max).wireText == "2262-04-11T23:47:16Z")
        #expect(Timestamp(nanosecondsSinceEpoch: .min).wireText == "1677-09-21T00:12:43Z")
    }

    static let formatter: DateFormatter = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter
    }()

    private func expectFoundationsText(of seconds: Int64, seed: UInt64) {
        let time = Timestamp(secondsSinceEpoch: seconds)
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        #expect(time.wireText == date.formatted(.iso8601), "seconds \(seconds), seed \(seed)")
        #expect(time.httpDateText == Self.formatter.string(from: date), "seconds \(seconds), seed \(seed)")
    }

    @Test(
        "With inAnyYear, a timestamp may have any year that nanoseconds can represent",
        arguments: [
            (Int64.min, "1677-09-21T00:12:43.145224192Z"), (-1, "1969-12-31T23:59:59.999999999Z"),
            (-1_000_000_000, "1969-12-31T23:59:59Z"), (-1_000_000_001, "1969-12-31T23:59:58.999999999Z"),
            (7_258_118_400_000_000_000, "2200-01-01T00:00:00Z"), (Int64.max, "2262-04-11T23:47:16.854775807Z"),
        ])
    func anyYear(nanoseconds: Int64, text: String) {
        let time = Timestamp(nanosecondsSinceEpoch: nanoseconds)
        #expect(Timestamp(text, inAnyYear: true) == time && Timestamp(text) == nil)
        #expect(Timestamp(time.nanosecondText, inAnyYear: true) == time)
    }

    @Test("A timestamp one nanosecond out of range is rejected")
    func beyondTheRange() {
        for text in [
            "1677-09-21T00:12:43.145224191Z", "2262-04-11T23:47:16.854775808Z", "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
        ] { #expect(Timestamp(text, inAnyYear: true) == nil, "\(text)") }
    }

    @Test("Timestamps agree with Foundation between 1900 and 2200", arguments: [UInt64(1), 2, 3])
    func foundation(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let (start, end): (Int64, Int64) = (-2_208_988_800, 7_258_118_400)  // 1900-01-01 to 2200-01-01
        for _ in 0..<2000 {
            expectFoundationsText(of: start + Int64(numbers.next(below: UInt64(end - start))), seed: seed)
        }
    }

    @Test("Timestamps agree with Foundation around the ends of February, March and the year")
    func seams() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for year in 1900...2200 {
            for (month, day) in [(1, 1), (2, 28), (3, 1), (12, 31)] {
                let date = try #require(calendar.date(from: DateComponents(year: year, month: month, day: day)))
                let midnight = Int64(date.timeIntervalSince1970)
                for seconds in [midnight - 1, midnight, midnight + 86_400] {
                    expectFoundationsText(of: seconds, seed: 0)
                }
            }
        }
    }

    @Test("The guides' decoder reads timestamps back", arguments: table.map(\.0))
    func decoder(seconds: Int64) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let text = Timestamp(secondsSinceEpoch: seconds).wireText
        let dates = try decoder.decode([Date].self, from: Data("[\"\(text)\"]".utf8))
        #expect(dates == [Date(timeIntervalSince1970: TimeInterval(seconds))])
    }

    @Test("Timestamps are ordered to the nanosecond")
    func order() {
        let times = [Int64.min, -1_000_000_001, -1, 0, 1, 999_999_999, 1_000_000_000, .max]
            .map(Timestamp.init(nanosecondsSinceEpoch:))
        #expect(times.shuffled().sorted() == times)
        #expect(Timestamp(secondsSinceEpoch: 1) == Timestamp(nanosecondsSinceEpoch: 1_000_000_000))
    }
}
