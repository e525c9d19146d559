import ArgumentParser
import FitIQClient
import JSON

struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Reset a running server's world to its own scenario or to a different one.",
        discussion: """
            Prints the world, its scenario and its URL. Closes its WebSockets and empties its journal; its tokens \
            stay valid. Exits with 1 if the server cannot be reached or refuses.
            """)

    @Argument(
        help: .init(
            "A built-in scenario (see 'fitiq-mock scenarios') or a file. (default: the world's own)",
            valueName: "name|file"), completion: .scenarios)
    var scenario: String?

    @Option("The server's URL. \(Settings.defaultServer)", "url")
    var url: String?

    @Option("The world's id. (default: the URL's world, or the default world)", "id", .worlds)
    var world: String?

    @Option("The server's --admin-token. (default: none)", "token")
    var adminToken: String?

    func run() throws {
        let server = RemoteServer(
            base: try Settings.serverURL(url), adminToken: try Settings.fieldValue(adminToken, .adminToken))
        var request: JSONObject = [:]
        switch try scenario.map({ name throws(Failure) in try ScenarioSource(name) }) {
        case .builtIn(let name): request["scenario"] = .string(name)
        case .file(let path): request["scenario"] = try ScenarioSource.file(path).document()
        case nil: break
        }
        let answer: [UInt8]
        do throws(ClientError) {
            answer = try server.ask(.post, "reset", world: world, body: .object(request))
        } catch {
            throw Failure(message: Messages.unreachable(error, url: server.base.description), exitCode: 1)
        }
        let begun = try? JSON.parse(answer)
        guard let id = begun?["id"]?.string, let name = begun?["scenario"]?.string, let place = begun?["url"]?.string
        else { throw Failure.configuration(Messages.notTheFake(server.base.authority)) }
        print("\(id): \(name), at \(place)")
    }
}
