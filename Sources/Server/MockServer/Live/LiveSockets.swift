import Faults
import FitIQAPI
import Traffic
import WebSocket

/// Ends and silences open WebSockets, as an operator or a fault asks.
struct LiveSockets {
    let engine: Engine

    /// Sends a close frame with any code, even a forbidden one.
    func close(
        _ connection: Connection, anywayWith code: CloseCode, reason: String, in world: World, at now: Timestamp
    ) {
        connection.record.endingRule = LiveControl.byHand
        engine.forgetSocket(of: connection)
        engine.lendOutput(to: connection)
        engine.sendDelayedMessages(on: connection, at: now)
        _ = connection.webSocket?.closeAnyway(code: code, reason: reason, into: &connection.output.bytes)
        engine.touch(connection)
        engine.carry(connection, at: now)
        engine.awaitReader(of: connection, at: now)
    }

    /// Ends the transport immediately; sends no close frame.
    func cut(
        _ connection: Connection, isReset: Bool, by rule: String = LiveControl.byHand, in world: World,
        at now: Timestamp
    ) {
        let isSilent = connection.socketState == .silent
        connection.record.endingRule = rule
        // Output that a fault still holds is lost with the connection.
        if !isSilent { engine.recorder.recordAbandoned(connection, in: world) }
        engine.forgetSocket(of: connection)
        if isSilent {
            engine.recorder.recordEnd(of: connection, by: .server, .fault)
            engine.end(connection, isReset ? .reset : .close)
        } else {
            connection.output.discardHeld()
            engine.drop(connection, isReset ? .reset : .finish, in: world, at: now)
        }
    }

    /// Stops sending and reading until ``resume(_:in:at:)``.
    ///
    /// The engine resets a socket that is still silent after ``Engine/longestSilence``, by the world's clock.
    func silence(_ connection: Connection, in world: World) {
        if connection.socketFaults == nil { connection.socketFaults = SocketFaults(seed: world.faults.seed) }
        connection.socketFaults?.gate(named: LiveControl.byHand)
        engine.obeySocketFaults(of: connection)
        engine.recorder.recordStart(of: .silence, by: LiveControl.byHand, on: connection, in: world)
        let end = world.turn.now.advanced(byNanoseconds: Engine.longestSilence)
        connection.silencedUntil = end
        world.heldOutputs.insert(connection.id, at: end)
        engine.queueDeadline(of: world)
        engine.touch(connection)
    }

    /// Sends a silent socket's waiting output, and reads again.
    func resume(_ connection: Connection, in world: World, at now: Timestamp) {
        connection.silencedUntil = nil
        engine.recorder.record(
            .note("WebSocket \(connection.number(in: world)) is no longer silent"), at: world.turn.now, in: world)
        engine.lendOutput(to: connection)
        if let outgoing = connection.socketFaults?.ungate() {
            engine.deliver(outgoing, on: connection, in: world, at: now)
        }
        engine.obeySocketFaults(of: connection)
        engine.handleNewOutput(of: connection, at: now)
    }
}

extension Connection {
    /// The connection's number in a world's journal; nil unless the connection is an open WebSocket of the world and
    /// has a number.
    func socketNumber(in world: World) -> UInt64? {
        guard self.world === world, isOpenSocket, !isEcho, ending == .none, let number = record.number,
            number.world == world.number
        else { return nil }
        return number.number
    }

    enum SocketState: String { case open, held, closing, silent }

    var socketState: SocketState {
        guard !isSilent, silencedUntil == nil else { return .silent }
        guard webSocket?.canSend == true else { return .closing }
        return holdCount > 0 ? .held : .open
    }
}
