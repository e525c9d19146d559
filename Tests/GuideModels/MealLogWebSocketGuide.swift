import Foundation

/// The models of the meal-log-websocket guide, field for field.
package enum MealLogWebSocketGuide {
    /// A decoder with the guide's dates, without the `.convertFromSnakeCase` of its REST calls (erratum 2).
    package static let decoder = JSONDecoder.iso8601()

    /// The decoder that the guide's REST calls use.
    package static let contradictoryDecoder: JSONDecoder = {
        let decoder = JSONDecoder.iso8601()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    package struct CreateMealLogRequest: Codable {
        package let rawInput: String
        package let mealType: MealType
        package let loggedAt: Date?

        package init(rawInput: String, mealType: MealType, loggedAt: Date? = nil) {
            self.rawInput = rawInput
            self.mealType = mealType
            self.loggedAt = loggedAt
        }

        enum CodingKeys: String, CodingKey {
            case rawInput = "raw_input"
            case mealType = "meal_type"
            case loggedAt = "logged_at"
        }
    }

    /// The success envelope, which contains only `data`.
    package struct APIResponse<Content: Codable>: Codable {
        package let data: Content
    }

    /// The failure envelope.
    package struct APIError: Codable {
        package let error: ErrorDetail

        package struct ErrorDetail: Codable {
            package let message: String
            package let code: String?
        }
    }

    package struct MealLogResponse: Codable, Identifiable {
        package let id: String
        package let userId: String
        package let rawInput: String?
        package let mealType: MealType
        package let status: MealLogStatus
        package let totalCalories: Int?
        package let totalProteinG: Double?
        package let totalCarbsG: Double?
        package let totalFatG: Double?
        package let loggedAt: Date
        package let createdAt: Date
        package let updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id
            case userId = "user_id"
            case rawInput = "raw_input"
            case mealType = "meal_type"
            case status
            case totalCalories = "total_calories"
            case totalProteinG = "total_protein_g"
            case totalCarbsG = "total_carbs_g"
            case totalFatG = "total_fat_g"
            case loggedAt = "logged_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    package enum MealType: String, Codable, CaseIterable {
        case breakfast
        case lunch
        case dinner
        case snack
    }

    package enum MealLogStatus: String, Codable {
        case processing
        case completed
        case failed
        case manual
    }
}
