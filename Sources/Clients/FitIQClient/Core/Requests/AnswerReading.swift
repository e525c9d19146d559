import FitIQAPI
import JSON

/// What the guides' answers hold, wherever they put it.
extension Answer {
    /// The id of a consultation that was created: in `data.consultation`, in `data`, at the top, or as `consultation_id`.
    var consultationID: String? {
        Self.id(
            body?["data"]?["consultation"]?["id"] ?? body?["data"]?["id"] ?? body?["data"]?["consultation_id"]
                ?? body?["id"] ?? body?["consultation_id"])
    }

    /// The id of the consultation that stands in the way (409).
    var existingConsultationID: String? { Self.id(body?["error"]?["details"]?["existing_consultation_id"]) }

    /// The consultation of chat-about-goal.
    var conversationID: String? {
        Self.id(
            body?["conversationId"] ?? body?["conversation_id"] ?? body?["data"]?["conversation_id"]
                ?? body?["data"]?["conversationId"])
    }

    /// The object of an answer about one thing, with an envelope or without.
    var object: JSONValue? { body?["data"]?.object != nil ? body?["data"] : body }

    /// The messages of a history; nil where there is no list.
    var messages: [JSONValue]? { (body?["data"]?["messages"] ?? body?["messages"] ?? body?["data"])?.array }

    /// The goals of a list; nil where there is none.
    var goals: [JSONValue]? { (body?["goals"] ?? body?["data"]?["goals"] ?? body?["data"])?.array }

    /// The meal logs of a list; nil where there is none.
    var mealLogs: [JSONValue]? { (body?["data"]?["meal_logs"] ?? body?["meal_logs"] ?? body?["data"])?.array }

    /// An id in the backend's form; another may not go into a path.
    static func id(_ value: JSONValue?) -> String? { value?.string.flatMap(pathID) }

    /// A text as the id that goes into a path: lower case, a UUID; nil where it is none.
    static func pathID(_ text: String) -> String? {
        guard text.utf8.count == 36 else { return nil }
        return ResourceID(text.lowercased())?.description
    }
}
