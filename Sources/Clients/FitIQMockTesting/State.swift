import Foundation

extension MockWorld {
    /// A user's goal, as the backend has it.
    public struct Goal: Sendable, Hashable, Decodable, Identifiable {
        public let id: String
        public let title: String
        public let description: String?
        public let category: String?
        /// `not_started`, `in_progress`, `completed` and others.
        public let status: String
        /// From 0 to 1.
        public let progress: Double?
        public let targetValue: Double?
        public let currentValue: Double?
        public let targetUnit: String?
    }

    /// A logged meal, as the backend has it.
    public struct Meal: Sendable, Hashable, Decodable, Identifiable {
        public let id: String
        /// The client's `raw_input`.
        public let text: String
        public let mealType: String?
        /// `pending`, `processing`, `completed` or `failed`.
        public let status: String
        /// The recognised foods.
        public let items: [Item]?

        public struct Item: Sendable, Hashable, Decodable {
            public let name: String
            public let quantity: Double?
            public let unit: String?
            public let calories: Double?
        }
    }

    /// A consultation, as the backend has it.
    public struct Consultation: Sendable, Hashable, Decodable, Identifiable {
        public let id: String
        public let persona: String
        public let status: String
        public let title: String?
        /// The goal that it is about.
        public let goal: String?
        /// Messages of the user and of the coach, oldest first.
        public let messages: [Message]?

        public struct Message: Sendable, Hashable, Decodable {
            /// The user's text; nil for the coach's messages.
            public let user: String?
            /// The coach's text; nil for the user's messages.
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

    /// The goals of all users, or of one.
    public func goals(of user: String? = nil) async throws -> [Goal] {
        try await users(user).flatMap { $0.goals ?? [] }
    }

    /// The meal logs of all users, or of one.
    public func meals(of user: String? = nil) async throws -> [Meal] {
        try await users(user).flatMap { $0.mealLogs ?? [] }
    }

    /// The consultations of all users, or of one.
    public func consultations(of user: String? = nil) async throws -> [Consultation] {
        try await users(user).flatMap { $0.consultations ?? [] }
    }

    private func users(_ id: String?) async throws -> [State.User] {
        (try await admin.read(as: State.self, "GET", "state").users ?? []).filter { id == nil || $0.id == id }
    }
}
