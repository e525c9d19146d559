import FitIQAPI
import JSON
import Traffic

/// Examples of the frames that a server sends over one socket, for an operator who changes and sends them.
///
/// The encoders of the frames write them, so an example has just the members of the socket's guide.
struct FrameTemplates {
    /// The type and the whole object of each, in the order of a conversation.
    let all: [(type: String, object: JSONObject)]

    /// - Parameters:
    ///   - consultation: That of the socket; nil for a meal socket, which has fewer frames.
    ///   - form: The form of the socket's frames.
    ///   - mode: The form of the meals in them.
    init(consultation: ResourceID?, user: ExactString, form: GuideMode, mode: GuideMode, at time: Timestamp) {
        var texts = Self.frames(consultation: consultation, user: user, form: form).map {
            $0.encoded(consultationID: consultation, at: time, in: form)
        }
        if mode.serves(.createMealLog) {
            texts += Self.meals(of: user, at: time).compactMap { MealLogEvent.frame(of: $0, in: mode) }
        }
        all = texts.compactMap { text in
            guard let object = (try? JSON.parse(text))?.object, let type = object["type"]?.string else { return nil }
            return (type, object)
        }
    }

    private static func frames(consultation: ResourceID?, user: ExactString, form: GuideMode) -> [ServerFrame] {
        let connected = ServerFrame.connected(user: form.servesApps ? user : nil)
        let usual: [ServerFrame] = [.pong, .scriptedError(message: "Something went wrong", code: "SERVER_ERROR")]
        guard consultation != nil else { return [connected] + usual }
        let (id, text) = (exampleID, "A sentence of the coach.")
        let metadata = MessageMetadata(tokensUsed: 6)
        let template = CreatedTemplate(type: "workout", id: "\(id)", name: "Full body")
        let chunks: [ServerFrame] = [.messageReceived, .streamChunk(content: text), .streamComplete(metadata)]
        let messages: [ServerFrame] = [
            .userMessage(id: id, content: "A question."), .assistantMessageStart(id: id),
            .assistantMessageChunk(id: id, content: text), .templateCreated(template),
            .assistantMessageEnd(id: id, metadata: metadata),
        ]
        let chat: [ServerFrame] =
            switch form {
            case .union, .goalLinking: chunks + messages
            case .consultationWebSocket, .webSocketArchitecture: chunks
            case .enhancedConsultations: messages
            case .mealLogWebSocket: []
            }
        return [connected] + chat.filter { $0.isKnown(in: form) } + usual
    }

    private static func meals(of user: ExactString, at time: Timestamp) -> [MealLog] {
        let item = MealItem(
            id: exampleID, foodID: exampleID, name: "Boiled Eggs", quantity: 2, unit: "pieces", amountText: "2",
            nutrients: MealNutrients(calories: 155, proteinTenths: 126, carbsTenths: 11, fatTenths: 106),
            confidence: 0.95, notes: nil)
        let outcomes: [MealLog.Progress] = [.completed([item], at: time), .failed(.noFood, at: time)]
        return outcomes.map { outcome in
            var log = MealLog(
                id: exampleID, userID: user, rawInput: "2 boiled eggs", mealType: .breakfast,
                loggedAt: DateTime(secondsSinceEpoch: time.secondsSinceEpoch), createdAt: time)
            log.progress = outcome
            return log
        }
    }

    /// The id of what does not exist.
    private static let exampleID = ResourceIDSequence.first(of: 0)

    /// The text of an example with other values for some of its members; nil if there is no example of this type.
    ///
    /// - Throws: 400 for a member that the example does not have.
    func text(of type: String, with fields: JSONObject) throws(APIError) -> [UInt8]? {
        guard var object = all.first(where: { $0.type.isExactly(type) })?.object else { return nil }
        for field in fields {
            guard field.key != "type", object[field.key] != nil else {
                throw .unknownAdminKey(field.key, allowed: object.keys.filter { $0 != "type" })
            }
            object[field.key] = field.value
        }
        return JSONValue.object(object).encoded()
    }

    func write(to writer: inout JSONWriter) {
        writer.array("templates") { writer in
            for (type, object) in all {
                var fields = object
                fields["type"] = nil
                writer.object { writer in
                    writer.member("type", type)
                    writer.member("fields", .object(fields))
                }
            }
        }
    }
}
