import MockServer
import Scenarios

/// Much work that is due at once.
extension Filling {
    /// The longest single move of a manual clock, while many answers stream.
    static let manualClock = Filling(
        name: "3,200 answers on 200 sockets, clock by hand", configure: { $0.clock = .manual },
        fill: { try $0.openSockets(200, questions: 16) }, settles: false,
        rows: [
            .get("clock"), .post("clock", #"{"advance":"5s"}"#), .post("clock", #"{"advance":"8784h"}"#),
            .get("frames?limit=1000"), .get("verdicts"), .post("reset", "{}"),
        ])

    /// Meals with the maximum number of foods, whose estimates come three seconds after logging.
    private static func slowMeals(_ clock: String) throws -> Scenario {
        let food = #"{"name":"Scrambled Eggs","quantity":2,"unit":"pieces","calories":182,"protein":12.2}"#
        let foods = Array(repeating: food, count: 50).joined(separator: ",")
        let text = #"{"name":"slow","clock":"\#(clock)","meals":[{"after":"3s","items":[\#(foods)]}]}"#
        return try Scenario.read(Array(text.utf8), file: "slow.json")
    }

    private static let logged = 10_000

    /// As many meals as a journal has entries, all logged while the clock stood still.
    static let mealsAtOnce = Filling(
        name: "10,000 meals due at one instant, clock by hand",
        configure: { $0.adopt(try slowMeals("manual")) }, fill: { try $0.fill(logged, meal, users: 16) },
        rows: [
            .get("clock"), .post("clock", #"{"advance":"3s"}"#), .get("verdicts"), .get("state"),
            .post("reset", "{}"),
        ])

    /// The same on the system's clock, after the process got no processor time for three seconds.
    static let mealsOverdue = Filling(
        name: "10,000 meals due at one instant",
        configure: { $0.adopt(try slowMeals("real")) }, fill: { try $0.fill(logged, meal, users: 16) }, settles: false,
        rows: [
            .act("3 s later, in which the loop had no turn") { turns in
                { turns.fallBehind(nanoseconds: 3_000_000_000) }
            }
        ])
}
