import FitIQAPI

/// What a client expects of a response.
struct Expectation {
    /// Where its operation stands in the trace.
    let traceNumber: Int
    /// Whether a handshake was sent.
    var isUpgrade = false
    /// The one status that is right; nil where several may be.
    var status: Int?
    /// What the body must say, if the status is as expected.
    var body = BodyCheck.none
    /// Whether the server may go without answering: what was sent was no request.
    var mayBeMissing = false
}

/// What a body of the union has to say.
enum BodyCheck {
    case none
    /// Nothing but JSON, with an error inside.
    case refusal
    /// An entity: `data.id`.
    case entity(ResourceID)
    /// A new entity: an id in `data.id` that the backend of the world did not have before.
    case new(Entity)
    /// A conflict with a consultation.
    case conflict(ResourceID)
    /// The conversation of a goal; nil for a new one.
    case conversation(ResourceID?)
    /// So many items in all and so many here: at `data.pagination.total_count`, and the array of this name in `data`.
    case page(String, total: Int, count: Int)
    /// So many items, at `data.total_count`, and the array of this name in `data`.
    case list(String, total: Int)
    /// The consultation is archived afterwards.
    case archived(ResourceID)
    /// The goal is linked like this afterwards, and its former conversation no longer names it.
    case linked(goal: ResourceID, ResourceID?, former: ResourceID?)

    /// The entity does not exist afterwards.
    case deleted(Entity, ResourceID)
    /// The user does not exist afterwards, or has nothing.
    case deletedUser(String)
    /// A new account with an address, which has a user of its own.
    case account(address: Int)

    enum Entity {
        case consultation, goal, mealLog
    }
}
