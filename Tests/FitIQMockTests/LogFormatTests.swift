import JSON
import Logging
import Testing

@testable import fitiq_mock

@Suite("The JSON log")
struct LogFormatTests {
    private func line(
        _ message: String, _ metadata: Logger.Metadata?, level: Logger.Level = .info, dropped: Int = 0
    ) -> String {
        let event = LogEvent(
            level: level, message: "\(message)", metadata: metadata, source: "test", file: "", function: "", line: 0)
        return LineLog.json(event, at: "2025-01-29T10:30:00Z", dropped: dropped)
    }

    @Test("A log line's members have a fixed order")
    func members() {
        let metadata: Logger.Metadata = [
            "status": .stringConvertible(409), "event": "exchange", "code": "EXISTS", "zebra": "z", "limit": "5",
            "method": "POST", "connection": .stringConvertible(3),
        ]
        #expect(
            line("POST / 409", metadata)
                == #"{"time":"2025-01-29T10:30:00Z","level":"info","event":"exchange","message":"POST / 409","connection":3,"#
                + #""method":"POST","status":409,"code":"EXISTS","limit":"5","zebra":"z"}"#)
        #expect(
            line("a \"b\"\n", nil, level: .warning, dropped: 7)
                == #"{"time":"2025-01-29T10:30:00Z","level":"warning","event":"message","message":"a \"b\"\n","dropped":7}"#
        )
    }

    @Test("A log line is always valid JSON and within its limit", arguments: ["a", "\u{0}", "\"", "é", "👩‍👩‍👧‍👦"])
    func limit(_ text: String) throws {
        for count in [1, 100, 990, 1000, 3900, 4000, 4096, 50_000] {
            let long = String(repeating: text, count: count)
            let metadata: Logger.Metadata = [
                "event": "exchange", "target": "\(long)", "reason": "\(long)", "user": "\(long)", "code": "\(long)",
                "cause": "\(long)", "faults": "\(long)", "world": "\(long)", "method": "\(long)",
            ]
            let line = line(long, metadata)
            #expect(line.utf8.count < LineOutput.limit)
            let value = try JSON.parse(Array(line.utf8))
            #expect(value["target"]?.string?.isEmpty == false && value.object?.count == 12)
        }
        let short = try JSON.parse(Array(line(String(repeating: "a", count: 3900), ["event": "x"]).utf8))
        #expect(short["message"]?.string?.count == 3900)
    }

    @Test("A log line leaves room for the line feed")
    func room() {
        let room = LineOutput.limit - line("", nil).utf8.count
        #expect(line(String(repeating: "a", count: room - 1), nil).utf8.count == LineOutput.limit - 1)
        #expect(line(String(repeating: "a", count: room), nil).utf8.count < LineOutput.limit - 1)
    }

    @Test("--log-format accepts text and json")
    func option() throws {
        for text in ["text", "json"] { _ = try HostOptions.parse(["--log-format", text]).logger() }
        let failure = #expect(throws: Failure.self) { try HostOptions.parse(["--log-format", "xml"]).logger() }
        #expect(failure?.exitCode == 2 && failure?.message.contains("--log-format") == true)
    }
}
