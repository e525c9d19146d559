import FitIQAPI
import FitIQBackend
import JSON

/// A step that updates a state file; the file gets either all steps between two commits, in order, or none.
enum StateStep: Sendable {
    /// Deletes all worlds except a world that this server does not use, because the file's content is unknown.
    case forgetAll(except: String?)
    /// Sets the number of the most recently created world.
    case serial(Int)
    /// Starts a new or restarted world that has no entities yet; its head follows in a later step.
    ///
    /// - scenario: The scenario's JSON from the request that created the world; nil for the server's scenario.
    case begin(world: String, number: Int, scenario: [UInt8]?)
    /// Updates a world's head and time.
    case head(world: String, [UInt8], Timestamp)
    /// Deletes a world.
    case remove(world: String)
    /// Adds, changes or deletes an entity of a world.
    case entity(EntityChange, world: String)
}

/// A world's saved data, except its entities.
struct SavedWorld: Sendable, Equatable {
    /// The world's id, or ``World/defaultID``.
    var name: String
    /// A number that orders worlds by age; newer worlds have greater numbers.
    var number: Int
    /// A scenario file in JSON, except for the users: name, guide, seed, initial clock, rules and the count of issued
    /// ids.
    var head: [UInt8]
    /// The world's time when it was saved.
    var time: Timestamp
    /// The scenario's JSON from the request that created the world; nil for the server's scenario.
    var scenario: [UInt8]?
}

/// An entity as a row of a state file.
struct SavedEntity: Sendable {
    /// The name of the entity's list (``EntityPlace/List/name``).
    var list: String
    /// The id of the entity's user, or of a message's consultation; empty for users.
    var owner: ExactString
    var id: ExactString
    /// The entity as an object of a scenario file.
    var data: [UInt8]

    /// Whether the data contains the row's id; most data starts with the id.
    var hasIDInData: Bool {
        let beginning = Array("{\"id\":".utf8) + JSONValue.string(id.text).encoded()
        return data.starts(with: beginning) || (try? JSON.parse(data))?["id"]?.string.map { ExactString($0) } == id
    }
}

/// A state file's content.
public struct SavedState: Sendable {
    var serial: Int
    /// The worlds with their scenario files, oldest first.
    var worlds: [(world: SavedWorld, file: [UInt8])]
}

extension SavedWorld {
    /// A row that no server could have written and that would be lost or become another row; nil if there is none.
    func stray(among entities: [SavedEntity]) -> SavedEntity? {
        func ids(_ list: EntityPlace.List) -> Set<ExactString> {
            Set(entities.lazy.filter { $0.list == list.name }.map(\.id))
        }
        let (users, consultations) = (ids(.users), ids(.consultations))
        let documents = DocumentCollection.allCases.map { EntityPlace.List.documents($0) }
        let ofUsers = Set(([.goals, .consultations, .mealLogs] + documents).map(\.name))
        return entities.first { entity in
            let hasPlace =
                switch entity.list {
                case EntityPlace.List.users.name: entity.owner.text.isEmpty
                case EntityPlace.List.messages.name: consultations.contains(entity.owner)
                default: ofUsers.contains(entity.list) && users.contains(entity.owner)
                }
            return !hasPlace || !entity.hasIDInData
        }
    }

    /// The scenario file of the world with its entities.
    func file(with entities: [SavedEntity]) -> [UInt8] {
        struct List: Hashable {
            let name: String
            let owner: ExactString
        }
        let lists = Dictionary(grouping: entities) { List(name: $0.list, owner: $0.owner) }
        /// A list of objects; `members` returns additional members for each object.
        func array(_ name: String, of owner: ExactString, adding members: (ExactString) -> [UInt8] = { _ in [] })
            -> [UInt8]
        {
            let objects = lists[List(name: name, owner: owner)] ?? []
            let texts = objects.map { Array($0.data.dropLast()) + members($0.id) + [UInt8(ascii: "}")] }
            return [UInt8(ascii: "[")] + texts.joined(separator: [.comma]) + [UInt8(ascii: "]")]
        }
        /// A member of an object; empty for an empty list or object.
        func member(_ name: String, _ value: [UInt8]) -> [UInt8] {
            value.count == 2 ? [] : Array(",\"\(name)\":".utf8) + value
        }
        let users = array("users", of: "") { user in
            let documents = DocumentCollection.allCases.flatMap { collection in
                member(collection.rawValue, array(EntityPlace.List.documents(collection).name, of: user))
            }
            return member("goals", array("goals", of: user))
                + member(
                    "consultations",
                    array("consultations", of: user) { member("messages", array("messages", of: $0)) })
                + member("meal_logs", array("meal_logs", of: user))
                + member("documents", [UInt8(ascii: "{")] + documents.dropFirst() + [UInt8(ascii: "}")])
        }
        // The head ends with an empty list of users.
        return Array(head.dropLast(3)) + users + [UInt8(ascii: "}")]
    }
}
