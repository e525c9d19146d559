import FitIQAPI
import FitIQBackend
import Load

/// The times at which the server plans to send each chunk of an answer, in microseconds after it receives the message.
///
/// The schedule is a pure function of the stored message: its id seeds the pace, its content gives the chunks. Throws
/// if the id is not one of the server's.
func expectedOffsets(messageID: String, content: String) throws -> [Int64] {
    guard let id = ResourceID(messageID) else {
        throw LoadError.unexpected(messageID, wanted: "a UUID in lower case", during: "reading a message's id")
    }
    let chunks = Coach.chunks(of: content)
    // The last offset is the completion, which is not a chunk.
    return Pace.human.offsets(of: chunks, seed: id.seed).prefix(chunks.count).map { $0 / 1_000 }
}
