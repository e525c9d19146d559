import FitIQAPI
import MockServer
import Sockets

/// What the commands have in common that judge clients: a server within the program, whose failures are the harness's own.
enum Harness {
    /// A server on a free port that only this machine reaches.
    ///
    /// - Parameter origins: whose pages may be clients.
    static func startServer(allowing origins: Set<AllowedOrigin> = []) throws(Failure) -> LocalServer {
        var configuration = Engine.Configuration()
        configuration.allowedOrigins = origins
        do {
            return try LocalServer(configuration)
        } catch {
            throw .running(Messages.noServer("\(error)"))
        }
    }

    /// Does something with the server's engine, and waits for it.
    static func perform<Value: Sendable>(
        _ server: LocalServer, _ body: @escaping @Sendable (Engine, Timestamp) throws -> Value
    ) throws(Failure) -> Value {
        do {
            return try server.performAndWait(body)
        } catch let error as APIError {
            throw .running(Messages.noWorld(error.message))
        } catch {
            throw .running(Messages.noServer("\(error)"))
        }
    }

    /// What a program is told of a world, in its environment.
    static func environment(
        of world: Engine.WorldAccess, on server: LocalServer, scenario: String
    ) -> [(name: String, value: String)] {
        [
            ("FITIQ_MOCK_URL", world.url), ("FITIQ_MOCK_WS_URL", world.webSocketURL),
            ("FITIQ_MOCK_TOKEN", world.token), ("FITIQ_MOCK_FRESH_TOKEN", world.freshToken),
            ("FITIQ_MOCK_API_KEY", world.apiKey), ("FITIQ_MOCK_SCENARIO", scenario),
            ("FITIQ_MOCK_ADMIN_URL", "\(server.url)/__admin/worlds/\(world.id)"),
        ]
    }
}
