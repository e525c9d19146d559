import Foundation
import PackagePlugin

/// `swift package contract-test [OPTIONS OF fitiq-mock verify] [-- OPTIONS OF swift test]`: runs the package's tests in a
/// world of the fake for each scenario, and reports which obligations the client keeps.
@main
struct ContractTest: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let parts = arguments.split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
        let process = Process()
        process.executableURL = try context.tool(named: "fitiq-mock").url
        process.currentDirectoryURL = context.package.directoryURL
        // The first run builds the tests. Options of the user come later, and so they hold. The folder of the build is
        // locked by the command that runs this plugin, and a sandbox allows no other in it.
        process.arguments =
            ["verify", "--time-limit", "10m"] + parts[0]
            + ["--", "swift", "test", "--disable-sandbox", "--scratch-path"]
            + [context.pluginWorkDirectoryURL.appending(path: "build").path]
            + (parts.count > 1 ? parts[1] : [])
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failed(status: process.terminationStatus)
        }
    }

    struct Failed: Error, CustomStringConvertible {
        let status: Int32
        var description: String { "fitiq-mock verify ended with \(status); its report is above." }
    }
}
