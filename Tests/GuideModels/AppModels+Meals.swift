import Foundation

/// FitIQ's meals: REST and the frames of `/ws/meal-logs`.
extension AppModels {
    package enum MealStatus: String, Decodable, CaseIterable { case pending, processing, completed, failed, manual }

    package enum MealType: String, Decodable, CaseIterable {
        case breakfast, lunch, dinner, snack, drink, water, supplements, other
    }

    package enum FoodType: String, Decodable, CaseIterable { case food, drink, water }

    package struct MealLog: Decodable {
        package let id: UUID
        package let userId: String
        package let rawInput: String?
        package let mealType: MealType
        package let status: MealStatus
        package let totalCalories: Int?
        package let totalProteinG, totalCarbsG, totalFatG: Double?
        package let notes: String?
        package let loggedAt, createdAt, updatedAt: Date
        package let items: [MealItem]?

        enum CodingKeys: String, CodingKey {
            case id, status, notes, items
            case userId = "user_id", rawInput = "raw_input", mealType = "meal_type", totalCalories = "total_calories"
            case totalProteinG = "total_protein_g", totalCarbsG = "total_carbs_g", totalFatG = "total_fat_g"
            case loggedAt = "logged_at", createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    package struct MealItem: Decodable {
        package let id, mealLogId: UUID
        package let foodType: FoodType
        package let foodId, userFoodId: UUID?
        package let foodName: String
        package let quantity: Double
        package let unit: String
        package let calories: Int
        package let proteinG, carbsG, fatG: Double
        package let fiberG, sugarG, confidenceScore: Double?
        package let orderIndex: Int

        enum CodingKeys: String, CodingKey {
            case id, quantity, unit, calories
            case mealLogId = "meal_log_id", foodType = "food_type", foodId = "food_id", userFoodId = "user_food_id"
            case foodName = "food_name", proteinG = "protein_g", carbsG = "carbs_g", fatG = "fat_g", fiberG = "fiber_g"
            case sugarG = "sugar_g", confidenceScore = "confidence_score", orderIndex = "order_index"
        }
    }

    /// `POST /meal-logs/batch`.
    package struct MealBatch: Decodable {
        package let mealLogs: [MealLog]
        package let count: Int

        enum CodingKeys: String, CodingKey { case count, mealLogs = "meal_logs" }
    }

    /// `GET /meal-logs`.
    package struct MealList: Decodable {
        package let mealLogs: [MealLog]
        package let totalCount, limit, offset: Int
        package let hasMore: Bool?

        enum CodingKeys: String, CodingKey {
            case limit, offset, mealLogs = "meal_logs", totalCount = "total_count", hasMore = "has_more"
        }
    }

    /// `POST /meal-logs/photo`: the app divides the confidences by 100.
    package struct Photo: Decodable {
        package let sessionId: UUID
        package let recognizedItems: [RecognizedItem]
        package let totalMacros: Macros
        package let overallConfidence: Int
        package let needsReview: Bool
        package let processingTimeMs: Int

        enum CodingKeys: String, CodingKey {
            case sessionId = "session_id", recognizedItems = "recognized_items", totalMacros = "total_macros"
            case overallConfidence = "overall_confidence", needsReview = "needs_review"
            case processingTimeMs = "processing_time_ms"
        }
    }

    /// `PATCH /meal-logs/photo/{id}/confirm`, which a session model or a meal log model can decode.
    package struct ConfirmedPhoto: Decodable {
        package let session: Photo
        package let log: MealLog

        package init(from decoder: any Decoder) throws {
            (session, log) = (try Photo(from: decoder), try MealLog(from: decoder))
        }
    }

    package struct RecognizedItem: Decodable {
        package let id: UUID
        package let name: String
        package let quantity: Double
        package let unit: String
        package let confidence: Int
        package let needsReview: Bool
        package let macronutrients: Macronutrients
        package let portionHints: [String]

        enum CodingKeys: String, CodingKey {
            case id, name, quantity, unit, confidence, macronutrients
            case needsReview = "needs_review", portionHints = "portion_hints"
        }
    }

    package struct Macronutrients: Decodable {
        package let calories, protein, carbohydrates, fats: Int
        package let fiber, sugar: Int?
    }

    /// `GET /meal-logs/photo/{id}`.
    package struct PhotoRecognition: Decodable {
        package let id: UUID
        package let userId: String
        package let imageUrl: String?
        package let mealType: MealType
        package let status: MealStatus
        package let confidenceScore: Double?
        package let recognizedItems: [Item]
        package let totalCalories: Int?
        package let loggedAt: Date?
        package let mealLogId: UUID?

        package struct Item: Decodable {
            package let name: String
            package let quantity: Double
            package let unit: String
            package let calories: Int
            package let proteinG, carbsG, fatG: Double
            package let fiberG: Double?
            package let confidenceScore: Double
            package let orderIndex: Int?

            enum CodingKeys: String, CodingKey {
                case name, quantity, unit, calories
                case proteinG = "protein_g", carbsG = "carbs_g", fatG = "fat_g", fiberG = "fiber_g"
                case confidenceScore = "confidence_score", orderIndex = "order_index"
            }
        }

        enum CodingKeys: String, CodingKey {
            case id, status
            case userId = "user_id", imageUrl = "image_url", mealType = "meal_type"
            case confidenceScore = "confidence_score", recognizedItems = "recognized_items"
            case totalCalories = "total_calories", loggedAt = "logged_at", mealLogId = "meal_log_id"
        }
    }

    package struct Macros: Decodable {
        package let totalCalories, totalProtein, totalCarbohydrates, totalFats: Int

        enum CodingKeys: String, CodingKey {
            case totalCalories = "total_calories", totalProtein = "total_protein"
            case totalCarbohydrates = "total_carbohydrates", totalFats = "total_fats"
        }
    }

    package struct MealFrame<Content: Decodable>: Decodable {
        package let type: String
        package let data: Content
        package let timestamp: Date
    }

    package enum MealErrorCode: String, Decodable, CaseIterable {
        case parsingFailed = "PARSING_FAILED", serviceError = "AI_SERVICE_ERROR", rateLimit = "RATE_LIMIT"
        case serverError = "SERVER_ERROR"
    }

    /// The `data` of `meal_log.failed`.
    package struct FailedMeal: Decodable {
        package let id: UUID
        package let errorMessage: String?
        package let errorCode: MealErrorCode
        package let details: String?
        package let suggestions: [String]?

        enum CodingKeys: String, CodingKey {
            case id, details, suggestions, errorMessage = "error_message", errorCode = "error_code"
        }
    }

    /// The frame `connected`.
    package struct MealSocketGreeting: Decodable {
        package let type, userId: String
        package let timestamp: Date

        enum CodingKeys: String, CodingKey { case type, timestamp, userId = "user_id" }
    }

    package struct MealSocketPong: Decodable {
        package let type: String
        package let timestamp: Date
    }

    package enum SocketErrorCode: String, Decodable, CaseIterable {
        case authFailed = "AUTH_FAILED", connectionLimit = "CONNECTION_LIMIT", serverError = "SERVER_ERROR"
        case rateLimit = "RATE_LIMIT"
    }

    package struct MealSocketError: Decodable {
        package let type, error: String
        package let errorCode: SocketErrorCode

        enum CodingKeys: String, CodingKey { case type, error, errorCode = "error_code" }
    }
}
