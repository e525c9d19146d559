import ArgumentParser
import TestSupport

/// Explores the reference client and the mutants in memory.
@main
struct Explore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Explores clients in memory: what goes wrong in their traffic, and what is wrong with them then.",
        subcommands: [Bench.self, CoverageTable.self, MutantTable.self, Reference.self])

    static func main() async {
        CrashNotice.install()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: error)
        }
    }
}
