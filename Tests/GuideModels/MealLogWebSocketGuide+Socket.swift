import Foundation

extension MealLogWebSocketGuide {
    /// Any frame, as the guide decodes it first: its enumeration of types is closed (erratum 4).
    package struct WebSocketMessage: Codable {
        package let type: MessageType
        package let data: MessageData?
        package let timestamp: Date

        package enum MessageType: String, Codable, CaseIterable {
            case connected
            case mealLogCompleted = "meal_log.completed"
            case mealLogFailed = "meal_log.failed"
            case error
            case pong
        }
    }

    /// The type of `data` in the guide's unit test; the guide does not list it anywhere, so no member is required.
    package struct MessageData: Codable {
        package let mealLogId: String?
        package let status: String?
        package let totalCalories: Int?
        package let itemsCount: Int?
        package let error: String?

        enum CodingKeys: String, CodingKey {
            case mealLogId = "meal_log_id"
            case status
            case totalCalories = "total_calories"
            case itemsCount = "items_count"
            case error
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
        package let id: String
        package let userId: String
        package let rawInput: String?
        package let mealType: String
        package let status: String
        package let totalCalories: Int?
        package let totalProteinG: Double?
        package let totalCarbsG: Double?
        package let totalFatG: Double?
        package let totalFiberG: Double?
        package let totalSugarG: Double?
        package let loggedAt: Date
        package let processingStartedAt: Date?
        package let processingCompletedAt: Date?
        package let createdAt: Date
        package let updatedAt: Date
        package let items: [MealLogItem]

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
            case totalFiberG = "total_fiber_g"
            case totalSugarG = "total_sugar_g"
            case loggedAt = "logged_at"
            case processingStartedAt = "processing_started_at"
            case processingCompletedAt = "processing_completed_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
            case items
        }
    }

    package struct MealLogItem: Codable {
        package let id: String
        package let mealLogId: String
        package let foodId: String?
        package let userFoodId: String?
        package let foodName: String
        package let quantity: Double
        package let unit: String
        package let calories: Int
        package let proteinG: Double
        package let carbsG: Double
        package let fatG: Double
        package let fiberG: Double?
        package let sugarG: Double?
        package let confidenceScore: Double?
        package let parsingNotes: String?
        package let orderIndex: Int
        package let createdAt: Date

        enum CodingKeys: String, CodingKey {
            case id
            case mealLogId = "meal_log_id"
            case foodId = "food_id"
            case userFoodId = "user_food_id"
            case foodName = "food_name"
            case quantity
            case unit
            case calories
            case proteinG = "protein_g"
            case carbsG = "carbs_g"
            case fatG = "fat_g"
            case fiberG = "fiber_g"
            case sugarG = "sugar_g"
            case confidenceScore = "confidence_score"
            case parsingNotes = "parsing_notes"
            case orderIndex = "order_index"
            case createdAt = "created_at"
        }
    }

    package struct MealLogFailedData: Codable {
        package let id: String
        package let userId: String
        package let rawInput: String?
        package let mealType: String
        package let status: String
        package let errorMessage: String?
        package let loggedAt: Date
        package let createdAt: Date
        package let updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id
            case userId = "user_id"
            case rawInput = "raw_input"
            case mealType = "meal_type"
            case status
            case errorMessage = "error_message"
            case loggedAt = "logged_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }
}
