import COpenSSL

/// OpenSSL's error queue, which is the thread's: emptied before each call, and taken after one that failed.
enum OpenSSLErrors {
    static func clear() { ERR_clear_error() }

    /// The first error, which is the cause of those after it; leaves the queue empty.
    static func take() -> OpenSSLFailure? {
        let code = ERR_get_error()
        ERR_clear_error()
        return code == 0 ? nil : OpenSSLFailure(code: code)
    }

    /// The first error of libssl, which knows what it means for a session, else the first; leaves the queue empty.
    static func takeForSession() -> OpenSSLFailure? {
        var first: OpenSSLFailure?
        while case let code = ERR_get_error(), code != 0 {
            let failure = OpenSSLFailure(code: code)
            if failure.isOfSSL {
                ERR_clear_error()
                return failure
            }
            first = first ?? failure
        }
        return first
    }
}

/// One error of OpenSSL's queue.
struct OpenSSLFailure {
    let code: UInt

    /// The number of the reason; its meaning depends on the library.
    var reason: Int32 { ERR_GET_REASON(code) }

    /// Whether it is libssl's.
    var isOfSSL: Bool { ERR_GET_LIB(code) == ERR_LIB_SSL }

    /// The alert that was received, if that is the error.
    var receivedAlert: UInt8? {
        isOfSSL ? UInt8(exactly: reason - SSL_AD_REASON_OFFSET) : nil
    }

    /// OpenSSL's own words.
    var text: String { ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)" }
}
