import FitIQAPI

struct Expectation {
    /// The number of the operation in the trace.
    let traceNumber: Int
    var endpoint: Endpoint?
    /// The user who gets the answer; nil if the answer may come from before a reset of the world.
    var subject: String?
    var isUpgrade = false
    /// The only correct status; nil if several are possible.
    var status: Int?
    /// The expected body, if the status is as expected.
    var body = BodyCheck.none
    /// Whether the answer lists events that are due, including held items.
    var listsWhatIsDue = false
    /// Whether the server may omit the answer, because the input was not a request.
    var mayBeMissing = false
}

/// The expected body in union mode.
enum BodyCheck {
    case none
    case refusal
    /// An entity: `data.id`.
    case entity(ResourceID)
    /// An answer about a goal: `data.goal_id`.
    case about(ResourceID)
    /// A new entity: an id that is new in the world, in `data.id`, `data.session_id`, or `data.new_template.id`.
    case new(Entity)
    case conflict(ResourceID)
    /// A goal's conversation; nil for a new conversation.
    case conversation(ResourceID?)
    /// This total at `data.pagination.total_count`, and this many items in the array with this name in `data`.
    case page(String, total: Int, count: Int)
    /// This total at `data.total_count`, and up to 100 items in the array with this name in `data`.
    case list(String, total: Int)
    /// A part of a list with the apps' totals, in the array with this name in `data`. Without a name, `data` is the
    /// array, and there are no totals.
    case part(String?, Page, total: Int)
    /// This many items, both according to `data.count` and in the array with this name in `data`.
    case counted(String, ClosedRange<Int>)
    /// This many items, each with a new entity.
    case batch(String, Entity, count: Int)
    /// A number in `data`, or in an object in it, such as `summary.total_entries`.
    case figure(String, Int)
    /// Strings in `data`, as pairs of a member and its value.
    case texts([(String, String)])
    /// A stored question, and its answer if no socket receives the answer.
    case answered(isAtOnce: Bool)
    case archived(ResourceID)
    /// Afterwards, the goal has this link, and its former conversation no longer names the goal.
    case linked(goal: ResourceID, ResourceID?, former: ResourceID?)

    case deleted(Entity, ResourceID)
    /// The photo became the meal log that the answer names.
    case confirmed(photo: ResourceID)
    /// A new meal log whose foods were entered one by one, with this many calories.
    case manual(calories: Int)
    /// The user no longer exists or has no data, and the user's entities are gone.
    case deletedUser(String, had: [ResourceID])
    /// A new account with an address, and a new user.
    case account(address: Int)
    /// New tokens in `data`, and also at the top level if they replace a refresh token.
    case tokens(replacing: SimulatedTicket?)
    case loggedOut(SimulatedTicket)
    /// An error with the word "revoked".
    case revoked

    enum Entity {
        case consultation, goal, mealLog, photo
        case document(DocumentCollection)
    }
}
