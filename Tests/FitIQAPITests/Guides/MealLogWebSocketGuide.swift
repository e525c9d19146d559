import Foundation

/// The models of the guide meal-log-websocket, as it prints them.
enum MealLogWebSocketGuide {
    struct APIResponse<T: Codable>: Codable {
        let data: T
    }

    struct MealLogResponse: Codable {
        let id: String
        let userId: String
        let rawInput: String?
        let mealType: MealType
        let status: MealLogStatus
        let totalCalories: Int?
        let totalProteinG: Double?
        let totalCarbsG: Double?
        let totalFatG: Double?
        let loggedAt: Date
        let createdAt: Date
        let updatedAt: Date

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

    enum MealType: String, Codable {
        case breakfast, lunch, dinner, snack
    }

    enum MealLogStatus: String, Codable {
        case processing, completed, failed, manual
    }

    /// The guide types `data` as a model that it never declares; a frame is read twice instead.
    struct Message<T: Codable>: Codable {
        let type: MessageType
        let data: T?
        let timestamp: Date

        enum MessageType: String, Codable {
            case connected
            case mealLogCompleted = "meal_log.completed"
            case mealLogFailed = "meal_log.failed"
            case error
            case pong
        }
    }

    struct MealLogCompletedData: Codable {
        let id: String
        let userId: String
        let rawInput: String?
        let mealType: String
        let status: String
        let totalCalories: Int?
        let totalProteinG: Double?
        let totalCarbsG: Double?
        let totalFatG: Double?
        let totalFiberG: Double?
        let totalSugarG: Double?
        let loggedAt: Date
        let processingStartedAt: Date?
        let processingCompletedAt: Date?
        let createdAt: Date
        let updatedAt: Date
        let items: [MealLogItem]

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

    struct MealLogItem: Codable {
        let id: String
        let mealLogId: String
        let foodId: String?
        let userFoodId: String?
        let foodName: String
        let quantity: Double
        let unit: String
        let calories: Int
        let proteinG: Double
        let carbsG: Double
        let fatG: Double
        let fiberG: Double?
        let sugarG: Double?
        let confidenceScore: Double?
        let parsingNotes: String?
        let orderIndex: Int
        let createdAt: Date

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

    struct MealLogFailedData: Codable {
        let id: String
        let userId: String
        let rawInput: String?
        let mealType: String
        let status: String
        let errorMessage: String?
        let loggedAt: Date
        let createdAt: Date
        let updatedAt: Date

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

    /// The decoder of its socket manager.
    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    /// The decoder of its service, which converts names that are spelled out already: the guide's mistake.
    static var convertingDecoder: JSONDecoder {
        let decoder = Self.decoder
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
