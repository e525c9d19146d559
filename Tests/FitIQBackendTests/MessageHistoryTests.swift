import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Message history") struct MessageHistoryTests {
    /// A consultation with this many answered questions.
    private func chatted(_ questions: Int) throws -> (World, UserID, String) {
        var (world, user, id) = try World(pace: .instant).chatting()
        for number in 0..<questions {
            world.message("Question \(number)", from: 1)
            world.wait(milliseconds: 1000)
        }
        return (world, user, id)
    }

    @Test(
        "Without a page parameter, the history is complete and sorted from oldest to newest", arguments: [0, 1, 2, 30])
    func whole(questions: Int) throws {
        let (world, user, id) = try chatted(questions)
        let data = try world.messages(id, for: user)
        let messages = try #require(data["messages"]?.array)
        #expect(messages.count == 2 * questions)
        #expect(data["pagination"]?["total_count"]?.int == 2 * questions && data["pagination"]?["page"] == 1)
        #expect(data["pagination"]?["has_next"] == false)
        for (number, message) in messages.enumerated() {
            #expect(message["role"] == (number.isMultiple(of: 2) ? "user" : "assistant"))
            #expect(message["consultation_id"] == .string(id))
            if number.isMultiple(of: 2) {
                #expect(message["content"] == .string("Question \(number / 2)") && message["metadata"] == nil)
            } else {
                let answer = Coach.answer(
                    persona: .nutritionist, context: .general, question: "Question \(number / 2)", turn: number / 2)
                #expect(message["content"] == .string(answer))
                #expect(message["metadata"]?["tokens_used"]?.int == (answer.utf8.count + 3) / 4)
            }
        }
        #expect(Set(messages.compactMap { $0["id"]?.string }).count == 2 * questions)
    }

    @Test("A page of the history has 50 messages or the requested number", arguments: [nil, 1, 7, 50, 60, 100])
    func paged(size: Int?) throws {
        let (world, user, id) = try chatted(30)
        let whole = try #require(try world.messages(id, for: user)["messages"]?.array)
        let length = size ?? 50
        let pages = (60 + length - 1) / length
        var seen: [JSONValue] = []
        for number in 1...(pages + 1) {
            let query =
                [(name: "page", value: "\(number)")] + (size.map { [(name: "page_size", value: "\($0)")] } ?? [])
            let data = try world.messages(id, query, for: user)
            seen += data["messages"]?.array ?? []
            #expect(data["pagination"]?["page"]?.int == number && data["pagination"]?["page_size"]?.int == length)
            #expect(data["pagination"]?["total_pages"]?.int == pages)
            #expect(data["pagination"]?["has_next"]?.bool == (number < pages))
            #expect(data["pagination"]?["has_prev"]?.bool == (number > 1))
        }
        #expect(seen == whole)
    }

    @Test("A 404 for the consultation takes precedence over a 400 for the query")
    func refusals() throws {
        let (world, user, id) = try chatted(1)
        let bad = [(name: "page", value: "0")]
        #expect(refusal(try world.history(id, bad, for: user)) == .outOfRange("page", allowed: 1...Int.max, got: "0"))
        #expect(refusal(try world.history("x", bad, for: user)) == .unknownConsultation("x"))
    }

    @Test("A question enters the history on arrival, and an answer enters it on completion")
    func counts() throws {
        var (world, user, id) = try World().chatting()

        func expect(count: Int, last: String?, updated: String) throws {
            for shown in [try world.show(id, for: user), try #require(try world.show(id, for: user)["consultation"])] {
                #expect(shown["message_count"]?.int == count && shown["last_message_at"]?.string == last)
                #expect(shown["updated_at"]?.string == updated && shown["created_at"] == "2025-01-29T10:30:00Z")
                #expect(shown["started_at"] == "2025-01-29T10:30:00Z")
            }
            #expect(try world.messages(id, for: user)["messages"]?.array?.count == count)
        }
        try expect(count: 0, last: nil, updated: "2025-01-29T10:30:00Z")
        world.wait(milliseconds: 60_000)
        try expect(count: 0, last: nil, updated: "2025-01-29T10:30:00Z")
        world.message(#" \n Hello \t"#, from: 1)
        try expect(count: 1, last: "2025-01-29T10:31:00Z", updated: "2025-01-29T10:31:00Z")
        #expect(try world.messages(id, for: user)["messages"]?[0]?["content"] == "Hello")
        // Nothing changes while the answer is streaming.
        world.wait(milliseconds: 950)
        try expect(count: 1, last: "2025-01-29T10:31:00Z", updated: "2025-01-29T10:31:00Z")
        let answer = try #require(try world.record(id).answer)
        let completed = answer.startedAt.advanced(byNanoseconds: try #require(answer.offsets.last)).wireText
        // The history does not depend on how late the loop is.
        world.wait(milliseconds: 3_600_000)
        try expect(count: 2, last: completed, updated: completed)
        let stored = try #require(try world.messages(id, for: user)["messages"]?[1])
        #expect(stored["created_at"]?.string == completed && stored["id"]?.string == answer.id.description)
        #expect(stored["content"]?.string == answer.text)
        // Rejected frames and pings change nothing.
        world.send(#"{"type":"ping"}"#, from: 1)
        world.send("x", from: 1)
        world.message("", from: 1)
        try expect(count: 2, last: completed, updated: completed)
    }
}
