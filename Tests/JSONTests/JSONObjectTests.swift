import Testing

@testable import JSON

@Suite("Objects") struct JSONObjectTests {
    /// Objects just below and above the size where indexing starts.
    static let sizes = [0, 1, 2, 15, 16, 17, 18, 40]

    static func object(_ count: Int) -> JSONObject {
        JSONObject((0..<count).map { (key: "k\($0)", value: JSONValue(integerLiteral: $0)) })
    }

    @Test("An object keeps its members in order and finds each by name", arguments: sizes)
    func order(_ count: Int) {
        let object = Self.object(count)
        #expect(object.count == count)
        #expect(object.isEmpty == (count == 0))
        #expect(object.keys == (0..<count).map { "k\($0)" })
        #expect(object.map(\.value.int) == Array(0..<count))
        for number in 0..<count { #expect(object["k\(number)"]?.int == number) }
        #expect(object["k\(count)"] == nil)
    }

    @Test("Objects with the same members in any order are equal and have equal hashes", arguments: sizes)
    func equality(_ count: Int) {
        let object = Self.object(count)
        let reversed = JSONObject(object.members.reversed())
        #expect(object == reversed)
        #expect(object.hashValue == reversed.hashValue)
        if count > 0 {
            var changed = object
            changed["k0"] = "other"
            #expect(object != changed)
            var renamed = object
            renamed["k0"] = nil
            renamed["other"] = 0
            #expect(object != renamed)
        }
    }

    @Test("An object can replace, append and remove members", arguments: sizes)
    func mutation(_ count: Int) {
        var object = Self.object(count)
        object["new"] = true
        #expect(object.keys.last == "new")
        object["new"] = false
        #expect(object["new"] == false)
        #expect(object.count == count + 1)
        for number in 0..<count {
            object["k\(number)"] = nil
            #expect(object["k\(number)"] == nil)
            #expect(object.count == count - number)
        }
        #expect(object == ["new": false])
        object["absent"] = nil
        #expect(object.count == 1)
    }

    @Test("A repeated member name takes its last value and keeps its first position", arguments: sizes)
    func repeated(_ count: Int) throws {
        let members = (0..<count).map { #""k\#($0)":\#($0)"# }
        let text = "{" + ([#""x":1"#] + members + [#""x":2"#]).joined(separator: ",") + "}"
        let object = try #require(try JSON.parse(text).object)
        #expect(object.keys == ["x"] + (0..<count).map { "k\($0)" })
        #expect(object["x"] == 2)
        for number in 0..<count { #expect(object["k\(number)"]?.int == number) }
    }

    /// The fuzzer found that the indexes of two objects may have different orders even if their members are equal.
    @Test("Two objects are exactly equal only if their members have the same order", arguments: [16, 17, 40, 200])
    func exactly(_ count: Int) {
        let once = JSONObject((0..<count).map { (key: "k\($0)", value: JSONValue.string("v\($0)")) })
        var grown: JSONObject = [:]
        for (key, value) in once { grown[key] = value }
        #expect(once.isExactly(grown))
        #expect(JSONValue.object(once).isExactly(.object(grown)))
        let turned = JSONObject(once.reversed())
        #expect(once == turned && !once.isExactly(turned))
    }

    @Test("An object distinguishes member names by code units", arguments: sizes)
    func codeUnits(_ count: Int) throws {
        // These names are equal as Swift strings but different in JSON (RFC 8259, section 8.3).
        var object = Self.object(count)
        object["\u{E9}"] = "composed"
        object["e\u{301}"] = "decomposed"
        #expect(object.count == count + 2)
        #expect(object["\u{E9}"] == "composed")
        #expect(object["e\u{301}"] == "decomposed")
        #expect(try JSON.parse(JSONValue.object(object).encoded()).object?.count == count + 2)
    }
}
