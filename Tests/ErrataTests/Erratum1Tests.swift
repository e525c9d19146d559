import Foundation
import GuideModels
import Testing

extension Errata {
    @Suite("1: consultation-websocket decodes dates with a plain JSONDecoder")
    struct Erratum1Tests {
        typealias Guide = ConsultationWebSocketGuide

        @Test("The answer to a create request does not decode")
        func createFails() throws {
            let failure = DecodingFailure.of(
                Guide.CreateConsultationResponse.self, JSONDecoder(), try ServerAnswers.consultation())
            #expect(failure == .typeMismatch("data.consultation.started_at"))
        }

        @Test("The consultation fetched after a 409 does not decode")
        func fetchFails() throws {
            let failure = DecodingFailure.of(
                Guide.ConsultationResponse.self, JSONDecoder(), try ServerAnswers.consultation())
            #expect(failure == .typeMismatch("data.started_at"))
        }

        @Test("With .iso8601, both answers decode")
        func fixed() throws {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let answer = try ServerAnswers.consultation()
            let created = try decoder.decode(Guide.CreateConsultationResponse.self, from: answer).data.consultation
            let fetched = try decoder.decode(Guide.ConsultationResponse.self, from: answer).data
            #expect(created.id == ServerAnswers.id && fetched.id == ServerAnswers.id)
            #expect(created.startedAt == Date(timeIntervalSince1970: 1_738_146_600))
        }
    }
}
