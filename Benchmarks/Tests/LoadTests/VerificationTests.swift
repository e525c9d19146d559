import Load
import Testing

@testable import stream_load

@Suite("Verification of received answers")
struct VerificationTests {
    private let stored = StoredAnswer(id: "7c9e6679-7425-40de-944b-e07fc1f90ae7", content: "Two \"boiled\" eggs.")
    private let escaped = Array(#"Two \"boiled\" eggs."#.utf8)

    @Test("chunks on schedule are no difference, and their lateness is measured")
    func allIsWell() throws {
        let verification = try verify(late: [0, 250, 4_000])
        #expect(verification.differences == [])
        #expect(verification.lateness == [0, 250, 4_000])
        #expect(verification.comparedAnswers == 1)
        #expect(verification.lostChunks == 0)
    }

    @Test("a missing chunk is lost")
    func lost() throws {
        let verification = try verify(late: [0, 0])
        #expect(verification.differences == ["connection 3: answer 0 came in 2 chunks, scheduled were 3"])
        #expect(verification.lostChunks == 1)
    }

    @Test("an extra chunk is a difference, but not a lost one")
    func tooMany() throws {
        let verification = try verify(late: [0, 0, 0, 0])
        #expect(verification.differences == ["connection 3: answer 0 came in 4 chunks, scheduled were 3"])
        #expect(verification.lostChunks == 0)
    }

    @Test("a chunk before its time is a difference")
    func early() throws {
        let verification = try verify(late: [0, -1, 0])
        #expect(verification.differences == ["1 chunks came before they were due"])
    }

    @Test("an answer that differs from the stored one shows both")
    func otherText() throws {
        var verification = Verification()
        try verification.compare(3, received: [Array("Two eggs.".utf8)], with: [stored])
        #expect(
            verification.differences == [
                "connection 3: answer 0 is stored as 'Two \"boiled\" eggs.', its chunks give 'Two eggs.'"
            ])
    }

    @Test("a stored answer that never arrived is a difference")
    func missingAnswer() throws {
        var verification = Verification()
        try verification.compare(3, received: [escaped], with: [stored, stored])
        #expect(verification.differences == ["connection 3: 1 answers received, 2 stored"])
    }

    @Test("the schedule has an offset for each chunk and ends before the completion")
    func schedule() throws {
        let offsets = try expectedOffsets(messageID: stored.id, content: stored.content)
        #expect(offsets.count == 3)
        #expect((300_000..<900_000).contains(offsets[0]))
        #expect(zip(offsets, offsets.dropFirst()).allSatisfy { (30_000..<70_000).contains($1 - $0) })
        let other = try expectedOffsets(messageID: "7c9e6679-7425-40de-944b-e07fc1f90ae8", content: stored.content)
        #expect(other != offsets)
    }

    @Test("an id that is not the server's is refused")
    func foreignID() {
        let error = #expect(throws: LoadError.self) { try expectedOffsets(messageID: "42", content: "a") }
        #expect(error?.description == "reading a message's id: wanted a UUID in lower case, got 42")
    }

    @Test("the assistant's messages of a history keep their order")
    func history() {
        let body = #"""
            {"data":{"messages":[{"id":"a","role":"user","content":"?"},{"id":"b","role":"assistant","content":"\"1\""},
            {"id":"c","role":"assistant","content":"2"}]}}
            """#
        let expected = [StoredAnswer(id: "b", content: "\"1\""), StoredAnswer(id: "c", content: "2")]
        #expect(storedAnswers(in: Array(body.utf8)) == expected)
        #expect(storedAnswers(in: Array(#"{"data":{}}"#.utf8)) == nil)
    }

    /// Verifies one answer whose chunks arrive this many microseconds late.
    private func verify(late: [Int64]) throws -> Verification {
        var verification = Verification()
        try verification.compare(3, received: [escaped], with: [stored])
        let offsets = try expectedOffsets(messageID: stored.id, content: stored.content)
        verification.compareWithSchedule(
            late.enumerated().map { index, late in
                let due = index < offsets.count ? offsets[index] : 0
                return Sample(connection: 3, turn: 0, index: UInt16(index), microseconds: UInt32(due + late))
            })
        return verification
    }
}
