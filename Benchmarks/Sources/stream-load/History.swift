import FoundationEssentials
import Load

/// An assistant's message as the server stored it.
struct StoredAnswer: Equatable {
    /// The message's id.
    let id: String
    /// What all its chunks give together.
    let content: String
}

/// The assistant's messages of a history, `{"data":{"messages":[…]}}`, oldest first; nil if it is not one.
func storedAnswers(in body: [UInt8]) -> [StoredAnswer]? {
    guard let history = try? JSONDecoder().decode(History.self, from: Data(body)) else { return nil }
    return history.data.messages.filter { $0.role == "assistant" }.map { StoredAnswer(id: $0.id, content: $0.content) }
}

/// The text whose JSON string content these bytes are; nil where they are none.
func unescaped(_ escaped: [UInt8]) -> String? {
    let array = Array("[\"".utf8) + escaped + Array("\"]".utf8)
    return (try? JSONDecoder().decode([String].self, from: Data(array)))?.first
}

private struct History: Decodable {
    struct Fields: Decodable { let messages: [Message] }
    struct Message: Decodable {
        let id: String
        let role: String
        let content: String
    }
    let data: Fields
}
