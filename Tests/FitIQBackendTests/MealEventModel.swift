import FitIQAPI
import JSON

@testable import FitIQBackend

/// A model of meal events: each socket gets the events of its user's logs once, with the stored contents.
struct MealEventModel {
    /// The meal logs that each socket was notified of.
    private var heard: [SocketID: Set<String>] = [:]

    /// Records an event and reports what is wrong with it.
    mutating func hear(_ frame: JSONValue, on socket: SocketID, of consultation: String?, _ world: World) -> [String] {
        let backend = world.backend
        guard let id = frame["data"]?["id"]?.string,
            let position = ResourceID(id).flatMap({ backend.mealLogs.position(of: $0) }),
            let place = consultation.flatMap({ ResourceID($0) }).flatMap({ backend.consultations.position(of: $0) })
        else { return ["an event of no meal log: \(frame)"] }
        let record = backend.mealLogs[position]
        var violations: [String] = []
        if record.owner != backend.consultations[place].owner { violations.append("a foreign meal: \(frame)") }
        if frame["data"] != (try? JSON.parse(record.listItem)) { violations.append("not what is stored: \(frame)") }
        if frame["type"]?.string != "meal_log.\(record.log.status)" { violations.append("the wrong type: \(frame)") }
        if !heard[socket, default: []].insert(id).inserted { violations.append("told twice: \(frame)") }
        return violations
    }
}
