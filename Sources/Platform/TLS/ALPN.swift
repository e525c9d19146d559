import COpenSSL

/// Application-Layer Protocol Negotiation (RFC 7301): this server speaks HTTP/1.1 and nothing else.
enum ALPN {
    /// Protocols as the extension has them: each behind its length.
    static func encoded(_ protocols: [String]) -> [UInt8] { protocols.flatMap { [UInt8($0.utf8.count)] + $0.utf8 } }

    /// Picks `http/1.1` from what the client offers, or refuses with no_application_protocol (RFC 7301 §3.2).
    static func select(
        _ session: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ selectedCount: UnsafeMutablePointer<UInt8>?, _ offer: UnsafePointer<UInt8>?, _ count: UInt32
    ) -> Int32 {
        let offer = UnsafeBufferPointer(start: offer, count: Int(count))
        var offered: [String] = []
        var index = 0
        // OpenSSL has checked that the lengths add up.
        while index < offer.count, index + Int(offer[index]) < offer.count {
            let name = UnsafeBufferPointer(rebasing: offer[(index + 1)..<(index + 1 + Int(offer[index]))])
            if name.elementsEqual(TLSContext.applicationProtocol.utf8) {
                selected?.pointee = name.baseAddress
                selectedCount?.pointee = UInt8(name.count)
                return SSL_TLSEXT_ERR_OK
            }
            offered.append(String(decoding: name.prefix(TLSLimits.excerpt), as: UTF8.self))
            index += 1 + name.count
        }
        TLSWire.of(session)?.refusedProtocols = offered
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
}
