import Foundation

/// The models of the meal-log-websocket guide, field for field.
package enum MealLogWebSocketGuide {
    /// A decoder with the guide's dates, without the `.convertFromSnakeCase` of its REST calls (erratum 2).
    package static let decoder = JSONDecoder.iso8601()

    package static let contradictoryDecoder = JSONDecoder.iso8601(keys: .convertFromSnakeCase)

    package struct CreateMealLogRequest: Codable {
        package let rawInput: String
        package let mealType: MealType
        package let loggedAt: Date?

        package init(rawInput: String, mealType: MealType, loggedAt: Date? = nil) {
            (self.rawInput, self.mealType, self.loggedAt) = (rawInput, mealType, loggedAt)
        }

        enum CodingKeys: String, CodingKey {
            case rawInput = "raw_input", mealType = "meal_type", loggedAt = "logged_at"
        }
    }

    package struct APIResponse<Content: Codable>: Codable { package let data: Content }

    package struct APIError: Codable {
        package let error: ErrorDetail

        package struct ErrorDetail: Codable {
            package let message: String
            package let code: String?
        }
    }

    package struct MealLogResponse: Codable, Identifiable {
        package let id, userId: String
        package let rawInput: String?
        package let mealType: MealType
        package let status: MealLogStatus
        package let totalCalories: Int?
        package let totalProteinG, totalCarbsG, totalFatG: Double?
        package let loggedAt, createdAt, updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id, userId = "user_id", rawInput = "raw_input", mealType = "meal_type", status
            case totalCalories = "total_calories", totalProteinG = "total_protein_g", totalCarbsG = "total_carbs_g"
            case totalFatG = "total_fat_g", loggedAt = "logged_at", createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    package enum MealType: String, Codable, CaseIterable { case breakfast, lunch, dinner, snack }

    package enum MealLogStatus: String, Codable { case processing, completed, failed, manual }
}
