import Foundation
import GuideModels
import Testing

extension Errata {
    @Suite("2: snake_case coding keys together with .convertFromSnakeCase")
    struct Erratum2Tests {
        typealias Enhanced = EnhancedConsultationsGuide
        typealias Meals = MealLogWebSocketGuide

        @Test("Decoding in enhanced-consultations does not find a required field")
        func requiredFieldsOfConsultations() throws {
            let decoder = Enhanced.contradictoryDecoder
            let consultation = try ServerAnswers.consultation()
            #expect(
                DecodingFailure.of(Enhanced.ConsultationResponse.self, decoder, consultation)
                    == .keyNotFound("data.user_id"))
            #expect(
                DecodingFailure.of(Enhanced.QuickActionsResponse.self, decoder, ServerAnswers.quickActions())
                    == .keyNotFound("data.quick_actions"))
        }

        @Test("Decoding in meal-log-websocket does not find a required field")
        func requiredFieldsOfMeals() throws {
            let answer = try ServerAnswers.mealLog(.processing)
            #expect(
                DecodingFailure.of(Meals.APIResponse<Meals.MealLogResponse>.self, Meals.contradictoryDecoder, answer)
                    == .keyNotFound("data.user_id"))
        }

        @Test("A message silently loses its id and metadata because optional fields decode as nil")
        func optionalFields() throws {
            let frame = try ServerAnswers.assistantMessageEnd()
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let lost = try decoder.decode(Enhanced.IncomingMessage.self, from: frame)
            #expect(lost.type == "assistant_message_end")
            #expect(lost.messageId == nil)
            #expect(lost.metadata != nil)
            #expect(lost.metadata?.tokensUsed == nil)

            let kept = try JSONDecoder().decode(Enhanced.IncomingMessage.self, from: frame)
            #expect(kept.messageId == ServerAnswers.id)
            #expect(kept.metadata?.tokensUsed == 57)
        }

        @Test("Everything decodes with the coding keys alone")
        func fixedByKeys() throws {
            let consultation = try Enhanced.decoder.decode(
                Enhanced.ConsultationResponse.self, from: ServerAnswers.consultation())
            #expect(consultation.data.userId == "user-1")
            let actions = try Enhanced.decoder.decode(
                Enhanced.QuickActionsResponse.self, from: ServerAnswers.quickActions())
            #expect(actions.data.quickActions.count == 1)
            let meal = try Meals.decoder.decode(
                Meals.APIResponse<Meals.MealLogResponse>.self,
                from: ServerAnswers.mealLog(.processing))
            #expect(meal.data.userId == "user-1")
        }

        @Test("Everything decodes with the strategy alone if the property names match")
        func fixedByStrategy() throws {
            struct Response: Decodable { let data: Consultation }
            struct Consultation: Decodable { let userId: String, lastMessageAt: Date?, createdAt: Date }
            struct Shouting: Decodable { let data: ShoutingConsultation }
            struct ShoutingConsultation: Decodable { let userID: String }
            let answer = try ServerAnswers.consultation()
            let decoded = try Enhanced.contradictoryDecoder.decode(Response.self, from: answer)
            #expect(decoded.data.userId == "user-1")
            // `user_id` becomes `userId`, so the models of consultation-websocket need their own keys.
            #expect(
                DecodingFailure.of(Shouting.self, Enhanced.contradictoryDecoder, answer)
                    == .keyNotFound("data.userID"))
        }

        @Test("Requests that are encoded with both the keys and the strategy are correct")
        func encoding() throws {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            let request = Enhanced.CreateConsultationRequest(
                persona: .generalWellness, contextType: .goal, contextId: "7", title: "T")
            let encoded = try JSONSerialization.jsonObject(with: encoder.encode(request)) as? [String: String]
            #expect(
                encoded == [
                    "persona": "general_wellness", "context_type": "goal", "context_id": "7", "title": "T",
                ])
        }
    }
}
