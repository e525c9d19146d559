import ArgumentParser

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        // Named, because working the name out of the type takes a tenth of the time to start.
        commandName: "serve",
        abstract: "Serve the fake backend until Ctrl-C.",
        discussion: "Each option can also be set in the environment, --ready-file as FITIQ_MOCK_READY_FILE and so on.")

    @OptionGroup var options: ServeOptions

    func run() throws {
        try ServerLauncher(options).run()
    }
}
