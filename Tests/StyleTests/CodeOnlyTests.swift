import Testing

@Suite("Code without comments and literals")
struct CodeOnlyTests {
    @Test(
        "The filter blanks comments and literals and keeps code and interpolated code",
        arguments: [
            ("a // b", "a     "),
            ("a /// b\nc", "a      \nc"),
            ("a /* b */ c", "a         c"),
            ("a /* b /* c */ d */ e", "a                   e"),
            ("a /* b\nc */ d", "a     \n     d"),
            (#"f("a")"#, "f(   )"),
            (#"f("a\"b")"#, "f(      )"),
            (#"f("// no comment")"#, "f(               )"),
            (#"f("a\(b)c")"#, "f(   (b)  )"),
            (#"f("a\(g("b"))c")"#, "f(   (g(   ))  )"),
            (##"f(#"a"b\(c)"#)"##, "f(           )"),
            (##"f(#"a\#(b)c"#)"##, "f(     (b)   )"),
            ("f(\"\"\"\n a \"quoted\" b\n \\(c)\n \"\"\")", "f(   \n             \n  (c)\n    )"),
            (#"f("") + g"#, "f(  ) + g"),
            (#"#expect(a, "b")"#, "#expect(a,    )"),
            (#"f("open"#, "f(     "),
            ("/* open", "       "),
            ("f(\"open\ng", "f(     \ng"),
        ])
    func blanks(_ text: String, _ code: String) {
        #expect(String(decoding: CodeOnly.blankingTheRest(of: Array(text.utf8)), as: UTF8.self) == code)
    }

    @Test("The filter separates literals from code and comments line by line")
    func literals() {
        let text = "f(\"a\\(b)c\") // \"d\"\ng(\"\"\"\n \"h\" \\(\"i\")\n \"\"\")"
        let literals = CodeOnly.parts(of: Array(text.utf8)).literals
        #expect(String(decoding: literals, as: UTF8.self) == "   a    c         \n     \n \"h\"    i  \n     ")
    }

    @Test("The filter preserves the length and lines of any text")
    func cutAnywhere() {
        let text = Array("a /* b /* c */ */ \"d\\(e(\"f\"))\\n\" #\"g\"# \"\"\"\n h \\(i) \n\"\"\" // j\nk".utf8)
        for end in 0...text.count {
            let code = CodeOnly.blankingTheRest(of: Array(text[..<end]))
            #expect(code.count == end)
            let newline = UInt8(ascii: "\n")
            #expect(code.indices.filter { code[$0] == newline } == text[..<end].indices.filter { text[$0] == newline })
        }
    }
}
