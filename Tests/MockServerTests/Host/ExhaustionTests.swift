import Foundation
import Sockets
import TestSupport
import Testing

@testable import MockServer

/// Each test runs in its own process, because descriptors and their limit belong to the whole process.
@Suite("Out of file descriptors")
struct ExhaustionTests {
    @Test(
        "The host pauses accepting instead of spinning and later accepts waiting clients",
        arguments: EventQueue.Kind.allCases.map(\.rawValue))
    func accepting(_ name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let server = try RunningHost(try #require(EventQueue.Kind(rawValue: name)))
            let early = try server.connect()
            #expect(try early.exchange(Request()).status == 200)
            var taken = takeAllDescriptors()
            close(taken.removeLast())
            // The client takes the only descriptor, so the server has none for accepting it.
            let late = try server.connect()
            try late.write(Request().bytes)
            let before = try server.onLoop { $0.turnCount }
            #expect(throws: SocketError.self) { try late.stream.read(timeout: .milliseconds(550)) }
            let turns = try server.onLoop { $0.turnCount } - before
            // The loop checks the listener ten times a second; a spinning loop takes many thousands of turns.
            #expect(turns < 1000)
            #expect(try early.exchange(Request()).status == 200)
            close(taken.removeLast())
            #expect(try late.response().status == 200)
            for copy in taken { close(copy) }
            try server.shutDown()
        }
    }

    @Test("A host that has paused accepting can stop", arguments: EventQueue.Kind.allCases.map(\.rawValue))
    func stopping(_ name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let server = try RunningHost(try #require(EventQueue.Kind(rawValue: name)))
            var taken = takeAllDescriptors()
            close(taken.removeLast())
            let waiting = try server.connect()
            #expect(throws: SocketError.self) { try waiting.stream.read(timeout: .milliseconds(250)) }
            try server.shutDown()
            #expect(throws: SocketError.self) { try waiting.read() }
        }
    }
}

private func takeAllDescriptors() -> [Int32] {
    var taken: [Int32] = []
    while case let copy = dup(0), copy >= 0 { taken.append(copy) }
    return taken
}
