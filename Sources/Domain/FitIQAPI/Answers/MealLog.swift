import JSON

/// A meal described in plain words, and what the backend made of it.
public struct MealLog: Equatable, Sendable {
    /// How far the backend has come with the text.
    public enum Progress: Equatable, Sendable {
        /// It is being worked out.
        case processing
        /// The foods are known since this time.
        case completed([MealLogItem], at: Timestamp)
        /// No foods could be made of the text; known since this time.
        case failed(MealLogFailure, at: Timestamp)
    }

    /// Issued by the backend.
    public let id: ResourceID
    /// The token's `sub`.
    public let userID: ExactString
    /// The text as it was sent, not trimmed.
    public let rawInput: String
    /// Which meal of the day it was.
    public let mealType: MealType
    /// When it was eaten, as the client says.
    public let loggedAt: DateTime
    /// When the log was created, which is also when its processing started.
    public let createdAt: Timestamp
    /// How far the backend has come.
    public var progress: Progress

    /// Makes a log whose processing starts now.
    public init(
        id: ResourceID, userID: ExactString, rawInput: String, mealType: MealType, loggedAt: DateTime,
        createdAt: Timestamp
    ) {
        self.id = id
        self.userID = userID
        self.rawInput = rawInput
        self.mealType = mealType
        self.loggedAt = loggedAt
        self.createdAt = createdAt
        progress = .processing
    }

    /// The status as it goes over the wire.
    public var status: MealLogStatus {
        switch progress {
        case .processing: .processing
        case .completed: .completed
        case .failed: .failed
        }
    }

    /// When it last changed: when it was created, or when processing ended.
    public var updatedAt: Timestamp {
        switch progress {
        case .processing: createdAt
        case .completed(_, let time), .failed(_, let time): time
        }
    }

    /// The foods; empty until processing has completed.
    public var items: [MealLogItem] {
        if case .completed(let items, _) = progress { items } else { [] }
    }

    /// The exact sum of the items.
    public var totals: MealNutrients {
        items.reduce(into: MealNutrients()) { $0 += $1.nutrients }
    }
}
