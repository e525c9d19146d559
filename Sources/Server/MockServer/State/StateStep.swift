import FitIQAPI
import FitIQBackend
import JSON

/// A step that brings a state file up to date; the steps between two commits go in order, and all or none.
enum StateStep: Sendable {
    /// Forgets every world except an unserved one, because the file's content is unknown.
    case forgetAll(except: String?)
    /// The number of the last world that was created.
    case serial(Int)
    /// A world is new, or restarted: it has no entities, and its head follows.
    ///
    /// - scenario: The scenario that it was created with, as the request had it; nil for the server's.
    case begin(world: String, number: Int, scenario: [UInt8]?)
    /// A world's news: its head, and its time.
    case head(world: String, [UInt8], Timestamp)
    /// A world is gone.
    case remove(world: String)
    /// An entity of a world is new, was changed or is gone.
    case entity(EntityChange, world: String)
}

/// A world's saved data, except its entities.
struct SavedWorld: Sendable, Equatable {
    /// Its id, or ``World/defaultID``.
    var name: String
    /// Orders worlds by age.
    var number: Int
    /// A scenario file in JSON: name, guide, seed, clock as at its beginning, rules, issued ids, and no user.
    var head: [UInt8]
    /// The world's time when it was saved.
    var time: Timestamp
    /// The scenario that it was created with, as the request had it; nil for the server's.
    var scenario: [UInt8]?
}

/// An entity as a state file has it.
struct SavedEntity: Sendable {
    /// The name of its list (``EntityPlace/List/name``).
    var list: String
    /// The id of the user, or of the messages' consultation; empty for users.
    var owner: ExactString
    var id: ExactString
    /// An object of a scenario file.
    var data: [UInt8]

    /// Whether its data has its id; most data begins with it.
    var hasIDInData: Bool {
        let beginning = Array("{\"id\":".utf8) + JSONValue.string(id.text).encoded()
        return data.starts(with: beginning) || (try? JSON.parse(data))?["id"]?.string.map { ExactString($0) } == id
    }
}

/// The contents of a state file.
public struct SavedState: Sendable {
    var serial: Int
    /// The oldest first.
    var worlds: [(world: SavedWorld, file: [UInt8])]
}

extension SavedWorld {
    /// A row that would be lost, or saved again as another one: something else than a server wrote it.
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
        /// A list of objects, to each of which its own members are added.
        func array(_ name: String, of owner: ExactString, adding members: (ExactString) -> [UInt8] = { _ in [] })
            -> [UInt8]
        {
            let objects = lists[List(name: name, owner: owner)] ?? []
            let texts = objects.map { Array($0.data.dropLast()) + members($0.id) + [UInt8(ascii: "}")] }
            return [UInt8(ascii: "[")] + texts.joined(separator: [.comma]) + [UInt8(ascii: "]")]
        }
        /// A member of an object; none for an empty list or object.
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
