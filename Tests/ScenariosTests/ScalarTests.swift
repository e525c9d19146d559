import Testing

@testable import Scenarios

/// For each notation of a single value: the result and its position.
///
/// YAML 1.1 would resolve many of these words to numbers, truth values and dates. Here every word remains a word,
/// because its position determines its meaning.
@Suite("YAML scalars")
struct ScalarTests {
    static func tree(_ text: String) throws(TreeError) -> Node { try TreeBuilder.tree(ofYAML: Array(text.utf8)) }

    /// The value of the key `a`.
    static func value(_ text: String) throws -> Node {
        guard case .mapping(let members) = try tree("a: \(text)").content, members.count == 1 else {
            return Node(.text("This is not a mapping of one key."))
        }
        return members[0].value
    }

    @Test("The tree keeps plain words as words, not as numbers, booleans or dates")
    func words() throws {
        let words = [
            "true", "True", "TRUE", "false", "yes", "Yes", "no", "No", "NO", "on", "off", "y", "n", "0", "-0", "+7",
            "07", "0o17", "0x1F", "0b11", "1_000", "1e3", "1.5", ".5", "-.5", ".inf", "-.Inf", ".nan", "1:30",
            "190:20:30", "2025-01-29", "2025-01-29T10:30:00Z", "2001-12-14t21:59:43.10-05:00", "<<", "=", "Null",
            "NULL", "nil", "none", "~x", "nullable", "1.5s", "3d ago", "2..4", "a b", "a#b", "a:b", "http://x/y?z",
            "-x", "?x", ":x", "naïve", "日本語", "🥚", "e\u{301}", "\u{E9}", "a'b", "a\"b", "a,b", "a[b]", "a{b}", "a&b",
            "a*b", "a!b", "a|b", "a>b", "a%b", "a@b", "a`b", "\\n", "\\", "x\u{A0}y",
        ]
        for word in words {
            #expect(try Self.value(word) == Node(.plain(word), at: Position(line: 1, column: 4)), "\(word)")
        }
    }

    @Test("The tree reads each notation of null", arguments: ["", "~", "null", " ", " # a comment", "&x", "&x ~"])
    func nothing(_ text: String) throws { #expect(try Self.value(text).content == .null) }

    @Test("Quotation marks, blocks and !!str turn any word into a string")
    func texts() throws {
        let rows: [(String, Node.Content)] = [
            ("'null'", .text("null")), ("\"7\"", .text("7")), ("''", .text("")), ("\"\"", .text("")),
            ("'it''s'", .text("it's")), (#""\x41\u00e9\U0001F95A\n\t\0\/\"\\""#, .text("Aé🥚\n\t\0/\"\\")),
            ("|\n  x\n  y\n", .text("x\ny\n")), ("|-\n  x\n", .text("x")), ("|+\n  x\n\n", .text("x\n\n")),
            (">\n  x\n  y\n\n  z\n", .text("x y\nz\n")), (">-\n  7\n", .text("7")), ("|2\n   x\n", .text(" x\n")),
            ("'x\n\n  y'", .text("x\ny")), ("\"x \\\n  y\"", .text("x y")), ("!!str 7", .text("7")),
            ("!!str", .text("")), ("!!str null", .text("null")), ("!!str ''", .text("")),
            ("!<tag:yaml.org,2002:str> 7", .text("7")), ("! 7", .text("7")), ("! ~", .text("~")), ("! ", .text("")),
            ("! '7'", .text("7")), ("&x 7", .plain("7")), ("&x '7'", .text("7")), ("x\n  y", .plain("x y")),
            ("x\n\n  y", .plain("x\ny")), ("7 # a comment", .plain("7")), ("x #y", .plain("x")),
            ("!!seq []", .list([])), ("!!map {}", .mapping([])), ("! []", .list([])), ("! {}", .mapping([])),
            ("[]", .list([])), ("{}", .mapping([])), ("!!map []", .list([])), ("!!str []", .list([])),
            ("!!seq 7", .text("7")),
        ]
        for (text, content) in rows { #expect(try Self.value(text).content == content, "\(text)") }
    }

    @Test(
        "The error for any other tag states the location of its value",
        arguments: [
            ("!!int 7", "tag:yaml.org,2002:int"), ("!!null ~", "tag:yaml.org,2002:null"),
            ("!!bool 'true'", "tag:yaml.org,2002:bool"),
            ("!x 7", "!x"), ("!x []", "!x"), ("!x {}", "!x"), ("!!set {b}", "tag:yaml.org,2002:set"), ("!<x> 7", "x"),
            ("!!omap [{b: c}]", "tag:yaml.org,2002:omap"), ("&y !x 7", "!x"), ("[!x 7]", "!x"),
        ])
    func tags(_ text: String, _ tag: String) throws {
        let column = text.hasPrefix("[") ? 5 : 4
        let error = #expect(throws: TreeError.self) { try Self.value(text) }
        #expect(error?.message == Messages.unknownTag(tag) && error?.position == Position(line: 1, column: column))
    }

    @Test("The tree records the locations of values and keys, including columns within scalars")
    func places() throws {
        let tree = try Self.tree("é🥚: [1,\n  {b: &x c,\n? d\n: *x}]\n")
        let c = Node(.plain("c"), at: Position(line: 2, column: 7))
        let inner = Node(
            .mapping([
                Node.Member(key: "b", keyPosition: Position(line: 2, column: 4), value: c),
                Node.Member(key: "d", keyPosition: Position(line: 3, column: 3), value: c),
            ]), at: Position(line: 2, column: 3))
        let list = Node(
            .list([Node(.plain("1"), at: Position(line: 1, column: 6)), inner]), at: Position(line: 1, column: 5))
        let member = Node.Member(key: "é🥚", keyPosition: Position(line: 1, column: 1), value: list)
        #expect(tree == Node(.mapping([member]), at: Position(line: 1, column: 1)))
    }

    @Test("Messages quote values except words of up to 60 bytes")
    func shortenedWords() {
        let word = String(repeating: "é", count: 30)
        #expect(Messages.shortened(word) == word && Messages.shortened(word + "a") == Messages.quoted(word + "a"))
        for text in ["a b", "a\u{7F}", "a\n"] { #expect(Messages.shortened(text) == Messages.quoted(text)) }
    }

    @Test("The tree reads a quoted, tagged, anchored or aliased key as its text")
    func keys() throws {
        let tree = try Self.tree("'a': &k b\n!!str c: 1\n? !x d\n*k : 2\n7: 3\n~: 4\n? \n: 5\n")
        guard case .mapping(let members) = tree.content else { return #expect(Bool(false), "No mapping.") }
        #expect(members.map(\.key) == ["a", "c", "d", "b", "7", "~", ""])
        #expect((members[3].keyPosition, members[2].value.content) == (Position(line: 1, column: 6), .null))
    }
}
