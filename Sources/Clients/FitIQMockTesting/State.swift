import Foundation

extension MockWorld {
    /// A user's goal, as the backend stores it.
    public struct Goal: Sendable, Hashable, Decodable, Identifiable {
        public let id: String
        public let title: String
        public let description: String?
        public let category: String?
        /// The status: `not_started`, `in_progress`, `completed` and others.
        public let status: String
        /// The progress from 0 to 1.
        public let progress: Double?
        public let targetValue: Double?
        public let currentValue: Double?
        public let targetUnit: String?
    }

    /// A logged meal, as the backend stores it.
    public struct Meal: Sendable, Hashable, Decodable, Identifiable {
        public let id: String
        /// The client's `raw_input`.
        public let text: String
        public let mealType: String?
        /// The status: `pending`, `processing`, `completed` or `failed`.
        public let status: String
        /// The recognized foods.
        public let items: [Item]?

        public struct Item: Sendable, Hashable, Decodable {
            public let name: String
            public let quantity: Double?
            public let unit: String?
            public let calories: Double?
        }
    }

    /// A consultation, as the backend stores it.
    public struct Consultation: Sendable, Hashable, Decodable, Identifiable {
        public let id: String
        public let persona: String
        public let status: String
        public let title: String?
        /// The goal that the consultation is about.
        public let goal: String?
        /// The messages from the user and the coach, oldest first.
        public let messages: [Message]?

        public struct Message: Sendable, Hashable, Decodable {
            /// The user's text, or nil for a message from the coach.
            public let user: String?
            /// The coach's text, or nil for a message from the user.
            public let assistant: String?
        }
    }

    private struct State: Decodable {
        var users: [User]?

        struct User: Decodable {
            var id: String
            var goals: [Goal]?
            var mealLogs: [Meal]?
            var consultations: [Consultation]?
        }
    }

    /// The goals of one user, or of all users.
    public func goals(of user: String? = nil) async throws -> [Goal] {
        try await users(user).flatMap { $0.goals ?? [] }
    }

    /// The meal logs of one user, or of all users.
    public func meals(of user: String? = nil) async throws -> [Meal] {
        try await users(user).flatMap { $0.mealLogs ?? [] }
    }

    /// The consultations of one user, or of all users.
    public func consultations(of user: String? = nil) async throws -> [Consultation] {
        try await users(user).flatMap { $0.consultations ?? [] }
    }

    private func users(_ id: String?) async throws -> [State.User] {
        (try await admin.read(as: State.self, "GET", "state").users ?? []).filter { id == nil || $0.id == id }
    }
}
