import Testing

@testable import FitIQBackend

@Suite("Fields in script texts") struct TextTemplateTests {
    @Test(
        "The template check counts the fields in a template",
        arguments: [
            ("", 0), ("{{now", 0), ("{now}", 0), ("{", 0), ("{{now}", 0),
            ("{{now}}", 1), ("a {{ content }}{{user.name}} b", 2), ("{{goal.title}}", 1),
            (#"{{"{{"}}, {{now}}, {{now}}"#, 3), ("{{random -1000000000 1000000000}}", 1), ("{{random 6 6}}", 1),
        ])
    func count(text: String, count: Int) throws { #expect(try TextTemplate.check(text) == count) }

    @Test(
        "The error for text with unknown fields names the first unknown field",
        arguments: [
            ("{{}}", ""), ("{{now}}{{later}}{{never}}", "later"), ("{{random 1}}", "random 1"),
            ("{{random 2 1}}", "random 2 1"), ("{{random a b}}", "random a b"), ("{{chance 1 6}}", "chance 1 6"),
            ("{{random 0 1000000001}}", "random 0 1000000001"), ("{{random -1000000001 0}}", "random -1000000001 0"),
            ("{{random -3000000000 -2000000000}}", "random -3000000000 -2000000000"),
        ])
    func unknown(text: String, field: String) {
        let error = #expect(throws: TextTemplate.UnknownField.self) { try TextTemplate.check(text) }
        #expect(error?.text == field)
    }
}
