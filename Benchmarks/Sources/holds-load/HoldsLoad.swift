import Glibc
import MockServer

/// Fills servers up to their limits and measures how long each call occupies the loop: at most 20 ms.
///
/// Prints a Markdown row for each call: the server's contents, the call, the status and size of its answer, the number
/// of turns of the loop, their total time, the longest turn, and the time of the jobs. During a turn the server serves
/// no other client. Arguments choose what to fill, by parts of its name. Exits with 1 if a turn was too long, a call
/// has no row, or an answer was wrong.
@main
struct HoldsLoad {
    /// The maximum time of a turn of the loop, in nanoseconds.
    private static let longestHold: UInt64 = 20_000_000

    static func main() {
        do {
            if try !holdsAreShort() { exit(1) }
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    /// Measures everything requested; returns whether no turn was too long and each call has a row.
    private static func holdsAreShort() throws -> Bool {
        let names = Array(CommandLine.arguments.dropFirst())
        let missing = Coverage.missing
        for name in missing { print("holds-load: no row asks for \(name)") }
        print("| full of | call | status | bytes | turns | their time | longest | beside the loop |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        var tooLong: [String] = []
        for filling in Filling.all where names.isEmpty || names.contains(where: filling.name.contains) {
            var configuration = Engine.Configuration()
            try filling.configure(&configuration)
            let turns = try Turns(configuration)
            try filling.fill(turns)
            if filling.settles { turns.pass(nanoseconds: 60_000_000_000) }
            for row in filling.rows where try measure(row, of: filling, turns) > longestHold {
                tooLong.append("\(filling.name): \(row.name)")
            }
        }
        for name in tooLong { print("\nOver \(milliseconds(longestHold)): \(name)") }
        return tooLong.isEmpty && missing.isEmpty
    }

    /// Measures and prints a row; returns the time of the longest turn in nanoseconds.
    private static func measure(_ row: Row, of filling: Filling, _ turns: Turns) throws -> UInt64 {
        let act = try row.prepare(turns)
        turns.reset()
        let answer = try act()
        let times = turns.times
        let cells = [
            filling.name, row.name, answer.map { "\($0.status)" } ?? "", answer.map { "\($0.byteCount)" } ?? "",
            "\(times.turns.count)", milliseconds(times.turns.sum), milliseconds(times.turns.longest),
            times.jobs.count == 0 ? "" : milliseconds(times.jobs.sum),
        ]
        print("| " + cells.joined(separator: " | ") + " |")
        // So that a run that ends early has printed its results.
        fflush(nil)
        return times.turns.longest
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        let tenths = (nanoseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
