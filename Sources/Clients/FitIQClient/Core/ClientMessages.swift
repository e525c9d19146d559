/// What the client itself tells its user; the backend's own messages are passed on as they came.
enum ClientMessages {
    static let noChat = "No chat is open. Start or open a consultation first."
    static let blankMessage = "The message is blank. Write something before you send it."
    static func longMessage(_ count: Int, limit: Int) -> String {
        "The message has \(count) characters; at most \(limit) can be sent."
    }
    static func tooManyWaiting(limit: Int) -> String {
        "\(limit) messages wait to be sent already. Try again when the coach has answered."
    }
    static func notSent(_ count: Int) -> String {
        count == 1 ? "One message was not sent." : "\(count) messages were not sent."
    }
    static let lostMessage = "A message may not have reached the coach. Send it again."
    static func tooBusy(limit: Int) -> String {
        "\(limit) requests are under way already. Try again in a moment."
    }
    static func notServed(_ what: String, guide: String) -> String {
        "The backend follows the guide \(guide), which has no \(what)."
    }
    static let tooManyConsultations =
        "There are too many active consultations. Archive one, or try again in a minute."
    static func gone(_ what: String) -> String { "The \(what) does not exist any more." }
    static func unknown(_ what: String) -> String { "There is no such \(what)." }
    static let noTitle = "The goal needs a title of 1 to 200 characters."
    static let longDescription = "The goal's description can have at most 2000 characters."
    static let noMealText = "Describe the meal in 1 to 1000 characters."
    static func tooManyMeals(limit: Int) -> String {
        "\(limit) meals are being worked out already. Try again in a moment."
    }
    static let mealLate = "The meal has not been worked out in time. Look again later."
    static let mealFailed = "The meal could not be worked out."
    static let coachSilent = "The coach did not answer. Ask again."
    static let coachFailed = "The coach could not answer."
    static let noConnection = "The chat could not be reached. Check the connection and open it again."
    static let unauthorized = "The sign-in is no longer valid. Sign in again."
    static let noAnswer = "The backend did not answer in time."
    static let noUsableAnswer = "The backend's answer could not be read."
    static func status(_ status: Int) -> String { "The backend answered with status \(status)." }
}
