import ArgumentParser

/// The options of `record`; those shared with `serve` have the same meaning.
struct RecordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server to record, such as https://api.example.com; scheme, host and port.", valueName: "url"))
    var upstream: String?

    @Option(help: ArgumentHelp("Where the session goes, as HAR.", valueName: "path"))
    var output: String?

    @Flag(help: "Replace a file that exists already.")
    var overwrite = false

    @Flag(help: "Write tokens, keys, cookies and e-mail addresses as they are; without it they become placeholders.")
    var keepSecrets = false

    @Option(
        help: ArgumentHelp(
            "Believe the CAs in this PEM file too, where the upstream's certificate is from one of your own.",
            valueName: "path"))
    var upstreamCa: String?

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
        help: ArgumentHelp(
            "Write url, ws_url, upstream, output and pid as JSON to this file once the proxy accepts.",
            valueName: "path"))
    var readyFile: String?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info (a line for each request), notice, warning, error or critical. (default: notice)",
            valueName: "level"))
    var logLevel: String?

    /// The same options as `serve` has them, which combines them with the environment.
    var served: ServeOptions {
        var options = ServeOptions()
        options.port = port
        options.host = host
        options.tls = tls
        options.tlsPort = tlsPort
        options.certificate = certificate
        options.key = key
        options.readyFile = readyFile
        options.logLevel = logLevel
        return options
    }
}
