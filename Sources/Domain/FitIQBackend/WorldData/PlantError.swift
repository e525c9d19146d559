/// Why data cannot be planted; nothing of it was.
public struct PlantError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where in the document, by its keys and by indexes from 0: `users[0].consultations[2].messages[1].created_at`.
    public var path: String
    /// What is wrong, what is allowed, what to do.
    public var message: String

    /// Whether nothing is wrong with the data, only there is no room for it.
    public var isForWantOfRoom: Bool

    init(_ path: String, _ message: String, isForWantOfRoom: Bool = false) {
        self.path = path
        self.message = message
        self.isForWantOfRoom = isForWantOfRoom
    }

    /// Both in a line.
    public var description: String { "\(path): \(message)" }
}
