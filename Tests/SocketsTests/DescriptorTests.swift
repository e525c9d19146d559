import CLibrary
import Foundation
import TestSupport
import Testing

@testable import Sockets

/// Each test runs in its own process, because descriptors and their limit belong to the whole process.
@Suite("Descriptors")
struct DescriptorTests {
    /// The open descriptors, found by checking each number that a small process may be using.
    private static func openDescriptors() -> [Int32] { (0..<4096).filter { fcntl($0, F_GETFD) >= 0 } }

    @Test(
        "Sockets, queues and files do not leak descriptors on success or failure",
        arguments: EventQueue.Kind.allCases.map(\.rawValue))
    func leaks(_ name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let kind = try #require(EventQueue.Kind(rawValue: name))
            try DescriptorTests.useEverything(kind)
            let before = DescriptorTests.openDescriptors().count
            for _ in 0..<20 { try DescriptorTests.useEverything(kind) }
            // The runtime and the test runner open a few at any time; a leak adds one in every round.
            #expect(DescriptorTests.openDescriptors().count - before < 20)
        }
    }

    private static func useEverything(_ kind: EventQueue.Kind) throws {
        let listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
        #expect(throws: SocketError.self) { try Listener(address: listener.localAddress) }
        let pair = try Loopback(through: listener)
        let loop = try EventLoop(queueKind: kind)
        try loop.watchSignals([SIGUSR1])
        try loop.add(pair.server.descriptor, token: 1, interest: .write)
        let recorder = Recorder(loop)
        recorder.onReadiness = { _ in loop.stop() }
        try loop.run(handler: recorder)
        loop.remove(pair.server.descriptor)
        let stream = try BlockingStream.connect(to: listener.localAddress, timeout: .seconds(30))
        try acceptSoon(listener).reset()
        #expect(throws: SocketError.self) { try stream.read(timeout: .seconds(30)) }
        let nowhere = try RefusingAddress()
        #expect(throws: SocketError.self) { try BlockingStream.connect(to: nowhere.address, timeout: .seconds(30)) }
        // 255.255.255.255 cannot be connected to.
        let broadcast = try SocketAddress(host: "255.255.255.255", port: 1)
        #expect(throws: SocketError.self) { try Socket.connect(to: broadcast) }
        try WholeFile.write([1], to: "/dev/null")
        #expect(try FileReader("/dev/null").read(upTo: 9) == [])
        pair.close()
        listener.close()
    }

    @Test("A program without standard input can use descriptor 0 like any other")
    func numberZero() async {
        await #expect(processExitsWith: .success) {
            let folder = try ScratchFolder()
            let path = folder.url.path + "/a"
            let listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
            close(STDIN_FILENO)
            // Each file takes the lowest free number and releases it.
            try OutputFile(creating: path).close()
            try OutputFile(opening: path).close()
            try WholeFile.write([1], to: path)
            try WholeFile.write([1], to: "/dev/null")
            #expect(try FileReader(path).read(upTo: 9) == [1])
            _ = try EventQueue()
            try Listener(address: SocketAddress(host: "127.0.0.1", port: 0)).close()
            let client = try Socket.connect(to: listener.localAddress)
            try client.waitUntil(.write)
            client.close()
            try acceptSoon(listener).close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a"])
            folder.remove()
        }
    }

    @Test("A queue watches descriptor 0 like any other", arguments: QueueUnderTest.allCases.map(\.rawValue))
    func watchedZero(_ name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let queue = try #require(QueueUnderTest(rawValue: name)).open()
            let pair = try Loopback()
            // Unlike the original, the copy is not closed on exec.
            try #require(dup2(pair.server.descriptor, STDIN_FILENO) == STDIN_FILENO)
            try queue.add(STDIN_FILENO, token: 1, interest: .write)
            queue.modify(STDIN_FILENO, token: 2, interest: [.read, .write])
            #expect(try queue.reports().map(\.token) == [2])
            queue.remove(STDIN_FILENO)
            #expect(queue.count == 0)
            #expect(try queue.reports().isEmpty)
        }
    }

    #if os(Linux)
        @Test("A reused descriptor does not get the closed descriptor's events")
        func endedProgram() async {
            await #expect(processExitsWith: .success) {
                let pair = try Loopback()
                let child = try ChildProcess(["true"], environment: CurrentProcess.environment(), keeping: .guardian)
                let number = child.exitDescriptor
                child.end(grace: .seconds(20))
                #expect(fcntl(pair.server.descriptor, F_DUPFD, number) >= number)
                child.group.kill()
                pair.server.send("x")
                #expect(try pair.client.receiveText() == "x")
            }
        }
    #endif

    private static func lowerDescriptorLimit(to count: UInt) throws {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        try #require(getrlimit(resource, &limit) == 0)
        limit.rlim_cur = rlim_t(count)
        try #require(setrlimit(resource, &limit) == 0)
    }

    @Test("Accepting without a free descriptor fails temporarily and keeps the connection waiting")
    func exhaustion() async {
        await #expect(processExitsWith: .success) {
            let listener = try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
            let client = try Socket.connect(to: listener.localAddress)
            try client.waitUntil(.write)
            try Socket(descriptor: listener.descriptor).waitUntil(.read)
            var taken: [Int32] = []
            func takeAll() { while case let copy = dup(client.descriptor), copy >= 0 { taken.append(copy) } }
            try DescriptorTests.lowerDescriptorLimit(to: 256)
            takeAll()
            // The test runner's own threads may have closed a descriptor in the meantime.
            takeAll()
            guard case .exhausted(let error) = listener.accept()
            else { throw Unexpected("accepted without a descriptor") }
            #expect(error.code == EMFILE && error.isResourceExhaustion)
            #expect(throws: SocketError.self) { try Socket.connect(to: listener.localAddress) }
            #expect(throws: SocketError.self) { try Listener(address: listener.localAddress) }
            #expect(throws: SocketError.self) { try EventLoop() }
            for _ in 0..<3 { closeDescriptor(taken.removeLast()) }
            guard case .accepted = listener.accept() else { throw Unexpected("the connection did not wait") }
        }
    }
}
