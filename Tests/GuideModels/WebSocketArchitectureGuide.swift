import Foundation

/// The models of the websocket-architecture guide, from its printed JSON if it lists no Swift.
package enum WebSocketArchitectureGuide {
    package static let decoder = JSONDecoder.iso8601()

    /// The body that its `getOrCreateDefaultConsultation` posts.
    package struct CreateConsultationRequest: Codable {
        package let coachType: String
        package let context: String?

        package init(coachType: String, context: String? = nil) {
            (self.coachType, self.context) = (coachType, context)
        }

        enum CodingKeys: String, CodingKey { case coachType = "coach_type", context }
    }

    /// The answer to create; the guide's listing says only that it "Returns consultation_id".
    package struct CreateConsultationResponse: Codable {
        package let consultationID: String

        enum CodingKeys: String, CodingKey { case consultationID = "consultation_id" }
    }

    package struct Enveloped: Codable { package let data: CreateConsultationResponse }

    /// The part of every frame that the guide's client decodes first.
    package struct BaseMessage: Codable { package let type: String }

    package struct MealLogMessage<Content: Codable>: Codable {
        package let type: String
        package let data: Content
        package let timestamp: Date
    }

    package struct MealLogFailed: Codable {
        package let mealLogID, error, details: String

        enum CodingKeys: String, CodingKey { case mealLogID = "meal_log_id", error, details }
    }

    package struct MealLogCompleted: Codable {
        package let id, userID, rawInput, mealType, status: String
        package let loggedAt: Date
        package let items: [Item]
        package let totalCalories, totalProtein, totalCarbs, totalFat, totalFiber, totalSugar: Double
        package let processingStartedAt, processingCompletedAt, createdAt, updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id, userID = "user_id", rawInput = "raw_input", mealType = "meal_type", status, loggedAt = "logged_at"
            case items, totalCalories = "total_calories", totalProtein = "total_protein", totalCarbs = "total_carbs"
            case totalFat = "total_fat", totalFiber = "total_fiber", totalSugar = "total_sugar"
            case processingStartedAt = "processing_started_at", processingCompletedAt = "processing_completed_at"
            case createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    package struct Item: Codable {
        package let id, mealLogID, name: String
        /// The amount as text, as in the source: "120g".
        package let quantity, unit: String
        package let calories, protein, carbohydrates, fat, fiber, sugar, confidence: Double
        package let notes: String?

        enum CodingKeys: String, CodingKey {
            case id, mealLogID = "meal_log_id", name, quantity, unit, calories, protein, carbohydrates, fat, fiber
            case sugar, confidence, notes
        }
    }
}
