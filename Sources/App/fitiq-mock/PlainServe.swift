/// Parses `serve` without ArgumentParser if it has only options that scripts use, and none has two values.
///
/// Describing all options to ArgumentParser takes two thirds of the instructions executed at startup.
extension Serve {
    /// Parses plain arguments, or returns nil if there are any others, which ArgumentParser must parse or reject.
    init?(plain arguments: [String]) {
        self.init()
        var (host, options, data) = (HostOptions.unset, ServeOptions.unset, DataOptions.unset)
        var rest = arguments[...]
        options.instant = arguments.contains("--instant")
        /// Sets an option to the next argument if it was not set before.
        func take<Value: LosslessStringConvertible>(_ option: inout Value?) -> Bool {
            guard option == nil, let text = rest.popFirst(), !text.hasPrefix("-") else { return false }
            option = Value(text)
            return option != nil
        }
        while let name = rest.popFirst() {
            let isPlain =
                switch Setting(option: name) {
                case .port: take(&host.port)
                case .host: take(&host.host)
                case .logLevel: take(&host.logLevel)
                case .readyFile: take(&host.readyFile)
                case .seed: take(&options.seed)
                case .guide: take(&options.guide)
                case .scenario: take(&options.scenario)
                case .clock: take(&options.clock)
                case .apiKey: take(&options.apiKey)
                case .jwtSecret: take(&options.jwtSecret)
                case .adminToken: take(&options.adminToken)
                case .record: take(&options.record)
                case .state: take(&data.state)
                case .instant: true
                default: false
                }
            guard isPlain else { return nil }
        }
        (self.host, self.options, self.data) = (host, options, data)
    }
}

extension HostOptions {
    /// Options with no value set.
    fileprivate static var unset: HostOptions {
        var options = HostOptions()
        (options.port, options.host, options.tls, options.tlsPort, options.certificate) = (nil, nil, false, nil, nil)
        (options.key, options.logLevel, options.logFormat, options.readyFile) = (nil, nil, nil, nil)
        options.keepSecrets = false
        return options
    }
}

extension ServeOptions {
    /// Options with no value set.
    fileprivate static var unset: ServeOptions {
        var options = ServeOptions()
        (options.record, options.seed, options.guide, options.scenario, options.clock) = (nil, nil, nil, nil, nil)
        (options.network, options.compression, options.apiKey, options.jwtSecret) = (nil, nil, nil, nil)
        (options.adminToken, options.allowedOrigins, options.cors, options.node) = (nil, [], [], nil)
        (options.watchTraffic, options.instant, options.strictHeaders) = (false, false, false)
        (options.publicURL, options.noDefaultWorld) = (nil, false)
        return options
    }
}

extension DataOptions {
    /// Options with no value set.
    fileprivate static var unset: DataOptions {
        var options = DataOptions()
        (options.watch, options.ids, options.overlay, options.upstream) = (false, nil, nil, nil)
        (options.upstreamCa, options.importFile, options.exportOnExit, options.state) = (nil, nil, nil, nil)
        return options
    }
}
