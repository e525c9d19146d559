import Foundation
import JSON
import Testing
import Traffic

@Suite("What is wrong with a HAR")
struct HARErrorTests {
    private static let good = #"""
        {"log":{"entries":[{"startedDateTime":"2025-01-29T10:30:00Z","time":1,"request":{"method":"GET",
        "url":"http://h/"},"response":{"status":200,"headers":[{"name":"a","value":"b"}],
        "content":{"size":1,"text":"x"}}},
        {"startedDateTime":"2025-01-29T10:30:01Z","time":1,"request":{"method":"GET","url":"ws://h/","postData":{}},
        "response":{"status":101},"_webSocketMessages":[{"type":"send","time":1738146601,"opcode":1,"data":"d"}],
        "_fitiq":{"socket":1,"controlFrames":[{"type":"send","time":1738146602,"opcode":9,"data":"","after":1}],
        "ending":{"time":1738146603,"by":"client","cause":"finish"}}}]}}
        """#

    struct Row: Sendable, CustomTestStringConvertible {
        var old: String
        var new: String
        var message: String
        var testDescription: String { "\(old) → \(new)" }
        init(_ old: String, _ new: String, _ message: String) {
            self.old = old
            self.new = new
            self.message = message
        }
    }

    static let date = "a date and time such as \"2025-01-29T10:30:00.000Z\", from 1970 to 2199"
    static let seconds = "a time in seconds or milliseconds since 1970, until 2199"

    static let rows = [
        Row(#"{"log":{"#, #"{"logs":{"#, "log: expected an object, found nothing"),
        Row(#"{"log":{"#, #"{"log":1,"x":{"#, "log: expected an object, found a number: 1"),
        Row(#""entries":["#, #""items":["#, "log.entries: expected an array, found nothing"),
        Row(#"[{"startedDateTime""#, #"[7,{"startedDateTime""#, "entry 1: expected an object, found a number: 7"),
        Row(
            "\"2025-01-29T10:30:00Z\"", "\"yesterday\"",
            "entry 1, startedDateTime: expected \(date), found a string: \"yesterday\""),
        Row(
            "\"2025-01-29T10:30:00Z\"", "\"1969-12-31T23:59:59Z\"",
            "entry 1, startedDateTime: expected \(date), found a string: \"1969-12-31T23:59:59Z\""),
        Row(
            "\"2025-01-29T10:30:00Z\"", "\"2025-02-30T10:30:00\"",
            "entry 1, startedDateTime: expected \(date), found a string: \"2025-02-30T10:30:00\". "
                + "Month 2 of 2025 has 28 days, and no day 30."),
        Row(
            "\"2025-01-29T10:30:00Z\"", "\"0001-01-01T00:00:00\"",
            "entry 1, startedDateTime: expected \(date), found a string: \"0001-01-01T00:00:00\""),
        Row(
            "2025-01-29T10:30:01Z", "\\u001b[31m",
            "entry 2, startedDateTime: expected \(date), found a string: \"\\u001b[31m\""),
        Row(
            "2025-01-29T10:30:01Z", "\u{202E}x",
            "entry 2, startedDateTime: expected \(date), found a string: \"\\u{202E}x\""),
        Row(#""method":"GET","#, "", "entry 1, request.method: expected a string, found nothing"),
        Row(
            #""url":"http://h/""#, #""url":{"a":[1,true,null]}"#,
            #"entry 1, request.url: expected a string, found an object: {"a":[1,true,null]}"#),
        Row(
            #""status":200"#, #""status":"200""#,
            "entry 1, response.status: expected a status from 100 to 999, or 0 where there was no answer, "
                + "found a string: \"200\""),
        Row(
            #""status":200"#, #""status":99"#,
            "entry 1, response.status: expected a status from 100 to 999, or 0 where there was no answer, "
                + "found a number: 99"),
        Row(
            #""status":200"#, #""state":1000"#,
            "entry 1, response.status: expected a status from 100 to 999, or 0 where there was no answer, "
                + "found nothing"),
        Row(
            #""value":"b""#, #""value":null"#,
            "entry 1, response.headers[0].value: expected a string, found null"),
        Row(#""text":"x""#, #""text":[]"#, "entry 1, response.content.text: expected a string, found an array: []"),
        Row(
            #""postData":{}"#, #""postData":{"text":1}"#,
            "entry 2, request.postData.text: expected a string, found a number: 1"),
        Row(
            #""type":"send","time":1738146601"#, #""type":"sent","time":1738146601"#,
            "entry 2, _webSocketMessages[0].type: expected \"send\" or \"receive\", found a string: \"sent\""),
        Row(
            "1738146601", "99999999999",
            "entry 2, _webSocketMessages[0].time: expected \(seconds), found a number: 99999999999"),
        Row("1738146601", "1e400", "entry 2, _webSocketMessages[0].time: expected \(seconds), found a number: 1e400"),
        Row("1738146601", "-5", "entry 2, _webSocketMessages[0].time: expected \(seconds), found a number: -5"),
        Row(
            #""opcode":1,"data":"d""#, #""opcode":1"#,
            "entry 2, _webSocketMessages[0].data: expected a string, found nothing"),
        Row(
            #""socket":1"#, #""socket":-1"#,
            "entry 2, _fitiq.socket: expected a number from 0, found a number: -1"),
        Row(
            #""socket":1"#, #""bodyBase64":"!""#,
            "entry 2, _fitiq.bodyBase64: expected base64, found a string: \"!\""),
        Row(
            #""opcode":9"#, #""opcode":1"#,
            "entry 2, _fitiq.controlFrames[0].opcode: expected 8 (close), 9 (ping) or 10 (pong), found a number: 1"),
        Row(
            #""after":1"#, #""before":1"#,
            "entry 2, _fitiq.controlFrames[0].after: expected a number from 0, found nothing"),
        Row(
            #""by":"client""#, #""by":"me""#,
            "entry 2, _fitiq.ending.by: expected \"client\" or \"server\", found a string: \"me\""),
        Row(
            #""cause":"finish""#, #""cause":"end""#,
            "entry 2, _fitiq.ending.cause: expected \"close_frame\", \"finish\" or \"reset\", "
                + "found a string: \"end\""),
        Row(
            #""time":1738146603"#, #""time":null"#,
            "entry 2, _fitiq.ending.time: expected \(seconds), found null"),
    ]

    private func message(_ bytes: [UInt8], limits: HARLimits = HARLimits()) -> String {
        do throws(HARError) {
            _ = try HARFile(reading: bytes, limits: limits)
            return "read"
        } catch {
            return error.description
        }
    }

    @Test("The place and what was expected are told", arguments: rows)
    func place(_ row: Row) throws {
        #expect(message(Array(Self.good.utf8)) == "read")
        let range = try #require(Self.good.range(of: row.old))
        #expect(message(Array(Self.good.replacingCharacters(in: range, with: row.new).utf8)) == row.message)
    }

    @Test("Files that are something else are told as such")
    func whole() {
        let empty = "the file is empty; expected a HAR, as browsers, proxies and 'fitiq-mock record' write it"
        #expect(message([]) == empty)
        #expect(message(Array("\u{FEFF} \n".utf8)) == empty)
        let unpack = "not JSON; unpack it and give the HAR inside"
        #expect(message(Array("PK\u{3}\u{4}…".utf8)) == "this is a zip archive, \(unpack)")
        #expect(message([0x78, 0xDA, 0x01]) == "this is compressed by zlib, \(unpack)")
        #expect(message([0x1F, 0x8B, 0x08]) == "this is compressed by gzip, \(unpack)")
        let utf16 = "this is UTF-16, and JSON is UTF-8; save it as UTF-8, or convert it with 'iconv -f UTF-16 -t UTF-8'"
        for start in [[0xFF, 0xFE], [0xFE, 0xFF], []] as [[UInt8]] {
            let isBig = start == [0xFE, 0xFF]
            let units = "{}".utf16.flatMap {
                isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
            }
            #expect(message(start + units) == utf16)
        }
        #expect(message(Array("<html>".utf8)).hasPrefix("this is not valid JSON: line 1, column 1: "))
        #expect(message(Array("[]".utf8)) == "expected an object, found an array: []")
    }

    @Test("Limits are told")
    func limits() {
        let bytes = Array(Self.good.utf8)
        #expect(
            message(bytes, limits: HARLimits(bytes: bytes.count - 1))
                == "more than \(bytes.count - 1) bytes, which is the most that is read; record a shorter session")
        #expect(message(bytes, limits: HARLimits(bytes: bytes.count)) == "read")
        #expect(message(bytes, limits: HARLimits(entries: 2)) == "read")
        #expect(
            message(bytes, limits: HARLimits(entries: 1))
                == "more than 1 entry, which is the most that is read")
        #expect(message(bytes, limits: HARLimits(values: 10)).contains("10 values"))
        #expect(HARLimits().bytes == 256 << 20 && HARLimits().values == 10_000_000 && HARLimits().entries == 100_000)
    }

    @Test("Files beside the HAR count as well")
    func attachments() {
        let bytes = Array(Dialects.playwright.utf8)
        func read(_ limit: Int) -> String {
            do throws(HARError) {
                _ = try HARFile(reading: bytes, limits: HARLimits(bytes: limit)) { Dialects.attachments[$0] }
                return "read"
            } catch {
                return error.description
            }
        }
        let sum = bytes.count + Dialects.attachments.values.reduce(0) { $0 + $1.count }
        #expect(read(sum) == "read")
        #expect(read(sum - 1).hasPrefix("entry 2: more than \(sum - 1) bytes"))
    }

    @Test("A line of messages that is not JSON is told by its number in its file")
    func messageLine() {
        let message = #"{"type":"send","time":1738146601500,"opcode":1,"data":"a"}"#
        let files = ["messages.jsonl": Array("\(message)\nx\n\(message)\n".utf8)]
        let error = #expect(throws: HARError.self) {
            try HARFile(reading: Array(Dialects.playwright.utf8)) { files[$0] ?? Dialects.attachments[$0] }
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("entry 2, messages.jsonl: this is not valid JSON: line 2, column 1: "), "\(text)")
    }

    @Test(
        "Notes are sentences",
        arguments: [
            (HARNote.torn(entries: 1), "the file ends in the middle, as when a recorder is killed; 1 entry is whole"),
            (.torn(entries: 2), "the file ends in the middle, as when a recorder is killed; 2 entries are whole"),
            (
                .loneSurrogates(3),
                "3 characters that are not Unicode (half a surrogate pair) were replaced by U+FFFD"
            ),
            (
                .missingAttachment(name: "a.jsonl", entry: 4),
                "entry 4: the file 'a.jsonl', which holds what was sent, is not next to the HAR"
            ),
            (.loneSurrogates(1), "1 character that is not Unicode (half a surrogate pair) was replaced by U+FFFD"),
            (.lost(.body, count: 1, entries: [3]), "1 body was not recorded (entry 3); save the HAR with its content"),
            (
                .lost(.body, count: 6, entries: [1, 2, 3, 4, 5, 6]),
                "6 bodies were not recorded (entries 1, 2, 3, 4, 5, …); save the HAR with its content"
            ),
            (
                .lost(.body, count: 5, entries: [1, 2, 3, 4, 5]),
                "5 bodies were not recorded (entries 1, 2, 3, 4 and 5); save the HAR with its content"
            ),
            (
                .lost(.unreadableBody, count: 1, entries: [1]),
                "1 body is not in the encoding that the file names, as in a sanitised file (entry 1): it counts as not "
                    + "recorded"
            ),
            (
                .lost(.unreadableBody, count: 2, entries: [1, 4]),
                "2 bodies are not in the encoding that the file names, as in a sanitised file (entries 1 and 4): they "
                    + "count as not recorded"
            ),
            (.lost(.cutBody, count: 1, entries: [2]), "1 body was cut or left out by the recorder (entry 2)"),
            (.lost(.cutBody, count: 2, entries: [2]), "2 bodies were cut or left out by the recorder (entry 2)"),
            (.lost(.shortBody, count: 1, entries: [2]), "1 body is shorter than its size (entry 2)"),
            (.lost(.shortBody, count: 2, entries: [2, 3]), "2 bodies are shorter than their sizes (entries 2 and 3)"),
            (
                .lost(.formFile, count: 1, entries: [9]),
                "the files of 1 form were not recorded (entry 9); save the HAR with its content"
            ),
            (
                .lost(.message, count: 1, entries: [3]),
                "1 WebSocket message that is neither text nor binary was left out (entry 3)"
            ),
            (
                .lost(.message, count: 6, entries: [3, 4]),
                "6 WebSocket messages that are neither text nor binary were left out (entries 3 and 4)"
            ),
            (
                .lost(.unreadableMessage, count: 1, entries: [3]),
                "1 WebSocket message that should be base64 and is not was left out (entry 3)"
            ),
            (.lost(.cutMessage, count: 2, entries: [3]), "2 WebSocket messages were cut by the recorder (entry 3)"),
            (
                .lost(.strayMessage, count: 1, entries: [3]),
                "1 WebSocket message in an entry that is no open WebSocket was left out (entry 3)"
            ),
            (
                .lost(.strayMessage, count: 2, entries: [3, 5]),
                "2 WebSocket messages in entries that are no open WebSocket were left out (entries 3 and 5)"
            ),
            (
                .lost(.messages, count: 2, entries: [3, 5]),
                "the messages of 2 WebSockets were not recorded (entries 3 and 5)"
            ),
            (.recorded("The disk was full."), "The disk was full."),
        ])
    func notes(_ note: HARNote, _ text: String) { #expect(note.description == text) }
}
