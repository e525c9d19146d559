import Testing

@testable import JSON

@Suite("The writer") struct JSONWriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(reserving: 64)
        body(&writer)
        #expect(writer.isComplete)
        #expect(throws: Never.self) { try JSON.parse(writer.bytes) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("The writer separates members with commas and keeps their order")
    func members() {
        let text = written { writer in
            writer.beginObject()
            writer.member("id", "a1")
            writer.member("count", 3)
            writer.member("ratio", 0.25)
            writer.member("calories", fixed: 198, fractionDigits: 1)
            writer.member("done", false)
            writer.memberNull("goal")
            writer.member("any", ["x": [1]] as JSONValue)
            writer.member("raw", raw: Array("[true]".utf8))
            writer.key(escaping: "né\"w")
            writer.value(1)
            writer.endObject()
        }
        #expect(
            text == #"{"id":"a1","count":3,"ratio":0.25,"calories":198.0,"done":false,"goal":null,"any":{"x":[1]},"#
                + #""raw":[true],"né\"w":1}"#)
    }

    @Test("The writer can omit absent values or print null for them")
    func optionals() {
        let text = written { writer in
            writer.object { writer in
                writer.member("a", ifPresent: nil as String?)
                writer.member("b", ifPresent: "x")
                writer.member("c", ifPresent: nil as Int?)
                writer.member("d", ifPresent: 1)
                writer.member("e", ifPresent: nil as Double?)
                writer.member("f", ifPresent: 1.5)
                writer.member("g", orNull: nil)
                writer.member("h", orNull: "y")
            }
        }
        #expect(text == #"{"b":"x","d":1,"f":1.5,"g":null,"h":"y"}"#)
    }

    private struct Plain: PlainJSONText {
        let text: String

        func write(into room: UnsafeMutableBufferPointer<UInt8>) -> Int {
            for (place, byte) in text.utf8.enumerated() { room[place] = byte }
            return text.utf8.count
        }
    }

    @Test("The writer copies strings that need no escaping", arguments: [0, 1, plainTextLimit])
    func plain(length: Int) {
        let text = String(repeating: "x", count: length)
        let output = written { writer in
            writer.object { writer in
                writer.member("a", Plain(text: text))
                writer.member("b", ifPresent: nil as Plain?)
                writer.member("c", ifPresent: Plain(text: text))
                writer.member("d", orNull: nil as Plain?)
                writer.member("e", orNull: Plain(text: text))
                writer.member("f", 1)
            }
        }
        #expect(output == #"{"a":"\#(text)","c":"\#(text)","d":null,"e":"\#(text)","f":1}"#)
    }

    @Test("The writer nests arrays and objects")
    func nesting() {
        let text = written { writer in
            writer.array { writer in
                writer.array { _ in }
                writer.object { _ in }
                writer.array { writer in
                    writer.value(1)
                    writer.value("two")
                    writer.value(3.5)
                    writer.value(true)
                    writer.null()
                    writer.raw(Array("[6]".utf8)[...])
                }
                writer.object { writer in
                    writer.object("o") { $0.member("x", 1) }
                    writer.array("a") { _ in }
                    writer.array("b") { $0.value(2) }
                }
                writer.value(7)
            }
        }
        #expect(text == #"[[],{},[1,"two",3.5,true,null,[6]],{"o":{"x":1},"a":[],"b":[2]},7]"#)
    }

    @Test("The writer accepts a scalar as the whole document")
    func scalars() {
        #expect(written { $0.value("x") } == "\"x\"")
        #expect(written { $0.value(1) } == "1")
        #expect(written { $0.null() } == "null")
    }

    @Test("The writer nests 64 levels")
    func deepest() {
        let text = written { writer in
            for level in 0..<64 {
                if level.isMultiple(of: 3) {
                    writer.beginObject()
                    writer.key("a")
                } else {
                    writer.beginArray()
                }
            }
            writer.value(0)
            for level in (0..<64).reversed() {
                if level.isMultiple(of: 3) { writer.endObject() } else { writer.endArray() }
            }
        }
        #expect(text.hasPrefix(#"{"a":[[{"a":[[{"#) && text.hasSuffix("]]}]]}"))
    }

    @Test("The writer can append to existing bytes and start over")
    func reuse() {
        var writer = JSONWriter(appendingTo: Array("data: ".utf8))
        #expect(!writer.isComplete)
        writer.object { $0.member("a", 1) }
        #expect(writer.isComplete)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"data: {"a":1}"#)
        writer.removeAll()
        #expect(writer.bytes.isEmpty && writer.count == 0 && !writer.isComplete)
        writer.array { $0.value(1) }
        #expect(String(decoding: writer.takeBytes(), as: UTF8.self) == "[1]")
        #expect(writer.bytes.isEmpty && writer.count == 0 && !writer.isComplete)
        writer.value(2)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "2")
    }

    @Test("The writer's output does not depend on its reserved capacity", arguments: [0, 1, 7, 64, 300])
    func room(reserved: Int) {
        // Alternate values that fit into the reserved space and values that are appended, with every length.
        var writer = JSONWriter(reserving: reserved)
        var expected: [String] = []
        writer.beginArray()
        for length in 0..<400 {
            let text = String(repeating: "x", count: length)
            writer.value(text)
            writer.value(text + "\n")
            writer.value(length - 200)
            writer.value(Double(length) + 0.5)
            writer.value(length.isMultiple(of: 2))
            writer.object { writer in
                writer.member("n", length)
                writer.member("raw", raw: Array("[\(length)]".utf8))
                writer.members(of: Array(#"{"m":1}"#.utf8))
            }
            expected += [
                "\"\(text)\"", "\"\(text)\\n\"", "\(length - 200)", "\(length).5", "\(length.isMultiple(of: 2))",
                #"{"n":\#(length),"raw":[\#(length)],"m":1}"#,
            ]
            #expect(writer.count == expected.joined(separator: ",").utf8.count + 1)
        }
        writer.endArray()
        #expect(String(decoding: writer.takeBytes(), as: UTF8.self) == "[" + expected.joined(separator: ",") + "]")
    }

    @Test("The writer can append to an array of bytes and drain its output into one")
    func moving() {
        var output = Array("data: ".utf8)
        JSONWriter.append(to: &output) { $0.object { $0.member("a", "b") } }
        #expect(String(decoding: output, as: UTF8.self) == #"data: {"a":"b"}"#)
        var writer = JSONWriter()
        writer.beginArray()
        writer.value(1)
        writer.drain(into: &output)
        writer.value("two")
        writer.endArray()
        writer.drain(into: &output)
        #expect(writer.count == 0 && writer.isComplete)
        #expect(String(decoding: output, as: UTF8.self) == #"data: {"a":"b"}[1,"two"]"#)
    }

    static let escapes: [(String, String)] =
        [
            ("", ""), ("plain", "plain"), ("a/b", "a/b"), ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#),
            ("\r", #"\r"#),
            ("\t", #"\t"#), ("\u{08}", #"\b"#), ("\u{0C}", #"\f"#), ("\u{7F}", "\u{7F}"), ("é€😀", "é€😀"),
            ("\u{2028}", "\u{2028}"), ("<script>&'", "<script>&'"), ("\"\"\"", #"\"\"\""#),
            ("a\"b\\c\nd", #"a\"b\\c\nd"#),
            ("a b\n", #"a b\n"#),
            ("\r\n", #"\r\n"#), ("e\u{301}", "e\u{301}"),
        ]
        + [0, 1, 7, 0x0B, 0x0E, 0x0F, 0x10, 0x19, 0x1A, 0x1E, 0x1F].map { value in
            let hex = String(value, radix: 16)
            return (String(Unicode.Scalar(UInt8(value))), #"\u00"# + (hex.count == 1 ? "0" : "") + hex)
        }

    @Test("The writer escapes only the characters that RFC 8259 requires", arguments: escapes)
    func escape(string: String, escaped: String) throws {
        let bytes = Array("\"\(escaped)\"".utf8)
        var writer = JSONWriter()
        writer.value(string)
        #expect(writer.bytes == bytes)
        #expect(JSONValue.string(string).encoded() == bytes)
        #expect(try JSON.parse(bytes) == .string(string))
    }

    @Test("Writing an object's first value without a name traps")
    func valueWithoutName() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.beginObject()
            writer.value(1)
        }
    }

    @Test("Writing an object's second value without a name traps")
    func secondValueWithoutName() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("a", 1)
            writer.value(1)
        }
    }

    @Test("Writing a name in an array traps")
    func nameInArray() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.beginArray()
            writer.key("a")
        }
    }

    @Test("Ending an object after a name without a value traps")
    func nameWithoutValue() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("a")
            writer.endObject()
        }
    }

    @Test("Ending an array as an object traps")
    func wrongEnd() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.beginArray()
            writer.endObject()
        }
    }

    @Test("Writing a second top-level value traps")
    func secondValue() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.value(1)
            writer.value(2)
        }
    }

    @Test("Writing a number that JSON cannot represent traps")
    func notFinite() async {
        await #expect(processExitsWith: .failure) {
            var writer = JSONWriter()
            writer.value(Double.infinity)
        }
    }
}
