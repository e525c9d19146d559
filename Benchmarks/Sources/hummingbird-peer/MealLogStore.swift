import Foundation
import Synchronization

/// Meal logs as a service with Codable would handle them: it decodes, stores, and encodes for the answer.
final class MealLogStore: Sendable {
    struct Request: Decodable {
        let rawInput: String
        let mealType: MealType

        enum CodingKeys: String, CodingKey {
            case rawInput = "raw_input"
            case mealType = "meal_type"
        }
    }

    enum MealType: String, Codable {
        case breakfast, lunch, dinner, snack
    }

    struct MealLog: Codable, Sendable {
        let id: UUID
        let userID: String
        let rawInput: String
        let mealType: MealType
        let status: String
        let loggedAt, createdAt, updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id, status
            case userID = "user_id"
            case rawInput = "raw_input"
            case mealType = "meal_type"
            case loggedAt = "logged_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    private struct Envelope: Encodable {
        let success = true
        let data: MealLog
    }

    private let logs = Mutex<[UUID: MealLog]>([:])

    /// Stores the meal that the body describes, and returns the answer's body.
    func create(_ body: Data) throws -> Data {
        let request = try JSONDecoder().decode(Request.self, from: body)
        let now = Date()
        let log = MealLog(
            id: UUID(), userID: "bench-user", rawInput: request.rawInput, mealType: request.mealType,
            status: "processing", loggedAt: now, createdAt: now, updatedAt: now)
        logs.withLock { $0[log.id] = log }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(Envelope(data: log))
    }
}
