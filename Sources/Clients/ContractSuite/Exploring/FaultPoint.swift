import FitIQAPI
import Judging

/// A place in a client's traffic at which something can go wrong, and where the client stands there.
public struct FaultPoint: Sendable, Hashable {
    public let place: Place
    /// The situation before it.
    public let situation: Situation
    /// Which of an answer's chunks it is.
    public let part: Part
    /// The index of the story in which it was found.
    public let story: Int

    /// A place in the words of fault rules; all numbers count from 1, as the rules count them.
    public enum Place: Sendable, Hashable {
        /// The n-th request of the endpoint.
        case request(Endpoint, Int)
        /// The n-th handshake of the kind of socket, refused ones included.
        case handshake(Endpoint, Int)
        /// The n-th frame of the type on the n-th connection of the kind of socket.
        case frame(Endpoint, connection: Int, type: String, Int)
        /// The n-th chunk of an answer.
        case chunk(Endpoint, connection: Int, answer: Int, Int)
        /// The gap behind a frame, and each ending.
        case after(Endpoint, connection: Int, type: String, Int)
        /// What the coach does with the n-th question of a consultation.
        case question(turn: Int)
        /// What becomes of the meal with this text.
        case meal(text: String)
        /// A time since the world's beginning.
        case moment(Duration)
    }

    public enum Part: UInt8, Sendable, CaseIterable { case only, first, middle, last }

    public init(_ place: Place, in situation: Situation, part: Part = .only, story: Int) {
        (self.place, self.situation, self.part, self.story) = (place, situation, part, story)
    }
}
