import Foundation

extension MealLogWebSocketGuide {
    /// Any frame, as the guide decodes it first: its enumeration of types is closed (erratum 4).
    package struct WebSocketMessage: Codable {
        package let type: MessageType
        package let data: MessageData?
        package let timestamp: Date

        package enum MessageType: String, Codable, CaseIterable {
            case connected, mealLogCompleted = "meal_log.completed", mealLogFailed = "meal_log.failed", error, pong
        }
    }

    /// The type of `data` in the guide's unit test; the guide does not list it anywhere, so no member is required.
    package struct MessageData: Codable {
        package let mealLogId, status: String?
        package let totalCalories, itemsCount: Int?
        package let error: String?

        enum CodingKeys: String, CodingKey {
            case mealLogId = "meal_log_id", status, totalCalories = "total_calories", itemsCount = "items_count", error
        }
    }

    /// A frame about a meal log, with its data decoded correctly.
    package struct MealLogMessage<Content: Codable>: Codable {
        package let type: WebSocketMessage.MessageType
        package let data: Content
        package let timestamp: Date
    }

    /// The frames that have no data; the guide's model has no field for an error's text.
    package struct PlainMessage: Codable {
        package let type: WebSocketMessage.MessageType
        package let error: String?
        package let timestamp: Date
    }

    package struct MealLogCompletedData: Codable {
        package let id, userId: String
        package let rawInput: String?
        package let mealType, status: String
        package let totalCalories: Int?
        package let totalProteinG, totalCarbsG, totalFatG, totalFiberG, totalSugarG: Double?
        package let loggedAt: Date
        package let processingStartedAt, processingCompletedAt: Date?
        package let createdAt, updatedAt: Date
        package let items: [MealLogItem]

        enum CodingKeys: String, CodingKey {
            case id, userId = "user_id", rawInput = "raw_input", mealType = "meal_type", status
            case totalCalories = "total_calories", totalProteinG = "total_protein_g", totalCarbsG = "total_carbs_g"
            case totalFatG = "total_fat_g", totalFiberG = "total_fiber_g", totalSugarG = "total_sugar_g"
            case loggedAt = "logged_at", processingStartedAt = "processing_started_at"
            case processingCompletedAt = "processing_completed_at", createdAt = "created_at", updatedAt = "updated_at"
            case items
        }
    }

    package struct MealLogItem: Codable {
        package let id, mealLogId: String
        package let foodId, userFoodId: String?
        package let foodName: String
        package let quantity: Double
        package let unit: String
        package let calories: Int
        package let proteinG, carbsG, fatG: Double
        package let fiberG, sugarG, confidenceScore: Double?
        package let parsingNotes: String?
        package let orderIndex: Int
        package let createdAt: Date

        enum CodingKeys: String, CodingKey {
            case id, mealLogId = "meal_log_id", foodId = "food_id", userFoodId = "user_food_id", foodName = "food_name"
            case quantity, unit, calories, proteinG = "protein_g", carbsG = "carbs_g", fatG = "fat_g"
            case fiberG = "fiber_g", sugarG = "sugar_g", confidenceScore = "confidence_score"
            case parsingNotes = "parsing_notes", orderIndex = "order_index", createdAt = "created_at"
        }
    }

    package struct MealLogFailedData: Codable {
        package let id, userId: String
        package let rawInput: String?
        package let mealType, status: String
        package let errorMessage: String?
        package let loggedAt, createdAt, updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id, userId = "user_id", rawInput = "raw_input", mealType = "meal_type", status
            case errorMessage = "error_message", loggedAt = "logged_at", createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }
}
