import FitIQAPI

/// What a client expects of a response.
struct Expectation {
    /// Where its operation stands in the trace.
    let traceNumber: Int
    var endpoint: Endpoint?
    /// Whose answer it is; nil where it is not known which life of the world it comes from.
    var subject: String?
    /// Whether a handshake was sent.
    var isUpgrade = false
    /// The one status that is right; nil where several may be.
    var status: Int?
    /// What the body must say, if the status is as expected.
    var body = BodyCheck.none
    /// Whether the answer lists what is due, and so what breakpoints hold.
    var listsWhatIsDue = false
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
    /// An answer about a goal: `data.goal_id`.
    case about(ResourceID)
    /// A new entity: an id in `data.id`, `data.session_id`, or `data.new_template.id`, that the backend of the world did
    /// not have before.
    case new(Entity)
    /// A conflict with a consultation.
    case conflict(ResourceID)
    /// The conversation of a goal; nil for a new one.
    case conversation(ResourceID?)
    /// So many items in all and so many here: at `data.pagination.total_count`, and the array of this name in `data`.
    case page(String, total: Int, count: Int)
    /// So many items, at `data.total_count`, and the array of this name in `data`.
    case list(String, total: Int)
    /// A part of a list with the apps' totals, and the array of this name in `data`; without a name `data` is the array,
    /// and there are no totals.
    case part(String?, Page, total: Int)
    /// So many items, at `data.count`, and in the array of this name in `data`.
    case counted(String, ClosedRange<Int>)
    /// The same, each a new entity.
    case batch(String, Entity, count: Int)
    /// A number in `data`, or in an object there: `summary.total_entries`.
    case figure(String, Int)
    /// Texts in `data`, in pairs of a member and its text.
    case texts([(String, String)])
    /// A question, and its answer if nobody hears it over a socket.
    case answered(isAtOnce: Bool)
    /// The consultation is archived afterwards.
    case archived(ResourceID)
    /// The goal is linked like this afterwards, and its former conversation no longer names it.
    case linked(goal: ResourceID, ResourceID?, former: ResourceID?)

    /// The entity does not exist afterwards.
    case deleted(Entity, ResourceID)
    /// The photo has become a meal log, which it names.
    case confirmed(photo: ResourceID)
    /// A new meal log that was entered food by food, of so many calories.
    case manual(calories: Int)
    /// The user does not exist afterwards, or has nothing; nor does what the user had.
    case deletedUser(String, had: [ResourceID])
    /// A new account with an address, which has a user of its own.
    case account(address: Int)
    /// New tokens, in `data` and, if they replace a refresh token, at the top as well.
    case tokens(replacing: SimulatedTicket?)
    /// The refresh token does not work any more.
    case loggedOut(SimulatedTicket)
    /// A refusal with the word "revoked".
    case revoked

    enum Entity {
        case consultation, goal, mealLog, photo
        case document(DocumentCollection)
    }
}
