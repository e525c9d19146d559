import ArgumentParser
import MockServer

/// The options of the commands that serve: `serve`, and what plays something else back in its place.
///
/// Each can also be set in the environment; `ServeOptions+Values.swift` reads them with that.
struct ServeOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port to listen on; 0 picks a free one. (default: 8080)", valueName: "number"))
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "The address to listen on; 0.0.0.0 or :: for all. (default: 127.0.0.1)", valueName: "address"))
    var host: String?

    @Flag(help: "Serve https and wss as well, on a port of their own; see 'fitiq-mock certificate'.")
    var tls = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port for TLS; 0 picks a free one. (default: 8443)", valueName: "number"))
    var tlsPort: UInt16?

    @Option(
        help: ArgumentHelp(
            "The certificate for TLS, with those between it and its CA, as PEM. (default: one for localhost)",
            valueName: "path"))
    var certificate: String?

    @Option(help: ArgumentHelp("The private key of --certificate, as PEM.", valueName: "path"))
    var key: String?

    @Option(
        help: ArgumentHelp("Write what is served to this file, as HAR, while it happens.", valueName: "path"))
    var record: String?

    @Flag(help: "Record tokens, keys, cookies and e-mail addresses as they are; without it they become placeholders.")
    var keepSecrets = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Decides every id and every pace: same seed and requests, same answers. (default: 1)", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            """
            Answer exactly as one guide says: consultation-websocket, enhanced-consultations, goal-linking, \
            websocket-architecture or meal-log-websocket. (default: union, which satisfies all)
            """, valueName: "name"))
    var guide: String?

    @Option(
        help: ArgumentHelp(
            "What happens: a built-in scenario (see 'fitiq-mock scenarios') or a file. (default: default)",
            valueName: "name|file"))
    var scenario: String?

    @Flag(help: "Follow the scenario's file when it changes; connections stay.")
    var watch = false

    @Option(
        help: ArgumentHelp(
            "real, or manual: time stands still until POST /__admin/clock moves it. (default: real)",
            valueName: "mode"))
    var clock: String?

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp("Begin with the state in this file, as --export-on-exit writes it.", valueName: "path"))
    var importFile: String?

    @Option(
        help: ArgumentHelp(
            "Write everything that the server holds to this file when it has stopped.", valueName: "path"))
    var exportOnExit: String?

    @Flag(help: "Stream answers and work meals out without artificial delays.")
    var instant = false

    @Option(
        help: ArgumentHelp("The X-API-Key to ask for. (default: \(DevelopmentCredentials.apiKey))", valueName: "key"))
    var apiKey: String?

    @Option(help: ArgumentHelp("The secret that tokens are signed with. (default: a fixed one)", valueName: "secret"))
    var jwtSecret: String?

    @Option(
        help: ArgumentHelp(
            "What the admin API asks for as X-Admin-Token. (default: nothing, of this machine only)", valueName: "token"
        ))
    var adminToken: String?

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            """
            Let web pages of this origin write and open WebSockets: http://localhost:3000, null for pages without one, * for \
            any page of the web; may be repeated. (default: the server's own)
            """, valueName: "origin"))
    var allowedOrigins: [String] = []

    @Option(
        help: ArgumentHelp(
            "Write url, ws_url, api_key, token, guide, scenario and pid as JSON to this file once the server accepts.",
            valueName: "path"
        ))
    var readyFile: String?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info (a line for each request), notice, warning, error or critical. (default: notice)",
            valueName: "level"))
    var logLevel: String?
}
