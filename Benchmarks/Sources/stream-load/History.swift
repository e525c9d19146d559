import FoundationEssentials
import Load

/// An assistant's message as the server stored it.
struct StoredAnswer: Equatable {
    /// The message's id.
    let id: String
    /// The sum of all its chunks.
    let content: String
}

/// The assistant's messages of a history, `{"data":{"messages":[…]}}`, oldest first; nil if the body is not one.
func storedAnswers(in body: [UInt8]) -> [StoredAnswer]? {
    guard let history = try? JSONDecoder().decode(History.self, from: Data(body)) else { return nil }
    return history.data.messages.filter { $0.role == "assistant" }.map { StoredAnswer(id: $0.id, content: $0.content) }
}

/// The text of which these bytes are the content as a JSON string; nil if they are not.
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
