import Sockets

extension ClientLoop {
    func carryOut(_ command: TransportCommand) {
        switch command {
        case .connect(let number): connect(number)
        case .send(let number, let bytes):
            if lookup.send(bytes, on: number) { return }
            transports[number]?.unsent += bytes
            if transports[number]?.isConnected == true { flush(number) }
        case .close(let number):
            // What the system does not take at once is for a server that reads nothing: it goes with the connection.
            lookup.forget(number)
            drop(number)
        }
    }

    private func connect(_ number: Int) {
        do throws(SocketError) {
            if addresses.isEmpty {
                guard let known = try SocketAddress.resolveAtOnce(host: wire.base.host, port: wire.base.port) else {
                    return try lookup.wait(number, for: wire.base, now: .now())
                }
                addresses = known
            }
        } catch {
            return fail(number, .transport(error))
        }
        connect(number, to: addresses[...], unsent: [], after: nil)
    }

    /// Goes on with the connections that wait for the backend's addresses.
    func serveLookup(_ now: MonotonicInstant) {
        for number in lookup.takeOverdue(now) {
            fail(number, .transport(.resolutionTimeout(host: wire.base.host)))
        }
        guard let (answer, waiting) = lookup.takeAnswer() else { return }
        addresses = (try? answer.get()) ?? []
        for (number, unsent) in waiting {
            switch answer {
            case .success(let found): connect(number, to: found[...], unsent: unsent, after: nil)
            case .failure(let error): fail(number, .transport(error))
            }
        }
    }

    /// Tries addresses in turn; the first one's error is told where none answers.
    private func connect(
        _ number: Int, to addresses: ArraySlice<SocketAddress>, unsent: [UInt8], after first: SocketError?
    ) {
        var first = first
        var rest = addresses
        while let address = rest.popFirst() {
            do throws(SocketError) {
                let socket = try Socket.connect(to: address)
                do throws(SocketError) {
                    try watch(socket, as: number)
                } catch {
                    socket.close()
                    throw error
                }
                transports[number] = ClientTransport(
                    socket: socket, address: address, alternatives: rest, firstError: first, unsent: unsent)
                return
            } catch {
                first = first ?? error
            }
        }
        // The name may lead elsewhere by the next time.
        self.addresses = []
        if let first { fail(number, .transport(first)) }
    }

    /// Connecting has ended one way or the other.
    func connected(_ number: Int) {
        guard let transport = transports[number] else { return }
        if let error = transport.socket.connectResult(to: transport.address) {
            drop(number)
            connect(
                number, to: transport.alternatives, unsent: transport.unsent, after: transport.firstError ?? error)
        } else {
            transports[number]?.isConnected = true
            flush(number)
        }
    }

    func flush(_ number: Int) {
        if let error = transports[number]?.flush() { return fail(number, .transport(error)) }
        guard let transport = transports[number] else { return }
        if transport.unsent.count > wire.limits.unsentBytes {
            return fail(number, .notRead(limit: wire.limits.unsentBytes))
        }
        setInterest(transport.unsent.isEmpty ? .read : [.read, .write], of: number)
    }

    func read(_ number: Int) {
        guard let transport = transports[number] else { return }
        switch transport.socket.read(into: readBuffer) {
        case .bytes(let count): wire.receive([UInt8](readBuffer[..<count]), on: number)
        case .endOfStream: wire.receiveEndOfStream(on: number)
        case .wouldBlock: break
        case .failed(let error):
            fail(number, .transport(SocketError(error.operation, code: error.code, address: transport.address)))
        }
    }
}
