import JSON
import Testing

@testable import FitIQAPI

@Suite("A document of the apps") struct DocumentTests {
    private func document(_ object: JSONObject, sharedWith users: [ExactString] = []) -> Document {
        Document(
            id: .numbered(1), user: "user-1", object: object, createdAt: .example, updatedAt: .example,
            sharedWith: users)
    }

    static let marks: [(object: JSONObject, isPublic: Bool, isRead: Bool)] = [
        (["is_public": true, "is_read": false], true, false), (["is_public": false, "is_read": true], false, true),
        (["is_public": "true", "is_read": 1], false, false), ([:], false, false),
    ]

    @Test("is public or read where its member is true, and nowhere else", arguments: marks)
    func mark(object: JSONObject, isPublic: Bool, isRead: Bool) {
        let document = document(object)
        #expect(document.isPublic == isPublic && document.isRead == isRead)
    }

    @Test("counts for its bytes or 24 for each value, for 192 more, and for the users whom it is shared with")
    func byteCount() {
        let numbers: JSONObject = ["a": .array(Array(repeating: 0, count: 100))]
        #expect(document(numbers).byteCount == 24 * 102 + 192)
        #expect(document(numbers, sharedWith: ["ab", "c"]).byteCount == 24 * 102 + 192 + 2 * 24 + 6 * 3)
        let text = document(["a": .string(String(repeating: "x", count: 1000))])
        #expect(text.byteCount == text.encoded.count + 192)
    }

    @Test("has words in its texts at any depth, and neither in names nor in other values")
    func words() {
        let value: JSONValue = ["x": [nil, true, 1, ["y": "z"]]]
        #expect(value.contains { $0 == "z" })
        #expect(!value.contains { $0 != "z" })
        let others: [JSONValue] = [nil, true, 1]
        for other in others { #expect(!other.contains { _ in true }) }
    }

    @Test("has at most 64 KiB of JSON, without the members that the world sets")
    func size() {
        func refused(_ count: Int) -> APIError? {
            let body = Array(#"{"id":"0123456789","a":"\#(String(repeating: "a", count: count))"}"#.utf8)
            return refusal { () throws(APIError) in try DocumentRequest.object(body, for: .sleep) }
        }
        #expect(refused(65_528) == nil)
        #expect(refused(65_529) == .documentTooLarge("sleep session", limit: 65_536, got: 65_537))
    }
}
