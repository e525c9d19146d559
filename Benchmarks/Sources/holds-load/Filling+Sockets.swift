import MockServer
import Scenarios

/// Many sockets, and many rules on each of them.
extension Filling {
    /// As many sockets as leave room for other clients.
    static let sockets = Filling(
        name: "11,000 sockets", fill: { try $0.openSockets(11_000) }, settles: false,
        rows: [
            .get("health"), .get("worlds"), .get("state"), .post("faults", socketRule), .get("faults"),
            .call(Call("PATCH", Row.admin + "faults/live-1", #"{"enabled":false}"#)), .delete("faults/live-1"),
            .post("worlds", "{}"), .delete("worlds/w1"), watch("`--watch` takes another scenario"),
            .post("reset", "{}"),
        ])

    private static let socketRule = #"{"on":"socket","at":{"chunk":3},"cut":{"after":5,"reset":true}}"#

    /// Rules that each socket gets when it opens, and that are switched there.
    static let socketRules = Filling(
        name: "1,000 rules on each of 200 sockets",
        fill: { turns in
            try turns.fill(1000, Call("POST", Row.admin + "faults", socketRule))
            try turns.openSockets(200)
        },
        settles: false,
        rows: [
            .get("faults"), .get("faults/live-500"),
            .call(Call("PATCH", Row.admin + "faults/live-500", #"{"enabled":false}"#)), .delete("faults/live-500"),
            watch("`--watch` takes 1,000 others") { try rules("a", isEnabled: true) },
            watch("`--watch` switches them off") { try rules("a", isEnabled: false) },
            watch("`--watch` takes a scenario without any"), .post("reset", "{}"),
        ])

    /// The maximum number of rules of a scenario.
    private static func rules(_ name: String, isEnabled: Bool) throws -> Scenario {
        let rules = (0..<1000).map { number in
            #"{"name":"\#(name)\#(number)","enabled":\#(isEnabled),"on":"socket","at":{"chunk":3},"cut":{"after":5}}"#
        }
        let text = #"{"name":"rules","faults":[\#(rules.joined(separator: ","))]}"#
        return try Scenario.read(Array(text.utf8), file: "rules.json")
    }
}
