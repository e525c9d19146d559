/// `serve` with the options that scripts give, each once, read without ArgumentParser: its description of all options
/// takes two thirds of the instructions of a start.
extension Serve {
    /// The command of plain arguments; nil if there is anything else, which ArgumentParser then reads or refuses.
    init?(plain arguments: [String]) {
        self.init()
        var (host, options) = (HostOptions.unset, ServeOptions.unset)
        var rest = arguments[...]
        /// Sets an option that was not given before to the next argument.
        func take<Value: LosslessStringConvertible>(_ option: inout Value?) -> Bool {
            guard option == nil, let text = rest.popFirst(), !text.hasPrefix("-") else { return false }
            option = Value(text)
            return option != nil
        }
        while let name = rest.popFirst() {
            let isPlain =
                switch name {
                case "--port": take(&host.port)
                case "--host": take(&host.host)
                case "--log-level": take(&host.logLevel)
                case "--ready-file": take(&host.readyFile)
                case "--seed": take(&options.seed)
                case "--guide": take(&options.guide)
                case "--scenario": take(&options.scenario)
                case "--clock": take(&options.clock)
                case "--api-key": take(&options.apiKey)
                case "--jwt-secret": take(&options.jwtSecret)
                case "--admin-token": take(&options.adminToken)
                case "--state": take(&options.state)
                default: false
                }
            guard isPlain else { return nil }
        }
        options.host = host
        self.options = options
    }
}

extension HostOptions {
    /// None of the options given.
    fileprivate static var unset: HostOptions {
        var options = HostOptions()
        (options.port, options.host, options.tls, options.tlsPort) = (nil, nil, false, nil)
        (options.certificate, options.key, options.logLevel, options.logFormat) = (nil, nil, nil, nil)
        (options.keepSecrets, options.readyFile) = (false, nil)
        return options
    }
}

extension ServeOptions {
    /// None of the options given, and none of those of the host.
    fileprivate static var unset: ServeOptions {
        var options = ServeOptions()
        (options.record, options.seed, options.guide, options.scenario) = (nil, nil, nil, nil)
        (options.watch, options.watchTraffic, options.instant, options.strictHeaders) = (false, false, false, false)
        (options.clock, options.ids, options.network, options.compression) = (nil, nil, nil, nil)
        (options.importFile, options.exportOnExit, options.apiKey, options.jwtSecret) = (nil, nil, nil, nil)
        (options.state, options.adminToken, options.allowedOrigins, options.cors) = (nil, nil, [], [])
        (options.node, options.publicURL, options.noDefaultWorld, options.overlay) = (nil, nil, false, nil)
        (options.upstream, options.upstreamCa) = (nil, nil)
        return options
    }
}
