import JSON
import Testing

/// Strings are scanned eight bytes at a time, so the byte that ends the scan must be found at every position.
@Suite("Scanning strings")
struct StringScanTests {
    static let pieces: [(text: String, decoded: String)] = [
        (#"\""#, "\""), (#"\\"#, "\\"), (#"\n"#, "\n"), (#"\u0041"#, "A"), (#"\ud83d\ude00"#, "\u{1F600}"),
        ("\u{7F}", "\u{7F}"), (" ", " "), ("!", "!"), ("#", "#"), ("[", "["), ("]", "]"), ("\u{E9}", "\u{E9}"),
        ("\u{20AC}", "\u{20AC}"), ("\u{1F600}", "\u{1F600}"),
    ]

    @Test("An escape or character decodes at every offset in a string", arguments: pieces)
    func decodes(_ piece: (text: String, decoded: String)) throws {
        for before in 0...17 {
            for after in 0...17 {
                let (head, tail) = (String(repeating: "x", count: before), String(repeating: "y", count: after))
                let twice = piece.text + tail + piece.text
                let value = try JSON.parse(#"["\#(head)\#(twice)","\#(tail)"]"#)
                #expect(value == [.string(head + piece.decoded + tail + piece.decoded), .string(tail)])
            }
        }
    }

    @Test(
        "The parser rejects a bad byte at every offset in a string",
        arguments: Array(0..<0x20) + [0x80, 0xBF, 0xC0, 0xC1, 0xF5, 0xFF])
    func refuses(_ byte: UInt8) throws {
        for before in 0...17 {
            for after in 0...17 {
                let (head, tail) = (Array(repeating: UInt8(ascii: "x"), count: before), Array("\(after)y\"".utf8))
                let error = #expect(throws: JSONError.self) {
                    try JSON.parse([UInt8(ascii: "\"")] + head + [byte] + Array(repeating: 0x79, count: after) + tail)
                }
                #expect(error?.offset == before + 1)
            }
        }
    }
}

@Suite("Members in order")
struct MemberOrderTests {
    @Test("A member lookup finds each member from every starting position", arguments: [0, 1, 2, 16, 17, 40])
    func found(_ count: Int) {
        let names = (0..<count).map { "name \($0 % 7) \($0)" }
        let object = JSONObject(names.map { ($0, JSONValue.string($0)) })
        for start in 0...(count + 2) {
            for (place, name) in names.enumerated() {
                var position = start
                #expect(object.value(of: name, from: &position) == .string(name))
                #expect(position == place + 1)
            }
            var position = start
            #expect(object.value(of: "name", from: &position) == nil && position == start)
        }
    }
}
