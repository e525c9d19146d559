import Foundation
import PackagePlugin

/// `swift package contract-test [OPTIONS OF fitiq-mock verify] [-- OPTIONS OF swift test]`: for each scenario it runs
/// the package's tests in a world of the fake, and reports which obligations the client keeps.
@main
struct ContractTest: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let parts = arguments.split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
        let tool = try context.tool(named: "fitiq-mock").url
        for note in notes(on: tool, of: context.package) { Diagnostics.remark(note) }
        let options = parts.count > 1 ? Array(parts[1]) : []
        // The command that runs this plugin locks the build folder, and a sandbox allows no other in it.
        let place =
            ["--disable-sandbox", "--scratch-path", context.pluginWorkDirectoryURL.appending(path: "build").path]
        // Slow work comes before the first world, whose time it would use.
        let swift = URL(filePath: "/usr/bin/env")
        try run(swift, ["swift", "build", "--build-tests"] + place + ofBuild(options), "swift build", context)
        // The user's options come later, so they win.
        try run(
            tool, ["verify", "--time-limit", "10m"] + parts[0] + ["--", "swift", "test"] + place + options,
            "fitiq-mock verify", context)
    }

    private func run(_ program: URL, _ arguments: [String], _ name: String, _ context: PluginContext) throws {
        let process = Process()
        process.executableURL = program
        process.currentDirectoryURL = context.package.directoryURL
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failed(name: name, status: process.terminationStatus)
        }
    }

    /// The options of `swift test` that decide how the tests are built.
    private func ofBuild(_ options: [String]) -> [String] {
        let names = ["-c", "--configuration", "-Xswiftc", "-Xcc", "-Xlinker", "--triple", "--sanitize"]
        return zip(options, options.dropFirst()).flatMap { names.contains($0) ? [$0, $1] : [] }
    }

    private func notes(on tool: URL, of package: Package) -> [String] {
        var notes: [String] = []
        if !tool.path.contains(".artifactbundle") {
            notes.append(
                "fitiq-mock was built from source, which takes minutes: name its bundle as a binary target instead "
                    + "(docs/install.md), and this begins after seconds.")
        }
        let served = package.targets.filter { target in
            target.dependencies.contains { dependency in
                if case .product(let product) = dependency { product.name == "FakeBackend" } else { false }
            }
        }
        if !served.isEmpty {
            let names = served.map(\.name).joined(separator: ", ")
            notes.append(
                "Tests of \(names) in which FakeBackend serves do not count here: it has its own worlds, and judges their "
                    + "clients itself. What counts is what is sent to FITIQ_MOCK_URL.")
        }
        return notes
    }

    struct Failed: Error, CustomStringConvertible {
        let name: String
        let status: Int32
        var description: String { "\(name) ended with \(status); what it says is above." }
    }
}
