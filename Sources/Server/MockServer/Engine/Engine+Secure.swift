import FitIQAPI
import HTTP1

/// What the engine knows of TLS: when it began or failed; the transport decrypts and encrypts the bytes.
extension Engine {
    /// Records that TLS is agreed on: from now on the connection is like any other.
    public func secured(_ id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id], connection.deadline?.purpose == .handshake else { return }
        arm(connection, .idle, after: patience.idle, at: now)
        // A connection over the limit has been waiting for its refusal.
        touch(connection)
    }

    /// Handles a broken TLS session: the connection ends after the transport's alert, if it has one.
    public func tlsFailed(_ message: String, on id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id], connection.ending != .reset else { return }
        observe?(.tlsFailed(message: message))
        connection.world?.activity &+= 1
        if let world = connection.world, !connection.record.waiting.isEmpty || connection.isOpenSocket {
            world.setTime(now)
            recorder.closed(connection, by: .client, .reset)
        }
        forgetSocket(of: connection)
        // The peer is given time to read the alert.
        connection.output.discard()
        account(connection)
        end(connection, .lingering)
        arm(connection, .closing, after: patience.closing, at: now)
    }

    /// Answers a peer that speaks plain HTTP to a TLS port in plain HTTP; from now on the transport encrypts nothing.
    public func spokePlainHTTP(_ id: ConnectionID, at now: Timestamp) {
        guard let connection = self[id], connection.ending == .none else { return }
        connection.isSecure = false
        // The peer has separate time to read the refusal.
        connection.deadline = nil
        lendOutput(to: connection)
        let secureOrigin = configuration.secureOrigin ?? configuration.origin
        refuse(connection, .plainOnTLSPort(origin: configuration.origin, secureOrigin: secureOrigin), at: now)
    }

    func handshakeTimedOut(on connection: Connection) {
        observe?(.tlsFailed(message: TransportRefusal.handshakeTimeout(limits.handshakeTime)))
        // The refusal of a connection over the limit can no longer be sent.
        connection.output.discard()
        end(connection, .close)
    }

    /// Whether bytes on a plain connection begin TLS: no method begins with this byte (RFC 8446 section 5.1).
    func isTLS(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> Bool {
        bytes.first == 0x16 && !connection.isSecure && connection.request == nil && connection.stream == nil
            && connection.http.bufferedByteCount == 0 && !connection.isReadingRequest
    }

    func refuseTLS(on connection: Connection, at now: Timestamp) {
        touch(connection)
        let refusal = TransportRefusal.tlsOnPlainPort(
            origin: configuration.origin, secureOrigin: configuration.secureOrigin)
        refuse(connection, refusal, at: now)
    }

    // MARK: URLs of ourselves

    /// An answer for a secure connection: the server's own URLs in it are the ones for TLS.
    ///
    /// Entities are encoded once, with the plain URLs, for all readers. Recorded answers have the right ones.
    func securing(_ answer: Answer) -> Answer {
        guard answer.contentType == nil, !answer.isRecorded else { return answer }
        var result = answer
        result.body = securing(answer.body)
        return result
    }

    /// JSON for a secure connection, like ``securing(_:)-(Answer)``; slices of JSON are passed part by part.
    func securing(_ json: [UInt8]) -> [UInt8] {
        guard let secureOrigin = configuration.secureOrigin else { return json }
        let (plain, secure) = (configuration.origin.dropFirst("http".count), secureOrigin.dropFirst("https".count))
        var body = json
        for member in ["\"avatar\":\"http", "\"url\":\"http", "\"ws_url\":\"ws"] {
            body = body.replacing(prefix: Array((member + plain).utf8), with: Array((member + "s" + secure).utf8))
        }
        return body
    }
}

extension [UInt8] {
    /// Replaces each prefix; both patterns begin with a quotation mark, which is never unescaped in JSON strings.
    fileprivate func replacing(prefix pattern: [UInt8], with other: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var copied = 0
        withUnsafeBufferPointer { bytes in
            pattern.withUnsafeBufferPointer { pattern in
                var place = 0
                while place + pattern.count <= bytes.count {
                    var matched = 0
                    while matched < pattern.count, bytes[place + matched] == pattern[matched] { matched += 1 }
                    guard matched == pattern.count else {
                        place += 1
                        continue
                    }
                    result += bytes[copied..<place]
                    result += other
                    place += matched
                    copied = place
                }
            }
        }
        return copied == 0 ? self : result + self[copied...]
    }
}
