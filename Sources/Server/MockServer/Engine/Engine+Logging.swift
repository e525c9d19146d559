import Logging

extension Engine {
    /// Writes what happens to a log: mistakes at `warning`, trouble with TLS at `notice`, every request at `info`.
    ///
    /// At coarser levels nothing is observed, and so nothing is spent on it.
    public func log(to logger: Logger) {
        guard logger.logLevel <= .warning else { return }
        let everything = logger.logLevel <= .info
        observesRequests = everything
        observe = { observation in
            if observation.isWarning {
                logger.warning("\(observation)")
            } else if observation.isNotice {
                logger.notice("\(observation)")
            } else if everything {
                logger.info("\(observation)")
            }
        }
    }
}
