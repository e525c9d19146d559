import FitIQAPI
import Foundation
import Testing

/// Encodes this server's answers so that the errata can decode them.
enum ServerAnswers {
    static let id = "550e8400-e29b-41d4-a716-446655440000"

    static var resourceID: ResourceID {
        get throws {
            guard case .id(let id) = ResourceID.read(id) else { throw CancellationError() }
            return id
        }
    }

    static let now = Timestamp(secondsSinceEpoch: 1_738_146_600)

    /// The answer to a create or get request; in union mode, both answers are equal.
    static func consultation(
        answering endpoint: Endpoint = .showConsultation, in mode: GuideMode = .union
    ) throws -> Data {
        let consultation = try Consultation(
            id: resourceID, userID: "user-1", persona: .nutritionist, context: ConsultationContext(.goal, id: id),
            goalID: resourceID, title: "A title", createdAt: now)
        return Data(consultation.body(answering: endpoint, in: mode, origin: "http://localhost:8080"))
    }

    /// A refusal without details.
    static func refusal(in mode: GuideMode = .union) -> Data {
        Data(APIError.tooManyActiveConsultations(limit: 10).body(in: mode))
    }

    static func history() throws -> Data {
        Data(ListAnswers.messages([], page: Page(number: 1, size: 50), total: 0, in: .union))
    }

    static func quickActions() -> Data {
        Data(ListAnswers.quickActions([QuickAction(prompt: "What now?", contextType: .general)]))
    }

    static func frame(_ frame: ServerFrame) throws -> Data {
        Data(try frame.encoded(consultationID: resourceID, at: now, in: .union))
    }

    static func streamChunk() throws -> Data { try frame(.streamChunk(content: "For breakfast, ")) }

    static func assistantMessageEnd() throws -> Data {
        try frame(.assistantMessageEnd(id: resourceID, metadata: MessageMetadata(tokensUsed: 57)))
    }

    /// The answer to a PATCH that links a goal.
    static func goal(in mode: GuideMode = .union) throws -> Data {
        var goal = try Goal(
            id: resourceID, userID: "user-1", title: "Exercise 3x per week", description: "", category: "fitness",
            targetDate: DateTime(now), createdAt: now)
        goal.conversationID = try resourceID
        return Data(goal.encoded(in: mode.form(of: .updateGoal)).body)
    }
}

/// A decoding failure, with its kind and path.
enum DecodingFailure: Equatable {
    case typeMismatch(String)
    case keyNotFound(String)
    case valueNotFound(String)
    case dataCorrupted(String)

    /// Decodes, and expects a failure.
    static func of<Model: Decodable>(
        _ model: Model.Type, _ decoder: JSONDecoder, _ data: Data, at location: SourceLocation = #_sourceLocation
    ) -> DecodingFailure? {
        func path(_ context: DecodingError.Context, _ last: String? = nil) -> String {
            (context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue } + (last.map { [$0] } ?? []))
                .joined(separator: ".")
        }
        do {
            let decoded = try decoder.decode(model, from: data)
            Issue.record("It decodes: \(decoded)", sourceLocation: location)
        } catch DecodingError.typeMismatch(_, let context) {
            return .typeMismatch(path(context))
        } catch DecodingError.keyNotFound(let key, let context) {
            return .keyNotFound(path(context, key.stringValue))
        } catch DecodingError.valueNotFound(_, let context) {
            return .valueNotFound(path(context))
        } catch DecodingError.dataCorrupted(let context) {
            return .dataCorrupted(path(context))
        } catch {
            Issue.record("\(error)", sourceLocation: location)
        }
        return nil
    }
}
