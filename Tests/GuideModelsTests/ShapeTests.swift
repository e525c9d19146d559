import GuideModels
import JSON
import Testing

@Suite("JSON shapes")
struct ShapeTests {
    static let meal = Shape.members([
        "data": .members([
            "id": .id, "at": .timestamp, "status": .oneOf(["completed", "failed"]), "note?": .string,
            "items": .array(.members(["quantity": .number, "count": .integer, "price": .decimal])),
            "goal": .nullable(.string), "ready": .bool, "nothing": .null, "open": .any,
        ])
    ])

    static func text(_ changes: [String: String] = [:], without: String = "", with extra: String = "") -> String {
        let members = [
            ("id", #""550e8400-e29b-41d4-a716-446655440000""#), ("at", #""2025-01-29T10:30:00Z""#),
            ("status", #""failed""#), ("items", #"[{"quantity":1,"count":2,"price":198.0}]"#), ("goal", "null"),
            ("ready", "true"), ("nothing", "null"), ("open", "[]"),
        ].filter { $0.0 != without }.map { #""\#($0.0)":\#(changes[$0.0] ?? $0.1)"# }
        return #"{"data":{\#((members + (extra.isEmpty ? [] : [extra])).joined(separator: ","))}}"#
    }

    @Test(
        "A shape matches the values that it describes",
        arguments: [
            text(), text(with: #""note":"x""#), text(["goal": #""g""#]), text(["items": "[]"]),
            text(["open": #"{"a":[1]}"#]), text(["items": #"[{"quantity":0.5,"count":-2,"price":0.0}]"#]),
        ])
    func fit(text: String) {
        #expect(Self.meal.differences(from: text.utf8) == [])
    }

    static let departures: [(String, [String])] = [
        ("[]", ["body: array, expected object"]),
        ("7", ["body: number 7, expected object"]),
        (#"{"data":null}"#, ["data: null, expected object"]),
        (text(without: "ready"), ["data.ready: missing"]),
        (text(with: #""extra":1"#), ["data.extra: not in the guide"]),
        (text(with: #""note":null"#), ["data.note: null, expected string"]),
        (text(["ready": "1"]), ["data.ready: number 1, expected boolean"]),
        (text(["goal": "1"]), ["data.goal: number 1, expected string"]),
        (text(["nothing": "{}"]), ["data.nothing: object, expected null"]),
        (
            text(["status": #""pending""#]),
            [#"data.status: string "pending", expected one of completed, failed"#]
        ),
        (
            text(["at": #""2025-01-29T10:30:00.5Z""#]),
            [#"data.at: string "2025-01-29T10:30:00.5Z", expected time like 2025-01-29T10:30:00Z"#]
        ),
        (
            text(["id": #""550E8400-E29B-41D4-A716-446655440000""#]),
            [#"data.id: string "550E8400-E29B-41D4-A716-446655440000", expected UUID in lower case"#]
        ),
        (
            text(["items": #"[{"quantity":1,"count":2,"price":1.5},{"quantity":"120g","count":2.0,"price":198}]"#]),
            [
                #"data.items[1].quantity: string "120g", expected number"#,
                "data.items[1].count: number 2.0, expected integer",
                "data.items[1].price: number 198, expected number with a fraction",
            ]
        ),
        (
            text(["items": #"[{"quantity":1,"count":1e2,"price":1.5}]"#]),
            ["data.items[0].count: number 1e2, expected integer"]
        ),
        (
            text(["items": "[3]", "ready": #""yes""#], without: "at"),
            [
                "data.at: missing", "data.items[0]: number 3, expected object",
                #"data.ready: string "yes", expected boolean"#,
            ]
        ),
    ]

    @Test("A shape reports every deviation with its path", arguments: departures)
    func depart(text: String, expected: [String]) {
        #expect(Self.meal.differences(from: text.utf8) == expected)
    }

    @Test("A shape reports invalid JSON")
    func noJSON() {
        let found = Self.meal.differences(from: "{".utf8)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("body: no JSON: ") == true)
    }

    static let read: [(String, Shape)] = [
        ("null", .null), ("true", .bool), ("12", .integer), ("0.45", .number), ("198.0", .number), (#""a""#, .string),
        (#""2025-01-29T10:30:00Z""#, .timestamp), (#""2025-01-29T10:30:00""#, .string), ("[]", .array(nil)),
        ("[1,2]", .array(.integer)), ("[1,2.5]", .array(.number)), ("[1,null]", .array(.nullable(.integer))),
        ("[[],[true]]", .array(.array(.bool))), (#"["a",1]"#, .array(.any)),
        (
            #"[{"a":1,"b":null},{"a":2.5,"b":"x","c":true}]"#,
            .array(.members(["a": .number, "b": .nullable(.string), "c?": .bool]))
        ),
    ]

    @Test("A shape can be inferred from examples", arguments: read)
    func areRead(text: String, shape: Shape) throws {
        let value = try JSON.parse(text)
        #expect(Shape(of: value) == shape)
        #expect(shape.differences(from: value) == [])
    }

    @Test("A shape can be declared by paths")
    func areDeclared() {
        let shape = Shape.members(["a": .array(.members(["b": .string, "c?": .integer])), "d": .nullable(.null)])
        #expect(
            shape.optional("a[].b").requiring("a[].c").nullable("a", "d").with(.bool, at: "a[].c")
                == .members([
                    "a": .nullable(.array(.members(["b?": .string, "c": .bool]))), "d": .nullable(.null),
                ]))
    }
}
