import MockServer

/// Fills servers up to their limits and measures how long each call holds the loop: no call may, for more than 20 ms.
///
/// Prints a Markdown row for each: what it is full of, the call, the size of the answer, the time until its last byte, the
/// number of turns, and the longest of them, in which nothing else was served. Arguments choose what to fill, by parts of its name.
@main
struct HoldsLoad {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let names = arguments.filter { !$0.hasPrefix("--") }
        for filling in Filling.all where names.isEmpty || names.contains(where: filling.name.contains) {
            var configuration = Engine.Configuration()
            filling.configure(&configuration)
            let turns = try Turns(configuration)
            turns.engine.observesRequests = false
            try filling.fill(turns)
            turns.pass(nanoseconds: 60_000_000_000)
            for call in filling.calls { measure(call, of: filling, turns) }
        }
    }

    private static func measure(_ call: Call, of filling: Filling, _ turns: Turns) {
        let id = turns.open()
        turns.reset()
        let answer = turns.exchange(call.bytes(), on: id)
        turns.engine.transportClosed(id, at: turns.now)
        let row = [
            filling.name, "`\(call.method) \(call.target)`\(call.body.isEmpty ? "" : " `\(call.body)`")",
            "\(answer.status)", "\(answer.byteCount)", milliseconds(answer.nanoseconds), "\(turns.count)",
            milliseconds(turns.longest),
        ]
        print("| " + row.joined(separator: " | ") + " |")
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        let tenths = (nanoseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
