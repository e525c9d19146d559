import Foundation

/// The models of the websocket-architecture guide, from its printed JSON if it lists no Swift.
package enum WebSocketArchitectureGuide {
    package static let decoder = JSONDecoder.iso8601()

    /// The body that its `getOrCreateDefaultConsultation` posts.
    package struct CreateConsultationRequest: Codable {
        package let coachType: String
        package let context: String?

        package init(coachType: String, context: String? = nil) {
            self.coachType = coachType
            self.context = context
        }

        enum CodingKeys: String, CodingKey {
            case coachType = "coach_type"
            case context
        }
    }

    /// The answer to create; the guide's listing says only that it "Returns consultation_id".
    package struct CreateConsultationResponse: Codable {
        package let consultationID: String

        enum CodingKeys: String, CodingKey {
            case consultationID = "consultation_id"
        }
    }

    /// The answer to create inside an envelope.
    package struct Enveloped: Codable {
        package let data: CreateConsultationResponse
    }

    /// The part of every frame that the guide's client decodes first.
    package struct BaseMessage: Codable {
        package let type: String
    }

    /// A frame about a meal log.
    package struct MealLogMessage<Content: Codable>: Codable {
        package let type: String
        package let data: Content
        package let timestamp: Date
    }

    package struct MealLogFailed: Codable {
        package let mealLogID: String
        package let error: String
        package let details: String

        enum CodingKeys: String, CodingKey {
            case mealLogID = "meal_log_id"
            case error
            case details
        }
    }

    package struct MealLogCompleted: Codable {
        package let id: String
        package let userID: String
        package let rawInput: String
        package let mealType: String
        package let status: String
        package let loggedAt: Date
        package let items: [Item]
        package let totalCalories: Double
        package let totalProtein: Double
        package let totalCarbs: Double
        package let totalFat: Double
        package let totalFiber: Double
        package let totalSugar: Double
        package let processingStartedAt: Date
        package let processingCompletedAt: Date
        package let createdAt: Date
        package let updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id
            case userID = "user_id"
            case rawInput = "raw_input"
            case mealType = "meal_type"
            case status
            case loggedAt = "logged_at"
            case items
            case totalCalories = "total_calories"
            case totalProtein = "total_protein"
            case totalCarbs = "total_carbs"
            case totalFat = "total_fat"
            case totalFiber = "total_fiber"
            case totalSugar = "total_sugar"
            case processingStartedAt = "processing_started_at"
            case processingCompletedAt = "processing_completed_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    package struct Item: Codable {
        package let id: String
        package let mealLogID: String
        package let name: String
        /// The amount as text, as in the source: "120g".
        package let quantity: String
        package let unit: String
        package let calories: Double
        package let protein: Double
        package let carbohydrates: Double
        package let fat: Double
        package let fiber: Double
        package let sugar: Double
        package let confidence: Double
        package let notes: String?

        enum CodingKeys: String, CodingKey {
            case id
            case mealLogID = "meal_log_id"
            case name
            case quantity
            case unit
            case calories
            case protein
            case carbohydrates
            case fat
            case fiber
            case sugar
            case confidence
            case notes
        }
    }
}
